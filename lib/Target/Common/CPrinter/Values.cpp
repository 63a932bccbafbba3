// How values are written where they are used, and how results get their text or their name.
#include "Printer.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tw::cprinter;

/// Longer expressions get a name.
static constexpr size_t maxInlineText = 64;

std::string tw::cprinter::bind(const Expression &expression, Precedence least) {
  return expression.precedence < least ? "(" + expression.text + ")" : expression.text;
}

/// Operations whose text has an operand twice, so that it should be a name.
static bool readsTwice(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    using P = arith::CmpFPredicate;
    return llvm::is_contained({P::ONE, P::UEQ, P::ORD, P::UNO}, compare.getPredicate());
  }
  return isa<arith::MaximumFOp, arith::MinimumFOp, vector::ShuffleOp, vector::InterleaveOp>(op);
}

unsigned tw::cprinter::getWidth(Type element) {
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

bool tw::cprinter::mayInline(Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).hasOneUse() || !isPure(op))
    return false;
  Operation *user = *op->getResult(0).user_begin();
  if (user->getBlock() != op->getBlock() || readsTwice(user))
    return false;
  // The bounds of a loop are read in every round; what a loop or a vector is made of has names.
  return !isa<scf::ForOp, scf::WhileOp>(user);
}

bool tw::cprinter::isAlwaysInlined(Operation *op) {
  return isa<vector::ExtractOp, arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
         !op->getResult(0).getType().isInteger(1);
}

FailureOr<std::string> KernelPrinter::getType(Type type, Operation *user) {
  std::string text = language.spellType(type);
  if (text.empty())
    return refuse(user, llvm::formatv("has no type for {0}", type).str());
  seenF64 |= getElementTypeOrSelf(type).isF64();
  return text;
}

/// Constants of one element are literals with their type; everything else has been printed before.
Expression KernelPrinter::get(Value value) {
  TypedAttr constant;
  if (!isa<VectorType>(value.getType()) && matchPattern(value, m_Constant(&constant)))
    return read(value, /*isSigned=*/false, /*isTyped=*/true);
  return values.at(value);
}

/// `value` as an operand. `isTyped` tells that nothing around it gives a literal its type.
Expression KernelPrinter::read(Value value, bool isSigned, bool isTyped) {
  TypedAttr constant;
  if (isa<VectorType>(value.getType()) || !matchPattern(value, m_Constant(&constant))) {
    Expression expression = values.at(value);
    return isSigned ? reinterpret(value.getType(), isSigned, expression) : expression;
  }
  if (auto integer = dyn_cast<IntegerAttr>(constant); integer && !value.getType().isInteger(1)) {
    APInt bits = integer.getValue();
    bool isPlain = !isTyped && bits.isSignedIntN(32) && !bits.isMinSignedValue();
    // A small unsigned integer is promoted by its value.
    bool isNegative = bits.isNegative() && (isSigned || bits.getBitWidth() >= 32);
    if (isPlain)
      return {llvm::toString(bits, 10, isNegative),
              isNegative ? Precedence::Prefix : Precedence::Primary};
  }
  return language.spellLiteral(constant, isSigned);
}

Expression KernelPrinter::convert(const std::string &type, const Expression &value) {
  bool isPrefix = language.conversionPrecedence != Precedence::Primary;
  std::string operand = isPrefix ? bind(value, Precedence::Prefix) : value.text;
  return {llvm::formatv(language.conversion.data(), type, operand).str(),
          language.conversionPrecedence};
}

Expression KernelPrinter::convert(Type type, bool isSigned, const Expression &value) {
  std::string spelled = isSigned ? language.spellSigned(type) : language.spellType(type);
  if (!isa<VectorType>(type))
    return convert(spelled, value);
  return {llvm::formatv(language.vectorConversion.data(), spelled, value.text).str()};
}

Expression KernelPrinter::convertTruth(Type compared, Expression value) {
  auto vector = dyn_cast<VectorType>(compared);
  Type element = getElementTypeOrSelf(compared);
  if (!vector || element.isInteger(1) || getWidth(element) == 32)
    return value;
  return convert(vector.clone(IntegerType::get(compared.getContext(), 1)), false, value);
}

Expression KernelPrinter::reinterpret(Type type, bool isSigned, const Expression &value) {
  std::string spelled = isSigned ? language.spellSigned(type) : language.spellType(type);
  if (!isa<VectorType>(type))
    return convert(spelled, value);
  return {llvm::formatv(language.bitcast.data(), spelled, value.text).str()};
}

/// The result of `op` is `value`: written into its user if that is readable, else given a name.
LogicalResult KernelPrinter::define(Operation *op, Expression value) {
  bool isShort = value.precedence == Precedence::Primary && value.text.size() <= 24;
  if ((mayInline(op) && value.text.size() <= maxInlineText) || (isAlwaysInlined(op) && isShort)) {
    // Its type is checked all the same: the text may need an extension for it.
    if (failed(getType(op->getResult(0).getType(), op)))
      return failure();
    values[op->getResult(0)] = std::move(value);
    return success();
  }
  return defineNamed(op, value);
}

LogicalResult KernelPrinter::defineNamed(Operation *op, const Expression &value) {
  FailureOr<std::string> type = getType(op->getResult(0).getType(), op);
  if (failed(type))
    return failure();
  std::string name = makeName(op->getResult(0));
  line(llvm::formatv(language.constant.data(), *type, name, value.text).str());
  values[op->getResult(0)] = {name};
  return success();
}
