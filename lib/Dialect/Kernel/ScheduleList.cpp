// Syntax of a schedule, the list of its primitives; what to write instead of a word that is none.
#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Support/Similar.h"

using namespace mlir;
using namespace tw::kernel;

namespace {

/// What to write instead of a word that other schedules have, or a name that is near; empty if
/// there is none.
std::string getAdvice(StringRef word, ArrayRef<StringRef> known) {
  StringRef instead =
      StringSwitch<StringRef>(word)
          .Case("vectorize", "'tile' gives an axis to registers, the last one to their lanes")
          .Case("parallel", "'grid' gives an axis to programs, which threads run")
          .Case("fuse", "'merge' makes one axis of several")
          .Case("reorder", "'order' lists loops, the outermost first")
          .Cases({"pack", "cache"}, "'stage' copies a value to memory of its own")
          .Default("");
  if (!instead.empty())
    return (": " + instead).str();
  StringRef similar = tw::findSimilar(word, known);
  return similar.empty() ? "" : ("; did you mean '" + similar + "'?").str();
}

/// What follows the keyword of a primitive; null after an error.
Attribute parseAfter(StringRef keyword, AsmParser &parser) {
#define TW_PRIMITIVE(Name)                                                                         \
  if (keyword == Name##Attr::getMnemonic())                                                        \
    return Name##Attr::parse(parser, Type());
#include "tw/Dialect/Kernel/Primitives.def"
  static const StringRef names[] = {
#define TW_PRIMITIVE(Name) Name##Attr::getMnemonic(),
#include "tw/Dialect/Kernel/Primitives.def"
  };
  parser.emitError(parser.getCurrentLocation(), "expected a schedule primitive (")
      << llvm::join(ArrayRef<StringRef>(names), ", ") << "), found '" << keyword << "'"
      << getAdvice(keyword, names);
  return {};
}

void printPrimitive(AsmPrinter &printer, Attribute primitive) {
#define TW_PRIMITIVE(Name)                                                                         \
  if (auto known = dyn_cast<Name##Attr>(primitive)) {                                              \
    printer << Name##Attr::getMnemonic();                                                          \
    known.print(printer);                                                                          \
  }
#include "tw/Dialect/Kernel/Primitives.def"
}

} // namespace

// <[split n = [no, ni 16], grid [m]]>
Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SmallVector<Attribute> primitives;
  auto parsePrimitive = [&]() -> ParseResult {
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    Attribute primitive = parseAfter(keyword, parser);
    if (!primitive)
      return failure();
    primitives.push_back(primitive);
    return success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePrimitive) ||
      parser.parseGreater())
    return {};
  return ScheduleAttr::get(parser.getContext(), primitives);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getPrimitives(), printer,
                        [&](Attribute primitive) { printPrimitive(printer, primitive); });
  printer << "]>";
}
