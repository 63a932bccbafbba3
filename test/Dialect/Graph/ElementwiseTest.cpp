// The scalar expansion of every exact elementwise op, evaluated by folding, against the
// interpreter, which has the semantics written out on its own. The operands are all combinations of
// values at the edges: limits, zeros, infinities, NaN, shift amounts around the width. Poison does
// not fold, so an expansion that makes any fails here.
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Interpreter/Interpreter.h"
#include "tw/Pipeline/Registration.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tw;

namespace {

class Elementwise : public testing::Test {
protected:
  Elementwise() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = ModuleOp::create(UnknownLoc::get(&context));
    builder = std::make_unique<OpBuilder>(&context);
    builder->setInsertionPointToEnd(module->getBody());
    for (unsigned width : {8, 32, 64}) {
      integers.push_back(IntegerType::get(&context, width));
      integers.push_back(IntegerType::get(&context, width, IntegerType::Unsigned));
    }
    integers.push_back(IntegerType::get(&context, 1));
    floats = {Float32Type::get(&context), Float64Type::get(&context)};
    all = integers;
    all.append(floats);
  }

  SmallVector<APInt> edges(Type type) {
    SmallVector<APInt> values;
    if (auto element = dyn_cast<FloatType>(type)) {
      const llvm::fltSemantics &semantics = element.getFloatSemantics();
      for (bool negative : {false, true}) {
        for (const char *text :
             {"0", "1", "0.5", "1.5", "2.5", "2", "3", "0.1", "127.5", "128", "255.5", "256",
              "2147483520", "2147483648", "4294967296", "9223372036854775808", "1e30", "1e-30"}) {
          APFloat value(semantics, text);
          if (negative)
            value.changeSign();
          values.push_back(value.bitcastToAPInt());
        }
        for (const APFloat &value :
             {APFloat::getInf(semantics, negative), APFloat::getLargest(semantics, negative),
              APFloat::getSmallest(semantics, negative)})
          values.push_back(value.bitcastToAPInt());
      }
      values.push_back(APFloat::getNaN(semantics).bitcastToAPInt());
      return values;
    }
    unsigned width = type.getIntOrFloatBitWidth();
    if (width == 1)
      return {APInt(1, 0), APInt(1, 1)};
    for (int64_t value : {0, 1, 2, 3, 5, 7, 8, 9, 31, 32, 33, 63, 64, 65, -1, -2, -3, -7, -8})
      values.push_back(APInt(width, uint64_t(value), true, true));
    for (const APInt &limit : {APInt::getSignedMinValue(width), APInt::getSignedMaxValue(width)}) {
      values.push_back(limit);
      values.push_back(limit + 1);
      values.push_back(limit - 1);
    }
    return values;
  }

  Value constant(Type type, ArrayRef<APInt> bits) {
    auto tensor = RankedTensorType::get(int64_t(bits.size()), type);
    DenseElementsAttr elements;
    if (auto element = dyn_cast<FloatType>(type)) {
      SmallVector<APFloat> values;
      for (const APInt &value : bits)
        values.push_back(APFloat(element.getFloatSemantics(), value));
      elements = DenseElementsAttr::get(tensor, values);
    } else {
      elements = DenseElementsAttr::get(tensor, bits);
    }
    return graph::ConstantOp::create(*builder, UnknownLoc::get(&context), elements);
  }

  // Compares the folded op with the interpreted one on all combinations of edges.
  void check(StringRef name, ArrayRef<Type> operandTypes, Type resultType,
             ArrayRef<NamedAttribute> attributes = {}) {
    SmallVector<SmallVector<APInt>> columns(operandTypes.size());
    SmallVector<SmallVector<APInt>> values;
    size_t total = 1;
    for (Type type : operandTypes) {
      values.push_back(edges(type));
      total *= values.back().size();
    }
    for (size_t row = 0; row != total; ++row) {
      size_t rest = row;
      for (size_t i = 0; i != operandTypes.size(); ++i) {
        columns[i].push_back(values[i][rest % values[i].size()]);
        rest /= values[i].size();
      }
      if (columns[0].size() < 128 && row + 1 != total)
        continue;
      checkColumns(name, operandTypes, resultType, attributes, columns);
      if (HasFailure())
        return;
      for (auto &column : columns)
        column.clear();
    }
  }

