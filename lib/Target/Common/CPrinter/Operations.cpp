// Operations on scalars: arith, and what of math is left after the expansion.
#include "Printer.h"

#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tw::cprinter;

namespace {

/// Integers that C promotes to int before it computes with them.
bool isPromoted(Type type) {
  return type.isInteger() && type.getIntOrFloatBitWidth() < 32 && !type.isInteger(1);
}

bool isConstant(Value value) { return matchPattern(value, m_Constant()); }

bool isBitOperator(Precedence precedence) {
  return precedence == Precedence::BitAnd || precedence == Precedence::BitOr ||
         precedence == Precedence::BitXor || precedence == Precedence::Shift;
}

} // namespace

LogicalResult KernelPrinter::printOperation(Operation &op) {
  if (isa<arith::ConstantOp>(op) &&
      isa<IntegerType, FloatType, IndexType>(op.getResult(0).getType()))
    return getType(op.getResult(0).getType(), &op);
  if (!language.computesWithVectors && op.getNumResults() == 1 &&
      isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) &&
      llvm::any_of(op.getOperandTypes(), llvm::IsaPred<VectorType>))
    return refuse(&op, "computes with vectors");
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<arith::CmpIOp, arith::CmpFOp>([&](auto compare) { return printCompare(compare); })
      .Case([&](arith::SelectOp select) { return printSelect(select); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::ExtFOp, arith::TruncFOp,
            arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, arith::BitcastOp,
            arith::IndexCastOp, arith::IndexCastUIOp>([&](auto) { return printCast(op); })
      .Case<scf::ForOp>([&](auto loop) { return printFor(loop); })
      .Case<scf::IfOp>([&](auto branch) { return printIf(branch); })
      .Case<scf::WhileOp>([&](auto loop) { return printWhile(loop); })
      .Case<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp>(
          [&](auto) { return printMemory(op); })
      .Case([&](vector::MaskedLoadOp load) {
        return printMasked(op, load.getBase(), load.getIndices().front(), load.getMask(),
                           load.getPassThru());
      })
      .Case([&](vector::MaskedStoreOp store) {
        return printMasked(op, store.getBase(), store.getIndices().front(), store.getMask(),
                           store.getValueToStore());
      })
      .Case<vector::FromElementsOp, vector::ExtractOp, vector::BroadcastOp, vector::ReductionOp,
            vector::BitCastOp>([&](auto) { return printVector(op); })
      .Case([&](vector::ShuffleOp shuffle) {
        return printShuffle(op, shuffle.getV1(), shuffle.getV2(), shuffle.getMask());
      })
      .Case([&](vector::InterleaveOp interleave) {
        SmallVector<int64_t> mask;
        for (int64_t i = 0, n = interleave.getSourceVectorType().getNumElements(); i < n; ++i)
          mask.append({i, n + i});
        return printShuffle(op, interleave.getLhs(), interleave.getRhs(), mask);
      })
      .Case<gpu::ThreadIdOp, gpu::BlockIdOp, gpu::GridDimOp, gpu::BlockDimOp>([&](auto id) {
        StringRef pattern = isa<gpu::ThreadIdOp>(op)  ? language.threadId
                            : isa<gpu::BlockIdOp>(op) ? language.groupId
                            : isa<gpu::GridDimOp>(op) ? language.groupCount
                                                      : language.groupSize;
        auto text = llvm::formatv(pattern.data(), unsigned(id.getDimension())).str();
        if (!isLone)
          return defineNamed(&op, {text});
        ids.push_back({makeName(op.getResult(0)), text});
        values[op.getResult(0)] = {ids.back().first};
        return success();
      })
      .Case([&](gpu::BarrierOp) {
        line(needsFullBarrier ? language.fullBarrier : language.localBarrier);
        return success();
      })
      .Case<ub::PoisonOp, arith::ConstantOp>([&](auto) {
        auto vector = dyn_cast<VectorType>(op.getResult(0).getType());
        Type element = getElementTypeOrSelf(op.getResult(0).getType());
        if (!element.isIntOrIndexOrFloat() || failed(getType(op.getResult(0).getType(), &op)))
          return refuse(&op);
        SmallVector<std::string> elements;
        auto dense = isa<arith::ConstantOp>(op)
                         ? dyn_cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue())
                         : DenseElementsAttr();
        TypedAttr zero = Builder(op.getContext()).getZeroAttr(element);
        for (int64_t i = 0; i < (vector ? vector.getNumElements() : 1); ++i)
          elements.push_back(spellElement(
              dense ? cast<TypedAttr>(dense.getValues<Attribute>()[i]) : zero, vector));
        return define(&op, {vector ? language.spellVector(vector, elements) : elements.front()});
      })
      .Default([&](Operation *) {
        if (op.getNumResults() == 1 && op.getResult(0).getType().isInteger(1) &&
            llvm::all_of(op.getOperandTypes(), [](Type type) { return type.isInteger(1); }) &&
            op.getNumOperands() == 2)
          return printBoolean(op);
        if (isa<arith::MaximumFOp, arith::MinimumFOp>(op) && isConstant(op.getOperand(1)))
          return printExtremum(op);
        for (const Operator &spelling : language.operators)
          if (spelling.operation == op.getName().getStringRef())
            return spelling.form == Form::Helper ? printHelper(op, spelling)
                                                 : printOperator(op, spelling);
        return refuse(&op);
      });
}

