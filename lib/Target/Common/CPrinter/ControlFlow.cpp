// Structured loops and branches. What a loop carries is a mutable variable, which is its result
// too.
#include "Printer.h"

#include "tw/Support/Diagnostics.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tw::cprinter;

void KernelPrinter::line(const Twine &text) {
  body.append(2 * depth, ' ');
  body += text.str();
  body += '\n';
}

LogicalResult KernelPrinter::printBlock(Block &block) {
  ++depth;
  for (Operation &op : block.without_terminator())
    if (failed(printOperation(op)))
      return failure();
  --depth;
  return success();
}

/// Whether the text of `value` reads the variable `name`.
bool KernelPrinter::mentions(Value value, StringRef name) {
  if (matchPattern(value, m_Constant()))
    return false;
  StringRef text = values.at(value).text;
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != StringRef::npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if ((at == 0 || !isWord(text[at - 1])) && (end == text.size() || !isWord(text[end])))
      return true;
  }
  return false;
}

/// All assignments at once: a value that reads a variable which is assigned before it is kept
/// first.
void KernelPrinter::assign(ValueRange variables, ValueRange newValues) {
  SmallVector<std::string> texts;
  for (auto [i, value] : llvm::enumerate(newValues)) {
    std::string text = read(value, /*isSigned=*/false, /*isTyped=*/false).text;
    bool isLate =
        text != getName(variables[i]) && llvm::any_of(llvm::seq<size_t>(0, i), [&](size_t before) {
          return getName(variables[before]) != texts[before] &&
                 mentions(value, getName(variables[before]));
        });
    if (isLate) {
      std::string name = makeName("next");
      line(llvm::formatv(language.constant.data(), language.spellType(value.getType()), name, text)
               .str());
      text = name;
    }
    texts.push_back(text);
  }
  for (auto [variable, text] : llvm::zip(variables, texts))
    if (text != getName(variable))
      line(getName(variable) + " = " + text + ";");
}

void KernelPrinter::alias(Value value, Value as) {
  Expression expression = values.at(as);
  values[value] = std::move(expression);
}

/// Whether a loop may go on with the variable of the loop around it: that variable is only read to
/// begin here and takes this loop's result.
bool KernelPrinter::isCarriedThrough(Operation *loop, Value initial, unsigned position) {
  auto argument = dyn_cast<BlockArgument>(initial);
  auto outer = dyn_cast_or_null<scf::ForOp>(loop->getParentOp());
  if (!argument || !outer || argument.getOwner() != outer.getBody() || !argument.hasOneUse() ||
      argument.getArgNumber() < outer.getNumInductionVars() ||
      !loop->getResult(position).hasOneUse())
    return false;
  unsigned index = argument.getArgNumber() - outer.getNumInductionVars();
  return outer.getYieldedValues()[index] == loop->getResult(position);
}

LogicalResult KernelPrinter::declareCarried(Operation *loop, ValueRange initial,
                                            ValueRange variables) {
  for (auto [i, variable] : llvm::enumerate(variables)) {
    if (isa<scf::ForOp>(loop) && isCarriedThrough(loop, initial[i], i)) {
      alias(variable, initial[i]);
      continue;
    }
    FailureOr<std::string> type = getType(variable.getType(), loop);
    if (failed(type))
      return failure();
    std::string name = makeName(isa<FloatType>(variable.getType()) ? "sum" : "carried");
    line(llvm::formatv(language.variable.data(), *type, name, read(initial[i], false, false).text)
             .str());
    values[variable] = {name};
  }
  return success();
}

LogicalResult KernelPrinter::declareResults(Operation *op) {
  for (Value result : op->getResults()) {
    FailureOr<std::string> type = getType(result.getType(), op);
    if (failed(type))
      return failure();
    std::string name = makeName(result);
    line(llvm::formatv(language.declaration.data(), *type, name).str());
    values[result] = {name};
  }
  return success();
}

LogicalResult KernelPrinter::printFor(scf::ForOp op) {
  Value counter = op.getInductionVar();
  FailureOr<std::string> type = getType(counter.getType(), op);
  if (failed(type) || failed(declareCarried(op, op.getInitArgs(), op.getRegionIterArgs())))
    return failure();
  static constexpr StringLiteral counters[] = {"i", "j", "k", "l", "m", "n"};
  std::string name = makeName(counters[std::min<size_t>(loops, std::size(counters) - 1)]);
  values[counter] = {name};
  // Both bounds known and not negative: signed and unsigned order agree.
  APInt low, high;
  bool isUnsigned =
      op.getUnsignedCmp() || (matchPattern(op.getLowerBound(), m_ConstantInt(&low)) &&
                              matchPattern(op.getUpperBound(), m_ConstantInt(&high)) &&
                              !low.isNegative() && !high.isNegative());
  std::string now =
      isUnsigned ? name : convert(language.spellSigned(counter.getType()), {name}).text;
  std::string begin = llvm::formatv(language.variable.data(), *type, name,
                                    read(op.getLowerBound(), false, false).text)
                          .str();
  line("for (" + begin + " " + now + " < " +
       bind(read(op.getUpperBound(), !isUnsigned, false), Precedence::Shift) + "; " + name +
       " += " + read(op.getStep(), false, false).text + ") {");
  ++loops;
  if (failed(printBlock(*op.getBody())))
    return failure();
  --loops;
  ++depth;
  assign(op.getRegionIterArgs(), op.getYieldedValues());
  --depth;
  line("}");
  for (auto [result, variable] : llvm::zip(op.getResults(), op.getRegionIterArgs()))
    alias(result, variable);
  return success();
}

LogicalResult KernelPrinter::printIf(scf::IfOp op) {
  if (failed(declareResults(op)))
    return failure();
  auto branch = [&](Region &region) {
    if (failed(printBlock(region.front())))
      return failure();
    ++depth;
    assign(op.getResults(), region.front().getTerminator()->getOperands());
    --depth;
    return success();
  };
  line("if (" + get(op.getCondition()).text + ") {");
  if (failed(branch(op.getThenRegion())))
    return failure();
  if (!op.getElseRegion().empty() &&
      (op.getNumResults() > 0 || !op.getElseRegion().front().without_terminator().empty())) {
    line("} else {");
    if (failed(branch(op.getElseRegion())))
      return failure();
  }
  line("}");
  return success();
}

LogicalResult KernelPrinter::printWhile(scf::WhileOp op) {
  if (failed(declareCarried(op, op.getInits(), op.getBeforeArguments())) ||
      failed(declareResults(op)))
    return failure();
  line(language.forever + " {");
  if (failed(printBlock(*op.getBeforeBody())))
    return failure();
  ++depth;
  scf::ConditionOp condition = op.getConditionOp();
  // The test is evaluated before the results change.
  std::string test = makeName("again");
  line(llvm::formatv(language.constant.data(),
                     language.spellType(condition.getCondition().getType()), test,
                     get(condition.getCondition()).text)
           .str());
  assign(op.getResults(), condition.getArgs());
  line("if (!" + test + ")");
  line("  break;");
  --depth;
  for (auto [argument, result] : llvm::zip(op.getAfterArguments(), op.getResults()))
    alias(argument, result);
  if (failed(printBlock(*op.getAfterBody())))
    return failure();
  ++depth;
  assign(op.getBeforeArguments(), op.getYieldOp().getOperands());
  --depth;
  line("}");
  return success();
}
