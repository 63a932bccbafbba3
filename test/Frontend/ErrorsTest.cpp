// Errors: their text, their place, and that what follows from one is not reported.
#include "Evaluate.h"

using namespace tw::fe;
using namespace tw::fe::test;

TEST(Errors, PlaceAndText) {
  Module module;
  Function f(module, "main");
  Value x = f.argument("x", f32, {8, 64}), w = f.argument("w", f32, {32, 10});
  const unsigned line = __LINE__ + 1;
  Value y = matmul(x, w);
  EXPECT_FALSE(y.ok());
  EXPECT_FALSE(module.ok());
  // Poison is passed on in silence.
  Value z = softmax(relu(y + 1.0) * x, 5);
  EXPECT_FALSE(z.ok());
  f.returns({{"z", z}});
  ASSERT_EQ(module.errors().size(), 1u);
  const Error &error = module.errors().front();
  EXPECT_EQ(error.message, "matmul: expected one inner size, found 64 of 8x64 and 32 of 32x10");
  EXPECT_EQ(error.code, "T0208");
  EXPECT_FALSE(error.remedy.empty());
  EXPECT_TRUE(error.file.ends_with("ErrorsTest.cpp")) << error.file;
  EXPECT_EQ(error.line, line);
  EXPECT_GT(error.column, 0u);
  EXPECT_FALSE(compile(module));
}

/// Operators are at the operand that becomes an argument.
TEST(Errors, OperatorsHavePlaces) {
  Module module;
  Function f(module, "main");
  Value x = f.argument("x", f32, {8}), w = f.argument("w", f32, {3});
  const unsigned line = __LINE__ + 1;
  Value y = x * w + 1.0;
  ASSERT_EQ(module.errors().size(), 1u);
  EXPECT_EQ(module.errors()[0].message, "multiply: cannot broadcast shapes 8 and 3");
  EXPECT_EQ(module.errors()[0].line, line);
  EXPECT_FALSE(y.ok());
}