/// A literal, where all bits of a truth value in a vector are equal.
std::string KernelPrinter::spellElement(TypedAttr value, VectorType vector) {
  if (vector && value.getType().isInteger(1))
    return cast<IntegerAttr>(value).getValue().isZero() ? "0" : "-1";
  return language.spellLiteral(value, /*isSigned=*/false).text;
}

LogicalResult KernelPrinter::refuse(Operation *op, const Twine &reason) {
  auto diagnostic = tw::emitOpError(op, tw::Code::T0430);
  if (reason.isTriviallyEmpty())
    diagnostic << "cannot be written in " << language.name;
  else
    diagnostic << "cannot be written in " << language.name << ": " << reason.str();
  return failure();
}

LogicalResult KernelPrinter::printOperator(Operation &op, const Operator &spelling) {
  Type type = op.getResult(0).getType();
  if (type.isInteger(1) && op.getOperand(0).getType().isInteger(1))
    return refuse(&op);
  std::string text;
  Precedence precedence = spelling.precedence;
  if (spelling.form == Form::Call) {
    SmallVector<std::string> arguments;
    for (Value operand : op.getOperands())
      arguments.push_back(read(operand, spelling.isSigned, /*isTyped=*/true).text);
    text = (spelling.word + "(" + llvm::join(arguments, ", ") + ")").str();
    precedence = Precedence::Primary;
    if (getElementTypeOrSelf(type).isInteger(1))
      return define(&op, convertTruth(op.getOperand(0).getType(), {text}));
  } else if (spelling.form == Form::Prefix) {
    text = spelling.word.str() +
           bind(read(op.getOperand(0), spelling.isSigned, true), Precedence::Primary);
  } else {
    Value a = op.getOperand(0), b = op.getOperand(1);
    // Shifts take their type from the left side alone.
    bool isShift = spelling.precedence == Precedence::Shift;
    Expression left = read(a, spelling.isSigned, isShift || isConstant(b) || isPromoted(type));
    Expression right = read(b, spelling.isSigned && !isShift, isConstant(a) && !isShift);
    StringRef word = spelling.word;
    // x + -1 is x - 1.
    if (word == "+" && right.precedence == Precedence::Prefix && right.text.front() == '-' &&
        type.isIntOrIndex()) {
      right = {right.text.substr(1)};
      word = "-";
    }
    // Compilers warn of the precedences that nobody remembers.
    Precedence least = isBitOperator(precedence) ? Precedence::Prefix : precedence;
    Precedence above = Precedence(unsigned(least) + (isBitOperator(precedence) ? 0 : 1));
    text = bind(left, least) + " " + word.str() + " " + bind(right, above);
  }
  Expression result{text, precedence};
  if (spelling.isSigned || isPromoted(type))
    result = reinterpret(type, /*isSigned=*/false, result);
  return define(&op, result);
}

