// Symbolic dimensions, and creation of ops that may be wrong.
#include "tw/Dialect/Graph/Create.h"
#include "tw/Pipeline/Registration.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/IR/BuiltinOps.h"

#include <gtest/gtest.h>

using namespace mlir;
using tw::haveEqualProducts;
using namespace tw::graph;
using tw::haveEqualProducts;

namespace {

struct Symbols : testing::Test {
  Symbols() {
    DialectRegistry registry;
    tw::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  Dim symbol(StringRef name) { return Dim::symbol(StringAttr::get(&context, name)); }

  MLIRContext context;
};

TEST_F(Symbols, NormalForm) {
  Dim s = symbol("S"), t = symbol("T");
  EXPECT_EQ(t + s, s + t);
  EXPECT_EQ((s + t) - t, s);
  EXPECT_TRUE((s - s).isStatic());
  EXPECT_EQ(toString(t * 2 + s * -1 + Dim(3)), "-1 * S + 2 * T + 3");
  EXPECT_EQ(toString(s - Dim(1)), "S - 1");
  EXPECT_EQ(toString(Dim(-4)), "-4");
  EXPECT_EQ(toString(symbol("batch size")), "\"batch size\"");
  // Sums of hostile numbers wrap.
  EXPECT_EQ((Dim(INT64_MAX) + Dim(1)).getConstant(), INT64_MIN);
  EXPECT_EQ(toString(s + Dim(INT64_MIN)), "S - 9223372036854775808");
}

TEST_F(Symbols, Types) {
  Type f32 = Float32Type::get(&context);
  Shape shape{symbol("S"), Dim(4)};
  RankedTensorType type = getTensorType(shape, f32);
  EXPECT_EQ(type.getDimSize(0), ShapedType::kDynamic);
  EXPECT_EQ(*getShape(type), shape);
  EXPECT_EQ(withElementType(type, IntegerType::get(&context, 1)),
            getTensorType(shape, IntegerType::get(&context, 1)));
  EXPECT_EQ(getTensorType({Dim(2)}, f32), RankedTensorType::get({2}, f32));
  EXPECT_FALSE(getShape(RankedTensorType::get({ShapedType::kDynamic}, f32)));
  EXPECT_FALSE(getShape(f32));
}

TEST_F(Symbols, ByteLength) {
  auto length = [&](ArrayRef<int64_t> shape, Type element) {
    return getByteLength(RankedTensorType::get(shape, element));
  };
  EXPECT_EQ(length({3, 5}, Float32Type::get(&context)), 60u);
  EXPECT_EQ(length({3}, IntegerType::get(&context, 1)), 3u);
  EXPECT_EQ(length({3}, IntegerType::get(&context, 4)), 2u);
  EXPECT_EQ(length({}, Float64Type::get(&context)), 8u);
  EXPECT_EQ(length({INT64_MAX, INT64_MAX, 0}, Float64Type::get(&context)), 0u);
  EXPECT_FALSE(length({INT64_MAX, 4}, Float64Type::get(&context)));
}

TEST_F(Symbols, CreateChecked) {
  Location loc = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  Value x = splat(builder, loc, RankedTensorType::get({2, 3}, builder.getF32Type()), 1);
  auto attribute = [&](ArrayRef<int64_t> permutation) {
    return builder.getNamedAttr("permutation", builder.getDenseI64ArrayAttr(permutation));
  };
  FailureOr<PermuteOp> good = createChecked<PermuteOp>(builder, loc, x, attribute({1, 0}));
  ASSERT_TRUE(succeeded(good));
  EXPECT_EQ(good->getType().getShape(), ArrayRef<int64_t>({3, 2}));
  size_t count = module->getBody()->getOperations().size();
  EXPECT_TRUE(failed(createChecked<PermuteOp>(builder, loc, x, attribute({1, 1}))));
  EXPECT_EQ(message, "'tgraph.permute' op expected each dimension once in the permutation, found 1 "
                     "twice [T0204]");
  EXPECT_EQ(module->getBody()->getOperations().size(), count);
}

TEST_F(Symbols, Broadcast) {
  Location loc = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  Type f32 = builder.getF32Type();
  Value x = splat(builder, loc, RankedTensorType::get({8}, f32), 1);
  auto type = RankedTensorType::get({4, 8, 2}, f32);
  Value y = broadcast(builder, loc, x, 1, type);
  EXPECT_EQ(y.getType(), type);
  auto expand = y.getDefiningOp<ExpandOp>();
  ASSERT_TRUE(expand);
  EXPECT_EQ(expand.getInput().getType().getShape(), ArrayRef<int64_t>({1, 8, 1}));
  // Nothing to do, nothing made.
  EXPECT_EQ(broadcast(builder, loc, y, {0, 1, 2}, type), y);
  EXPECT_TRUE(succeeded(module->verify()));
}

} // namespace
