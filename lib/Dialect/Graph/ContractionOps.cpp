// contract and conv: registration, syntax, inference of result types.
#include "ShapeInference.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

static ParseResult parseSpec(OpAsmParser &parser, StringAttr &spec) {
  SMLoc place = parser.getCurrentLocation();
  std::string text;
  if (failed(parser.parseOptionalString(&text)))
    return CodedDiagnostic(parser.emitError(place), Code::T0207)
           << "expected a spec like \"bmk,bkn->bmn\" before the operands";
  spec = parser.getBuilder().getStringAttr(text);
  return success();
}

static void printSpec(OpAsmPrinter &printer, ContractOp, StringAttr spec) { printer << spec; }

#define GET_OP_CLASSES
#include "tw/Dialect/Graph/ContractionOps.cpp.inc"

void GraphDialect::registerContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Graph/ContractionOps.cpp.inc"
      >();
}

static LogicalResult checkLetters(const ShapeChecker &check, StringRef letters, StringRef spec) {
  for (auto [i, letter] : llvm::enumerate(letters)) {
    if (!llvm::isAlpha(letter))
      return check.error(Code::T0207, "expected a spec like \"bmk,bkn->bmn\", found \"", spec,
                         "\"");
    if (letters.take_front(i).contains(letter))
      return check.error(Code::T0207, "expected each letter once in \"", letters, "\" of the spec");
  }
  return success();
}

LogicalResult ContractOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ShapeChecker check(location, getOperationName());
  StringRef spec = adaptor.getSpec();
  size_t comma = spec.find(','), arrow = spec.find("->");
  if (comma == StringRef::npos || arrow == StringRef::npos || arrow < comma)
    return check.error(Code::T0207, "expected a spec like \"bmk,bkn->bmn\", found \"", spec, "\"");
  StringRef operandLetters[] = {spec.take_front(comma), spec.slice(comma + 1, arrow)};
  StringRef resultLetters = spec.drop_front(arrow + 2);
  if (failed(checkLetters(check, operandLetters[0], spec)) ||
      failed(checkLetters(check, operandLetters[1], spec)) ||
      failed(checkLetters(check, resultLetters, spec)))
    return failure();
  Type element = getElementTypeOrSelf(adaptor.getLhs());
  if (element != getElementTypeOrSelf(adaptor.getRhs()))
    return check.error(Code::T0213, "expected operands of one element type, found ", element,
                       " and ", getElementTypeOrSelf(adaptor.getRhs()));
  std::array<std::optional<Dim>, 128> sizes;
  Value operands[] = {adaptor.getLhs(), adaptor.getRhs()};
  for (auto [i, letters, operand] : llvm::enumerate(operandLetters, operands)) {
    FailureOr<Shape> shape = check.shape(operand.getType());
    if (failed(shape))
      return failure();
    if (shape->size() != letters.size())
      return check.error(Code::T0207, "expected ", shape->size(), " letters for operand ", i,
                         " of type ", operand.getType(), ", found \"", letters, "\"");
    for (auto [letter, size] : llvm::zip_equal(letters, *shape)) {
      std::optional<Dim> &known = sizes[letter];
      if (known && *known != size)
        return check.error(Code::T0207, "expected one size for letter '", StringRef(&letter, 1),
                           "', found ", toString(*known), " and ", toString(size));
      known = size;
    }
  }
  Shape result;
  for (const char &letter : resultLetters) {
    if (!sizes[letter])
      return check.error(Code::T0207, "expected letter '", StringRef(&letter, 1),
                         "' of the result in an operand, found it in none");
    result.push_back(*sizes[letter]);
  }
  types.push_back(getTensorType(result, element));
  return success();
}

LogicalResult ConvOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ShapeChecker check(location, getOperationName());
  FailureOr<Shape> x = check.shape(adaptor.getInput().getType());
  FailureOr<Shape> w = check.shape(adaptor.getWeights().getType());
  if (failed(x) || failed(w))
    return failure();
  if (x->size() < 3 || w->size() != x->size())
    return check.error(Code::T0208, "expected an operand and weights of one rank of at least 3, ",
                       "found ranks ", x->size(), " and ", w->size());
  Type element = getElementTypeOrSelf(adaptor.getInput());
  if (element != getElementTypeOrSelf(adaptor.getWeights()))
    return check.error(Code::T0213, "expected weights of element type ", element, ", found ",
                       getElementTypeOrSelf(adaptor.getWeights()));
  size_t spatial = x->size() - 2;
  std::pair<StringRef, ArrayRef<int64_t>> lists[] = {{"strides", adaptor.getStrides()},
                                                     {"dilations", adaptor.getDilations()},
                                                     {"pad_low", adaptor.getPadLow()},
                                                     {"pad_high", adaptor.getPadHigh()}};
  for (auto [name, list] : lists)
    if (failed(check.length(name, list, spatial)) ||
        failed(check.range(name, list, name.starts_with("pad") ? 0 : 1)))
      return failure();
  int64_t groups = adaptor.getGroups();
  if (failed(check.range("groups", groups, 1)))
    return failure();
  for (auto [i, size] : llvm::enumerate(*w))
    if (!size.isStatic() || (i > 1 && (size.getConstant() < 1 || size.getConstant() > INT32_MAX)))
      return check.error(Code::T0208,
                         "expected weights with static dimensions, those of the kernel ",
                         "from 1 to ", INT32_MAX, ", found ", toString(size), " for dimension ", i);
  if ((*w)[1] * groups != (*x)[1])
    return check.error(Code::T0208, "expected ", toString((*x)[1]),
                       " channels in groups * dimension ", "1 of the weights, found ", groups,
                       " * ", toString((*w)[1]));
  if ((*w)[0].getConstant() % groups != 0)
    return check.error(Code::T0208, "expected the number of result channels to be a multiple of ",
                       groups, " groups, found ", toString((*w)[0]));
  Shape result{(*x)[0], (*w)[0]};
  for (size_t i = 0; i != spatial; ++i) {
    result.push_back(ShapeChecker::windowed(
        (*x)[i + 2], (*w)[i + 2].getConstant(), adaptor.getStrides()[i], adaptor.getDilations()[i],
        adaptor.getPadLow()[i], adaptor.getPadHigh()[i], adaptor.getOperands()));
  }
  types.push_back(getTensorType(result, element));
  return success();
}