/// A call of a function that stands in front of the kernels.
LogicalResult KernelPrinter::printHelper(Operation &op, const Operator &spelling) {
  Type type = op.getOperand(0).getType();
  std::string word = spelling.isSigned ? language.spellSigned(type) : language.spellType(type);
  Type element = getElementTypeOrSelf(type);
  if (word.empty() || element.isInteger(1))
    return refuse(&op);
  Type integer =
      IntegerType::get(op.getContext(), element.isIndex() ? 64 : element.getIntOrFloatBitWidth());
  if (auto vector = dyn_cast<VectorType>(type))
    integer = vector.clone(integer);
  std::string bits = language.spellType(integer);
  std::string name = llvm::formatv(spelling.word.data(), word).str();
  helpers.insert({name, llvm::formatv(spelling.definition.data(), word, bits).str()});
  SmallVector<std::string> arguments;
  for (Value operand : op.getOperands())
    arguments.push_back(read(operand, spelling.isSigned, /*isTyped=*/true).text);
  Expression result{name + "(" + llvm::join(arguments, ", ") + ")"};
  if (spelling.isSigned)
    result = reinterpret(op.getResult(0).getType(), /*isSigned=*/false, result);
  return define(&op, result);
}

/// Logic, which is all that thread form has for truth values.
LogicalResult KernelPrinter::printBoolean(Operation &op) {
  Expression a = get(op.getOperand(0)), b = get(op.getOperand(1));
  if (isa<arith::XOrIOp>(op)) {
    if (matchPattern(op.getOperand(1), m_One()))
      return define(&op, {"!" + bind(a, Precedence::Primary), Precedence::Prefix});
    return define(&op, {bind(a, Precedence::Shift) + " != " + bind(b, Precedence::Shift),
                        Precedence::Equality});
  }
  if (isa<arith::AndIOp>(op))
    return define(&op, {bind(a, Precedence::Equality) + " && " + bind(b, Precedence::Equality),
                        Precedence::And});
  if (isa<arith::OrIOp>(op))
    return define(&op, {bind(a, Precedence::Equality) + " || " + bind(b, Precedence::Equality),
                        Precedence::Or});
  return refuse(&op, "computes with truth values");
}

/// The larger or smaller of x and a constant that is a number: one comparison, which a NaN in x and
/// the order of zeros decide as they should.
LogicalResult KernelPrinter::printExtremum(Operation &op) {
  APFloat bound(0.0f);
  matchPattern(op.getOperand(1), m_ConstantFloat(&bound));
  if (bound.isNaN())
    return define(&op, get(op.getOperand(1)));
  std::string x = bind(get(op.getOperand(0)), Precedence::Shift);
  bool isMaximum = isa<arith::MaximumFOp>(op);
  // max(x, -0) is x for +0, max(x, +0) is +0 for -0; the minimum is the mirror image.
  bool winsTies = bound.isNegative() != isMaximum;
  std::string compare = std::string(isMaximum ? "<" : ">") + (winsTies ? "=" : "");
  std::string limit = get(op.getOperand(1)).text;
  std::string text =
      llvm::formatv(language.select.data(), x + " " + compare + " " + limit, limit, x).str();
  return define(&op, {text, language.selectPrecedence});
}

LogicalResult KernelPrinter::printCompare(arith::CmpIOp op) {
  using P = arith::CmpIPredicate;
  P predicate = op.getPredicate();
  bool isSigned = llvm::is_contained({P::slt, P::sle, P::sgt, P::sge}, predicate);
  bool isEquality = predicate == P::eq || predicate == P::ne;
  StringRef word;
  switch (predicate) {
  case P::eq:
    word = "==";
    break;
  case P::ne:
    word = "!=";
    break;
  case P::slt:
  case P::ult:
    word = "<";
    break;
  case P::sle:
  case P::ule:
    word = "<=";
    break;
  case P::sgt:
  case P::ugt:
    word = ">";
    break;
  case P::sge:
  case P::uge:
    word = ">=";
    break;
  }
  Value a = op.getLhs(), b = op.getRhs();
  if (a.getType().isInteger(1) && !isEquality)
    return refuse(op, "orders truth values");
  Expression left = read(a, isSigned, isConstant(b)), right = read(b, isSigned, isConstant(a));
  Expression result{bind(left, Precedence::Shift) + " " + word.str() + " " +
                        bind(right, Precedence::Shift),
                    isEquality ? Precedence::Equality : Precedence::Relation};
  return define(op, convertTruth(a.getType(), result));
}

