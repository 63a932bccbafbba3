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

template <typename... Primitives> struct PrimitiveList {
  static Attribute parse(AsmParser &parser, StringRef keyword) {
    Attribute result;
    bool known =
        ((keyword == Primitives::getMnemonic() && (result = Primitives::parseBody(parser), true)) ||
         ...);
    if (!known) {
      StringRef names[] = {Primitives::getMnemonic()...};
      parser.emitError(parser.getCurrentLocation(), "expected a schedule primitive (")
          << llvm::join(ArrayRef<StringRef>(names), ", ") << "), found '" << keyword << "'"
          << getAdvice(keyword, names);
    }
    return result;
  }
  static void print(AsmPrinter &printer, Attribute primitive) {
    (void)((isa<Primitives>(primitive) && (printer << Primitives::getMnemonic() << ' ',
                                           cast<Primitives>(primitive).printBody(printer), true)) ||
           ...);
  }
};

using AllPrimitives =
    PrimitiveList<MergeAttr, WidenAttr, RfactorAttr, SplitAttr, OrderAttr, GridAttr, TeamAttr,
                  TileAttr, WarpsAttr, StageAttr, KeepAttr, OnlineAttr, SkipAttr, StreamAttr,
                  PrefetchAttr, ContractAttr, UnrollAttr, EdgeAttr>;

} // namespace

// <[split n = [no, ni 16], grid [m]]>
Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SmallVector<Attribute> primitives;
  auto parsePrimitive = [&]() -> ParseResult {
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    Attribute primitive = AllPrimitives::parse(parser, keyword);
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
                        [&](Attribute primitive) { AllPrimitives::print(printer, primitive); });
  printer << "]>";
}
