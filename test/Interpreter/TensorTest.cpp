// Tensors: ownership, attributes.
//===---------------------------------------------------------------------------------------===//
#include "Support.h"

using namespace mlir;
using namespace tw::interp;

using TensorTest = InterpreterTest;

TEST_F(TensorTest, BorrowsWithoutCopying) {
  float memory[3] = {1, 2, 3};
  Tensor tensor = Tensor::borrow(floats({3}), memory);
  tensor.elements<float>()[1] = 7;
  EXPECT_EQ(memory[1], 7);
  Tensor copy = tensor.clone();
  copy.elements<float>()[1] = 9;
  EXPECT_EQ(memory[1], 7);
}

TEST_F(TensorTest, AllocatesZeroes) {
  Tensor tensor = Tensor::allocate(floats({2, 2}));
  EXPECT_TRUE(llvm::all_of(tensor.elements<float>(), [](float x) { return x == 0; }));
  EXPECT_EQ(tensor.getBytes(), 16);
}

TEST_F(TensorTest, HoldsWhatItSays) {
  EXPECT_TRUE(Tensor::isSupported(floats({2})));
  EXPECT_FALSE(Tensor::isSupported(floats({ShapedType::kDynamic})));
  EXPECT_FALSE(Tensor::isSupported(RankedTensorType::get({2}, Float6E2M3FNType::get(&context))));
  EXPECT_FALSE(Tensor::isSupported(IndexType::get(&context)));
}

TEST_F(TensorTest, AttributesRoundTrip) {
  Builder builder(&context);
  auto bools = RankedTensorType::get({3}, builder.getI1Type());
  auto attr = DenseElementsAttr::get(bools, ArrayRef<bool>{true, false, true});
  Tensor tensor = Tensor::fromAttr(attr);
  EXPECT_EQ(tensor.getBytes(), 3);
  EXPECT_TRUE(tensor.elements<bool>()[2]);
  EXPECT_EQ(tensor.toAttr(), attr);

  auto splat = DenseElementsAttr::get(floats({4}), 2.5f);
  EXPECT_EQ(Tensor::fromAttr(splat).elements<float>()[3], 2.5f);
  EXPECT_EQ(Tensor::fromAttr(splat).toAttr(), splat);

  auto values = DenseElementsAttr::get(floats({2}), ArrayRef<float>{1, 2});
  EXPECT_EQ(Tensor::fromAttr(values).toAttr(), values);
  // Borrowed from the attribute.
  EXPECT_EQ(Tensor::fromAttr(values).bytes(), Tensor::fromAttr(values).bytes());
}