LogicalResult KernelPrinter::printCompare(arith::CmpFOp op) {
  using P = arith::CmpFPredicate;
  Expression a = get(op.getLhs()), b = get(op.getRhs());
  auto compare = [&](StringRef word) {
    bool isEquality = word == "==" || word == "!=";
    return Expression{bind(a, Precedence::Shift) + " " + word.str() + " " +
                          bind(b, Precedence::Shift),
                      isEquality ? Precedence::Equality : Precedence::Relation};
  };
  auto negate = [&](const Expression &value) {
    return Expression{"!(" + value.text + ")", Precedence::Prefix};
  };
  auto differ = [&] {
    return Expression{compare("<").text + " || " + compare(">").text, Precedence::Or};
  };
  auto isNaN = [&](const Expression &value) {
    std::string x = bind(value, Precedence::Shift);
    return x + " != " + x;
  };
  auto unordered = [&] {
    if (op.getLhs() == op.getRhs() || isConstant(op.getRhs()))
      return Expression{isNaN(a), Precedence::Equality};
    return Expression{isNaN(a) + " || " + isNaN(b), Precedence::Or};
  };
  auto finish = [&](Expression value) {
    return define(op, convertTruth(op.getLhs().getType(), std::move(value)));
  };
  switch (op.getPredicate()) {
  case P::OEQ:
    return finish(compare("=="));
  case P::OGT:
    return finish(compare(">"));
  case P::OGE:
    return finish(compare(">="));
  case P::OLT:
    return finish(compare("<"));
  case P::OLE:
    return finish(compare("<="));
  case P::ONE:
    return finish(differ());
  case P::UEQ:
    return finish(negate(differ()));
  case P::UGT:
    return finish(negate(compare("<=")));
  case P::UGE:
    return finish(negate(compare("<")));
  case P::ULT:
    return finish(negate(compare(">=")));
  case P::ULE:
    return finish(negate(compare(">")));
  case P::UNE:
    return finish(compare("!="));
  case P::ORD:
    return finish(negate(unordered()));
  case P::UNO:
    return finish(unordered());
  case P::AlwaysTrue:
  case P::AlwaysFalse: {
    TypedAttr truth = Builder(op).getBoolAttr(op.getPredicate() == P::AlwaysTrue);
    auto vector = dyn_cast<VectorType>(op.getType());
    return define(op, {vector ? language.spellVector(
                                    vector, SmallVector<std::string>(vector.getNumElements(),
                                                                     spellElement(truth, vector)))
                              : spellElement(truth, vector)});
  }
  }
  return refuse(op);
}

LogicalResult KernelPrinter::printSelect(arith::SelectOp op) {
  auto side = [&](Value value) {
    Expression text = get(value);
    return language.selectPrecedence == Precedence::Primary ? text.text
                                                            : bind(text, Precedence::Or);
  };
  Expression condition = get(op.getCondition());
  // Vectors are chosen by truth values as wide as their elements.
  Type element = getElementTypeOrSelf(op.getType());
  if (auto mask = dyn_cast<VectorType>(op.getCondition().getType());
      mask && !element.isInteger(1) && getWidth(element) != 32)
    condition = convert(mask.clone(IntegerType::get(op.getContext(), getWidth(element))),
                        /*isSigned=*/true, condition);
  std::string test = language.selectPrecedence == Precedence::Primary
                         ? condition.text
                         : bind(condition, Precedence::Or);
  std::string text =
      llvm::formatv(language.select.data(), test, side(op.getTrueValue()), side(op.getFalseValue()))
          .str();
  Expression result{text, language.selectPrecedence};
  if (isPromoted(op.getType()) && mayInline(op))
    result = convert(language.spellType(op.getType()), result);
  return define(op, result);
}