TEST(Errors, Texts) {
  struct {
    std::function<Value(Function &, Value)> build;
    const char *expected;
  } const cases[] = {
      {[](Function &, Value x) { return softmax(x, 2); },
       "softmax: expected an axis from -2 to 1 for rank 2, found 2 [T0204]"},
      {[](Function &, Value x) {
         return sum(x, {0, -2});
       },
       "sum: expected each axis once, found -2 twice [T0204]"},
      {[](Function &, Value x) {
         return reshape(x, {5, -1});
       },
       "reshape: expected the other sizes of 5x-1 to divide the elements of 2x3 [T0212]"},
      {[](Function &, Value x) {
         return reshape(x, {4, 2});
       },
       "reshape: expected as many elements in the result as in the operand (2x3), found 4x2 "
       "[T0212]"},
      {[](Function &, Value x) {
         return broadcast_to(x, {2, 4});
       },
       "broadcast_to: cannot broadcast shape 2x3 to 2x4 [T0208]"},
      {[](Function &, Value x) { return x & 1; },
       "bitwise_and: expected integers or bools, found f32 [T0213]"},
      {[](Function &, Value x) { return astype(x, i8) + 300; },
       "add: expected a number that i8 holds, found 300 [T0206]"},
      {[](Function &, Value x) { return astype(x, u64) + astype(x, i64); },
       "add: no integer type holds ui64 and i64; convert one with astype [T0213]"},
      {[](Function &, Value x) { return where(x, x, 0.0); },
       "where: expected a condition of bools, found f32 [T0213]"},
      {[](Function &, Value x) {
         return concat({x, sum(x)});
       },
       "concat: expected operand 1 to differ from 'tensor<2x3xf32>'"},
      {[](Function &, Value x) { return einsum("ij,kj->ik", {x}); },
       "einsum: expected a spec of 1 operands, found \"ij,kj->ik\" [T0207]"},
      {[](Function &, Value x) {
         return einsum("ij,jk->ik", {x, x});
       },
       "einsum: expected one size for letter 'j', found 3 and 2 [T0207]"},
      {[](Function &, Value x) { return conv(x, x); },
       "conv: expected an operand and weights of one rank of at least 3, found ranks 2 and 2"},
      {[](Function &, Value x) { return take(x, x); },
       "take: expected integers as indices, found f32 [T0213]"},
      {[](Function &, Value x) { return slice(x, 0, 1, 0); },
       "slice: expected a step other than 0 [T0206]"},
      {[](Function &, Value x) { return split(x, 2, 1)[0]; },
       "split: expected a number of parts that divides 3, found 2 [T0206]"},
      {[](Function &, Value x) { return mse_loss(x, x, "meen"); },
       "mse_loss: expected the reduction mean, sum or none, found 'meen' [T0214]"},
      {[](Function &, Value x) { return kl_divergence(x, x, "meen"); },
       "kl_divergence: expected the reduction mean, batchmean, sum or none, found 'meen' [T0214]"},
      {[](Function &, Value x) { return kl_divergence(sum(x), sum(x), "batchmean"); },
       "kl_divergence: expected a batch as dimension 0 for the reduction batchmean, found a scalar "
       "[T0208]"},
      {[](Function &, Value x) { return attention(x, x, x); },
       "attention: expected operands of one rank of 3 or more, found 2x3, 2x3 and 2x3"},
      {[](Function &, Value x) { return layer_norm(x, sum(x)); },
       "layer_norm: expected scale of type 'tensor<3xf32>', found 'tensor<f32>' [T0208]"},
      {[](Function &, Value) { return exp(Value()); }, ""},
      {[](Function &, Value x) { return add(x, Value()); }, "add: expected a value, found none"},
      {[](Function &f, Value) {
         return f.constant(std::vector<float>{1, 2}, {3});
       },
       "constant: expected 3 elements, found 2 [T0211]"},
      {[](Function &f, Value) { return f.argument("y", f32, {Dim::symbol("S")}); },
       "argument: symbol 'S' is none of the function; make it with Function::symbol [T0209]"},
      {[](Function &f, Value) { return f.argument("y", DType::C64, {2}); },
       "argument: no tensor has the element type c64 [T0213]"},
      {[](Function &f, Value) {
         f.symbol("S", 4, 2);
         return f.argument("z", f32, {});
       },
       "symbol: "},
      {[](Function &f, Value x) {
         f.setTypical("S", 1);
         return x;
       },
       "setTypical: there is no symbol 'S'; declare it first [T0209]"},
      {[](Function &f, Value x) {
         f.symbol("S", 2, 8, 2);
         f.setTypical("S", 5);
         return x;
       },
       "setTypical: the typical size of 'S' is 5, expected a multiple of 2 from 2 to 8 [T0209]"},
  };
  for (auto &one : cases) {
    std::string errors =
        errorsOf({counting({2, 3})}, [&](Function &f, Values &v) { return one.build(f, v[0]); });
    EXPECT_NE(errors.find(one.expected), std::string::npos)
        << "expected " << one.expected << "\nfound " << errors;
    if (*one.expected)
      EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
  }
}

TEST(Errors, ValuesOfOthers) {
  Module module;
  Function f(module, "f"), g(module, "g");
  Value x = f.argument("x", f32, {2}), y = g.argument("y", f32, {2});
  EXPECT_FALSE((x + y).ok());
  EXPECT_NE(module.errorText().find("add: expected operands of one function, found several"),
            std::string::npos);
  f.returns({x});
  EXPECT_FALSE(relu(x).ok());
  EXPECT_NE(module.errorText().find("relu: the function has returned"), std::string::npos);
}

TEST(Errors, OfCompiling) {
  Module module;
  Function f(module, "main");
  f.argument("x", f32, {2});
  EXPECT_FALSE(compile(module));
  EXPECT_NE(module.errorText().find("function 'main' has not returned"), std::string::npos);
  Module other;
  Function g(other, "main");
  g.returns({relu(g.argument("x", f32, {2}))});
  EXPECT_FALSE(compile(other, {.target = "hots"}));
  ASSERT_FALSE(other.errors().empty());
  EXPECT_EQ(other.errors()[0].code, "T0505");
}
