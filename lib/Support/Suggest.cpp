// Finds the unknown name in MLIR's messages, and the nearest known one.
#include "tw/Support/Suggest.h"

#include "tw/Support/Place.h"
#include "tw/Support/Similar.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

#include <algorithm>

using namespace mlir;
using llvm::StringRef;

namespace {

/// Names of other tensor languages for what `tgraph` has under its own.
constexpr std::pair<StringRef, StringRef> aliases[] = {
    {"matmul", "contract"},      {"batch_matmul", "contract"},
    {"dot", "contract"},         {"dot_general", "contract"},
    {"gemm", "contract"},        {"einsum", "contract"},
    {"linear", "contract"},      {"transpose", "permute"},
    {"broadcast", "expand"},     {"broadcast_to", "expand"},
    {"conv2d", "conv"},          {"convolution", "conv"},
    {"flatten", "reshape"},      {"squeeze", "reshape"},
    {"unsqueeze", "reshape"},    {"expand_dims", "reshape"},
    {"where", "select"},         {"max", "maximum"},
    {"min", "minimum"},          {"subtract", "sub"},
    {"multiply", "mul"},         {"divide", "div"},
    {"negate", "neg"},           {"reverse", "flip"},
    {"reduce_sum", "reduce"},    {"reduce_max", "reduce"},
    {"mean", "reduce"},          {"sum", "reduce"},
    {"argmax", "arg_reduce"},    {"argmin", "arg_reduce"},
    {"cumsum", "scan"},          {"concatenate", "concat"},
    {"take", "gather"},          {"convert", "cast"},
    {"avg_pool", "window"},      {"max_pool", "window"},
    {"layernorm", "layer_norm"}, {"batchnorm", "batch_norm"},
    {"logistic", "sigmoid"},     {"equal", "compare"},
    {"greater", "compare"},      {"less", "compare"},
};

/// What stands between `before` and `after`; empty if they are not there.
StringRef between(StringRef text, StringRef before, StringRef after) {
  size_t start = text.find(before);
  if (start == StringRef::npos)
    return "";
  StringRef rest = text.drop_front(start + before.size());
  size_t end = rest.find(after);
  return end == StringRef::npos ? "" : rest.take_front(end);
}

std::string suggestOp(MLIRContext *context, StringRef name) {
  auto [dialect, op] = name.split('.');
  auto isKnown = [&](StringRef full) {
    return RegisteredOperationName::lookup(full, context).has_value();
  };
  if (dialect == "tgraph")
    for (auto [alias, meant] : aliases)
      if (std::string full = ("tgraph." + meant).str(); alias == op && isKnown(full))
        return full;
  SmallVector<StringRef> known;
  for (RegisteredOperationName registered : context->getRegisteredOperations())
    if (registered.getDialectNamespace() == dialect)
      known.push_back(registered.stripDialect());
  StringRef similar = tw::findSimilar(op, known);
  return similar.empty() ? "" : (dialect + "." + similar).str();
}

std::string suggestDialect(MLIRContext *context, StringRef name) {
  std::vector<StringRef> known = context->getAvailableDialects();
  return tw::findSimilar(name, known).str();
}

/// Dialects are loaded when they are first named.
std::string suggestOpOfDialect(MLIRContext *context, StringRef name) {
  auto [dialect, op] = name.split('.');
  std::string similar = suggestDialect(context, dialect);
  return similar.empty() || op.empty() ? similar : similar + "." + op.str();
}

/// A tool that runs passes has an option for each.
SmallVector<StringRef> listPasses() {
  SmallVector<StringRef> known;
  for (const auto &option : llvm::cl::getRegisteredOptions())
    if (PassInfo::lookup(option.first) || PassPipelineInfo::lookup(option.first))
      known.push_back(option.first);
  llvm::sort(known);
  return known;
}

/// The options of a pass stand in its pipeline's text: "pass{a=1 b=}".
void listOptions(StringRef pass, SmallVectorImpl<std::string> &known) {
  const PassInfo *info = PassInfo::lookup(pass);
  OpPassManager manager;
  auto ignore = [](const llvm::Twine &) { return failure(); };
  if (!info || failed(info->addToPipeline(manager, "", ignore)))
    return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  manager.printAsTextualPipeline(stream);
  for (StringRef rest = StringRef(text).split('{').second; !rest.empty();) {
    size_t end = rest.find('=');
    if (end == StringRef::npos)
      break;
    StringRef word = rest.take_front(end);
    known.push_back(word.drop_front(word.find_last_of(" {") + 1).str());
    rest = rest.drop_front(end + 1);
  }
}

/// An option of the pass, or of any where MLIR does not say which: that is so for --pass=option.
std::string suggestOption(StringRef pass, StringRef name) {
  SmallVector<std::string> known;
  for (StringRef some : pass.empty() ? listPasses() : SmallVector<StringRef>{pass})
    listOptions(some, known);
  return tw::findSimilar(name, SmallVector<StringRef>(known.begin(), known.end())).str();
}

/// The name in quotes that ends at a place of a file: MLIR's message of an op in generic form has
/// none.
std::string getQuotedBefore(Location location) {
  tw::Place place = tw::getPlace(location);
  std::string quoted = tw::quoteFile(place);
  auto [line, below] = StringRef(quoted).split('\n');
  StringRef before = line.take_front(below.find('^')).rtrim();
  return before.consume_back("\"") ? before.rsplit('"').second.str() : "";
}

std::string findMeant(Location location, StringRef text) {
  MLIRContext *context = location->getContext();
  StringRef name = between(text, "custom op '", "' is unknown");
  if (name.empty())
    name = between(text, "unregistered operation '", "' found in dialect");
  if (!name.empty())
    return suggestOp(context, name);
  if (StringRef op = between(text, "not found for custom op '", "'"); !op.empty())
    return suggestOpOfDialect(context, op);
  if (text.starts_with("operation being parsed with an unregistered dialect"))
    return suggestOpOfDialect(context, getQuotedBefore(location));
  for (StringRef sigil : {"`!\"", "#\""})
    if (StringRef name = between(text, sigil, "\"<");
        !name.empty() && text.contains("created with unregistered dialect"))
      return suggestDialect(context, name);
  if (StringRef pass = between(text, "error: '", "' does not refer to a registered pass");
      !pass.empty())
    return tw::findSimilar(pass, listPasses()).str();
  if (StringRef option = between(text, "no such option ", "\n"); !option.empty())
    return suggestOption(between(text, "failed to add `", "`"), option);
  return "";
}

} // namespace

void tw::suggest(Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
      StringRef(text).contains("did you mean"))
    return;
  std::string meant = findMeant(diagnostic.getLocation(), text);
  if (!meant.empty())
    diagnostic << "; did you mean '" << meant << "'?";
}