/// Truth values are signed integers there.
LogicalResult KernelPrinter::printVectorCast(Operation &op) {
  Value source = op.getOperand(0);
  Type from = source.getType(), to = op.getResult(0).getType();
  Type element = getElementTypeOrSelf(from), result = getElementTypeOrSelf(to);
  if (isa<arith::BitcastOp>(op) ||
      (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) && getWidth(element) == getWidth(result)))
    return define(&op, isa<FloatType>(element) || isa<FloatType>(result)
                           ? reinterpret(to, /*isSigned=*/false, get(source))
                           : get(source));
  if (result.isInteger(1)) {
    if (!element.isIntOrIndex())
      return refuse(&op, "converts a number to a truth value");
    Builder builder(&op);
    auto spell = [&](int64_t value) {
      return language.spellLiteral(builder.getIntegerAttr(element, value), false).text;
    };
    std::string last = bind(get(source), Precedence::Prefix) + " & " + spell(1);
    return define(&op, convertTruth(from, {"(" + last + ") != " + spell(0), Precedence::Equality}));
  }
  bool isSigned = isa<arith::ExtSIOp, arith::SIToFPOp, arith::IndexCastOp, arith::FPToSIOp>(op);
  bool isTruth = element.isInteger(1);
  Expression value = get(source);
  if (isTruth && !isSigned)
    value = {bind(value, Precedence::Prefix) + " & 1", Precedence::BitAnd};
  else if (isSigned && !isTruth && element.isIntOrIndex())
    value = reinterpret(from, /*isSigned=*/true, value);
  isSigned |= isTruth;
  if (isa<FloatType>(result) || !isSigned)
    return define(&op, convert(to, /*isSigned=*/false, value));
  if (!isTruth || getWidth(result) != 32)
    value = convert(to, /*isSigned=*/true, value);
  return define(&op, reinterpret(to, /*isSigned=*/false, value));
}

LogicalResult KernelPrinter::printCast(Operation &op) {
  Value source = op.getOperand(0);
  Type from = source.getType(), to = op.getResult(0).getType();
  FailureOr<std::string> type = getType(to, &op);
  if (failed(type))
    return failure();
  if (isa<VectorType>(from))
    return printVectorCast(op);
  Builder builder(&op);
  if (isa<arith::BitcastOp>(op)) {
    if (from == to || (from.isIntOrIndex() && to.isIntOrIndex()))
      return define(&op, get(source));
    return define(&op, {llvm::formatv(language.bitcast.data(), *type, get(source).text).str()});
  }
  bool isIndexCast = isa<arith::IndexCastOp, arith::IndexCastUIOp>(op);
  if (isIndexCast && getWidth(from) == getWidth(to))
    return define(&op, get(source));
  if (to.isInteger(1)) {
    if (!from.isIntOrIndex())
      return refuse(&op, "converts a number to a truth value");
    return define(
        &op, {"(" + bind(get(source), Precedence::Prefix) + " & 1) != 0", Precedence::Equality});
  }
  bool isSigned = isa<arith::ExtSIOp, arith::SIToFPOp, arith::IndexCastOp>(op);
  if (from.isInteger(1) && isSigned) {
    TypedAttr zero = builder.getZeroAttr(to);
    TypedAttr minusOne = isa<FloatType>(to) ? TypedAttr(builder.getFloatAttr(to, -1.0))
                                            : TypedAttr(builder.getIntegerAttr(to, -1));
    return define(&op, {llvm::formatv(language.select.data(), bind(get(source), Precedence::Or),
                                      language.spellLiteral(minusOne, false).text,
                                      language.spellLiteral(zero, false).text)
                            .str(),
                        language.selectPrecedence});
  }
  // Truncations take the low bits of either reading.
  isSigned &= !from.isIntOrIndex() || !to.isIntOrIndex() || getWidth(from) < getWidth(to);
  Expression value = read(source, isSigned, /*isTyped=*/true);
  if (isa<arith::FPToSIOp>(op))
    value = convert(language.spellSigned(to), value);
  return define(&op, convert(*type, value));
}
