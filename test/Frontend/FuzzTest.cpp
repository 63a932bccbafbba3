// Every function of the table on operands and arguments at random: an error or a tensor, never an
// end of the process, and what was built is a valid program.
#include "Evaluate.h"

#include "tw/Frontend/Bridge.h"
#include "tw/Frontend/Table.h"

#include "mlir/IR/Verifier.h"

#include <random>

using namespace tw::fe;
using namespace tw::fe::test;

namespace {

class Fuzz {
public:
  explicit Fuzz(unsigned seed) : random(seed), f(module, "main") {
    Dim s = f.symbol("S", 1, 8), t = f.symbol("T", 0, 4, 2);
    std::vector<Shape> shapes{{},     {3},       {2, 3},       {3, 2}, {1, 3},        {2, 0},
                              {4, 4}, {2, 4, 6}, {1, 4, 3, 5}, {s, 4}, {2, s + t, 3}, {s}};
    for (const Shape &shape : shapes)
      for (DType dtype : {f32, i32, boolean, bf16, u8, i64})
        values.push_back(f.argument("", dtype, shape));
  }

  int pick(int count) { return int(random() % unsigned(count)); }
  int64_t integer() {
    constexpr int64_t extremes[] = {INT64_MIN, INT64_MAX, INT32_MAX, -1000000007,
                                    1 << 20,   0,         1,         -1};
    return pick(6) ? pick(9) - 4 : extremes[pick(8)];
  }
  Value value() { return pick(40) ? values[size_t(pick(int(values.size())))] : Value(); }
  Argument argument(Kind kind) {
    switch (pick(60) ? kind : Kind(pick(10))) {
    case Kind::Function:
    case Kind::Value:
      if (pick(6) == 0)
        return pick(2) ? Argument(integer()) : Argument(double(integer()) / 2);
      return value();
    case Kind::Values: {
      Values all;
      for (int i = pick(4); i > 0; --i)
        all.push_back(value());
      return all;
    }
    case Kind::Integer:
      return integer();
    case Kind::Number: {
      constexpr double numbers[] = {0, 1, 0.5, -1, 1e300, HUGE_VAL};
      return pick(8) ? numbers[pick(6)] : std::nan("");
    }
    case Kind::Bool:
      return bool(pick(2));
    case Kind::Integers: {
      if (pick(3) == 0)
        return integer();
      std::vector<int64_t> list;
      for (int i = pick(5); i > 0; --i)
        list.push_back(pick(4) ? pick(4) : integer());
      return list;
    }
    case Kind::Shape: {
      Shape shape;
      for (int i = pick(5); i > 0; --i)
        shape.push_back(pick(8)   ? Dim(pick(5))
                        : pick(2) ? Dim::symbol(pick(2) ? "S" : "U")
                                  : Dim(integer()));
      return shape;
    }
    case Kind::Type:
      return DType(pick(3) ? std::vector<DType>{f32, i32, bf16, u8, i64, boolean}[size_t(pick(6))]
                           : DType(pick(30)));
    case Kind::Text: {
      constexpr const char *texts[] = {"mean", "none", "max",   "add",   "ij,jk->ik", "i->",
                                       "->",   "",     "ab,ab", "aa->a", "abc->cba",  "set"};
      return std::string(texts[pick(12)]);
    }
    }
    return {};
  }
  void step(const OpInfo &op) {
    std::vector<Named> arguments;
    for (const Parameter &parameter : op.parameters)
      if (parameter.kind != Kind::Function && (parameter.text.empty() || pick(2)))
        arguments.push_back({parameter.name, argument(parameter.kind)});
    for (const Value &result : call(f, op.name, arguments, {"fuzz", 1, 1})) {
      // What is huge, or has many dimensions, makes the others so.
      if (!result.ok())
        continue;
      made += 1;
      if (result.rank() < 5 && pick(8) == 0)
        values[size_t(pick(int(values.size())))] = result;
    }
  }

  std::mt19937 random;
  Module module;
  Function f;
  Values values;
  size_t made = 0;
};

} // namespace

TEST(Fuzz, EveryFunction) {
  size_t made = 0;
  // More of them by hand.
  const char *given = getenv("TENSORWRIGHT_FUZZ_SEEDS");
  unsigned seeds = given ? unsigned(atoi(given)) : 8;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    Fuzz fuzz(seed);
    for (int round = 0; round != 6; ++round)
      for (const OpInfo &op : ops()) {
        SCOPED_TRACE(std::string(op.name) + " " + std::to_string(seed));
        fuzz.step(op);
      }
    std::vector<Result> results;
    for (const Value &value : fuzz.values)
      results.push_back(value);
    fuzz.f.returns(results);
    EXPECT_TRUE(mlir::succeeded(mlir::verify(getModule(fuzz.module))))
        << fuzz.module.errors().back().str();
    for (const Error &error : fuzz.module.errors()) {
      EXPECT_FALSE(error.code.empty()) << error.message;
      EXPECT_EQ(error.file, "fuzz") << error.message;
    }
    made += fuzz.made;
  }
  EXPECT_GT(made, 1000u);
}