  void checkColumns(StringRef name, ArrayRef<Type> operandTypes, Type resultType,
                    ArrayRef<NamedAttribute> attributes, ArrayRef<SmallVector<APInt>> columns) {
    OperationState state(UnknownLoc::get(&context), ("tgraph." + name).str());
    SmallVector<Attribute> constants;
    for (auto [type, column] : llvm::zip_equal(operandTypes, columns)) {
      state.operands.push_back(constant(type, column));
      constants.push_back(state.operands.back().getDefiningOp<graph::ConstantOp>().getValue());
    }
    auto type = RankedTensorType::get(int64_t(columns[0].size()), resultType);
    state.addTypes(type);
    state.addAttributes(attributes);
    Operation *op = builder->create(state);
    SmallVector<OpFoldResult> folded;
    ASSERT_TRUE(succeeded(op->fold(constants, folded))) << name.str() << " does not fold";
    ASSERT_EQ(folded.size(), 1u) << name.str() << " does not fold";
    auto attribute = dyn_cast<Attribute>(folded[0]);
    if (!attribute) // Folded to an operand.
      attribute = cast<Value>(folded[0]).getDefiningOp<graph::ConstantOp>().getValue();
    FailureOr<DenseElementsAttr> expected = interp::evaluateConstant(op->getResult(0));
    ASSERT_TRUE(succeeded(expected)) << name.str() << " is not interpreted";
    auto found = cast<DenseElementsAttr>(attribute);
    ASSERT_EQ(found.getType(), expected->getType());
    for (int64_t i = 0; i != type.getNumElements(); ++i) {
      if (isEqual(found, *expected, i))
        continue;
      std::string text;
      llvm::raw_string_ostream os(text);
      os << name << " of";
      for (Attribute operand : constants)
        os << " " << cast<DenseElementsAttr>(operand).getValues<Attribute>()[i];
      os << ": expanded to " << found.getValues<Attribute>()[i] << ", interpreted as "
         << expected->getValues<Attribute>()[i];
      FAIL() << text;
    }
    op->erase();
    for (Value operand : llvm::reverse(state.operands))
      operand.getDefiningOp()->erase();
  }

  // Bits, but any NaN for any other.
  static bool isEqual(DenseElementsAttr a, DenseElementsAttr b, int64_t i) {
    if (isa<FloatType>(a.getElementType())) {
      APFloat x = a.getValues<APFloat>()[i], y = b.getValues<APFloat>()[i];
      return x.bitwiseIsEqual(y) || (x.isNaN() && y.isNaN());
    }
    return a.getValues<APInt>()[i] == b.getValues<APInt>()[i];
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<OpBuilder> builder;
  SmallVector<Type> integers, floats, all;
};

TEST_F(Elementwise, Unary) {
  for (Type type : all)
    for (StringRef name : {"neg", "abs", "sign"})
      check(name, type, type);
  for (Type type : floats)
    for (StringRef name : {"sqrt", "reciprocal", "floor", "ceil", "round"})
      check(name, type, type);
  for (Type type : floats)
    for (StringRef name : {"is_nan", "is_inf"})
      check(name, type, builder->getI1Type());
  for (Type type : integers)
    check("not", type, type);
}

TEST_F(Elementwise, Binary) {
  for (Type type : all)
    for (StringRef name : {"add", "sub", "mul", "div", "rem", "mod", "minimum", "maximum"})
      check(name, {type, type}, type);
  for (Type type : integers)
    for (StringRef name : {"pow", "and", "or", "xor", "shl", "shr"})
      check(name, {type, type}, type);
}

TEST_F(Elementwise, Compare) {
  for (Type type : all)
    for (int i = 0; i != 6; ++i)
      check("compare", {type, type}, builder->getI1Type(),
            builder->getNamedAttr("predicate", graph::ComparePredicateAttr::get(
                                                   &context, graph::ComparePredicate(i))));
}

TEST_F(Elementwise, Select) {
  for (Type type : all)
    check("select", {builder->getI1Type(), type, type}, type);
}

TEST_F(Elementwise, Clamp) {
  Type types[] = {builder->getI1Type(), builder->getIntegerType(8), builder->getF32Type()};
  for (Type type : types)
    check("clamp", {type, type, type}, type);
}

TEST_F(Elementwise, Cast) {
  for (Type from : all)
    for (Type to : all)
      check("cast", from, to);
}

} // namespace
