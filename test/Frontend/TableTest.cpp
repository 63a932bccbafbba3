// Ops.def as data, and calls by name.
#include "Evaluate.h"

#include "tw/Frontend/Bridge.h"
#include "tw/Frontend/Table.h"

#include "llvm/Support/JSON.h"

#include <set>

using namespace tw::fe;
using namespace tw::fe::test;

namespace {

std::string callError(std::string_view op, std::vector<Named> arguments) {
  Module module;
  Function f(module, "main");
  Value x = f.argument("x", f32, {2, 3});
  arguments.insert(arguments.begin(), {"", x});
  call(f, op, arguments, {"user.py", 7, 3});
  return module.errorText();
}

} // namespace

TEST(Table, DescribesEveryOp) {
  std::set<std::string_view> names;
  for (const OpInfo &op : ops()) {
    SCOPED_TRACE(op.name);
    EXPECT_TRUE(names.insert(op.name).second);
    EXPECT_FALSE(op.section.empty());
    EXPECT_TRUE(op.text.ends_with("."));
    EXPECT_FALSE(op.parameters.empty());
    bool optional = false;
    for (const Parameter &parameter : op.parameters) {
      EXPECT_FALSE(parameter.name.empty());
      EXPECT_FALSE(optional && parameter.text.empty()) << "behind one that may be left out";
      optional |= !parameter.text.empty();
    }
  }
  EXPECT_EQ(findOp("softmax")->parameters.size(), 2u);
  EXPECT_EQ(std::get<int64_t>(findOp("softmax")->parameters[1].standard), -1);
  EXPECT_EQ(std::get<double>(findOp("layer_norm")->parameters[4].standard), 1e-5);
  EXPECT_EQ(std::get<std::string>(findOp("mse_loss")->parameters[2].standard), "mean");
  EXPECT_EQ(std::get<DType>(findOp("zeros")->parameters[2].standard), f32);
  EXPECT_EQ(findOp("no such"), nullptr);
  auto json = llvm::json::parse(opsAsJson());
  ASSERT_TRUE(bool(json));
  EXPECT_EQ(json->getAsArray()->size(), ops().size());
}

/// Every op of tgraph is made by a function of the table, a builder of control, or a composite.
TEST(Table, CoversTheDialect) {
  Module module;
  Function f(module, "main");
  std::set<std::string> known;
  auto context = getModule(module).getContext();
  std::vector<std::string> missing;
  // What each makes of operands that suit it.
  Value x = f.argument("x", f32, {4, 4, 4}), i = f.argument("i", i64, {4}),
        t = f.argument("t", boolean, {4, 4, 4});
  auto integers = astype(x, i32);
  for (const OpInfo &op : ops()) {
    for (Value operand : {x, integers, t}) {
      std::vector<Named> arguments;
      for (const Parameter &parameter : op.parameters) {
        if (parameter.kind == Kind::Function)
          continue;
        if (parameter.kind == Kind::Value && parameter.text.empty())
          arguments.push_back({parameter.name, parameter.name == "indices"     ? Value(i)
                                               : parameter.name == "condition" ? t
                                                                               : operand});
        else if (parameter.kind == Kind::Values)
          arguments.push_back({parameter.name, Values{op.section == "Indexing" ? i : operand,
                                                      op.section == "Indexing" ? i : operand}});
        else if (parameter.kind == Kind::Integers && parameter.text.empty())
          arguments.push_back({parameter.name, op.name == "permute_dims"
                                                   ? std::vector<int64_t>{2, 0, 1}
                                                   : std::vector<int64_t>{1, 1, 1}});
        else if (parameter.kind == Kind::Shape)
          arguments.push_back({parameter.name, op.name == "broadcast_to"
                                                   ? std::vector<int64_t>{2, 4, 4, 4}
                                                   : std::vector<int64_t>{64}});
        else if (parameter.kind == Kind::Integer && parameter.text.empty())
          arguments.push_back({parameter.name, int64_t(op.name == "iota" ? 0 : 1)});
        else if (parameter.kind == Kind::Number && parameter.text.empty())
          arguments.push_back({parameter.name, 1.0});
        else if (parameter.kind == Kind::Type && parameter.text.empty())
          arguments.push_back({parameter.name, f16});
        else if (parameter.kind == Kind::Text && parameter.text.empty())
          arguments.push_back(
              {parameter.name, std::string(op.name == "einsum" ? "abc,adc->bd" : "max")});
      }
      if (op.name == "clip")
        arguments.push_back({"min", int64_t(0)}), arguments.push_back({"max", int64_t(1)});
      call(f, op.name, arguments, {});
    }
  }
  bitcast(x, i32);
  scatter(x, {i}, take(x, i));
  random_uniform(full(f, {}, 7, u64), 0, {2});
  batch_norm(x, select(select(x, 0), 0), select(select(x, 0), 0), select(select(x, 0), 0),
             select(select(x, 0), 0));
  getModule(module).walk(
      [&](mlir::Operation *op) { known.insert(op->getName().getStringRef().str()); });
  // Sizes that data decide come from models alone.
  std::set<std::string> control{"tgraph.if", "tgraph.for", "tgraph.while", "tgraph.yield",
                                "tgraph.prefix", "tgraph.associative_scan"};
  size_t all = 0;
  for (mlir::RegisteredOperationName name : context->getRegisteredOperations()) {
    if (name.getDialectNamespace() != "tgraph")
      continue;
    ++all;
    if (!known.count(name.getStringRef().str()) && !control.count(name.getStringRef().str()))
      missing.push_back(name.getStringRef().str());
  }
  EXPECT_GT(all, 60u);
  std::string text;
  for (const std::string &name : missing)
    text += name + " ";
  EXPECT_EQ(text, "") << "add a function to Ops.def";
}

TEST(Table, CallsByName) {
  Array x = counting({2, 3});
  expectNear(evaluate({x},
                      [](Function &f, Values &v) {
                        return call(f, "sum",
                                    std::vector<Named>{
                                        {"", v[0]}, {"keepdims", true}, {"axis", int64_t(1)}},
                                    {})
                            .at(0);
                      }),
             {2, 1}, {3, 12});
  expectNear(evaluate({x},
                      [](Function &f, Values &v) {
                        return call(f, "concat",
                                    std::vector<Named>{{"", Values{v[0], v[0]}}, {"", int64_t(1)}},
                                    {})
                            .at(0);
                      }),
             {2, 6}, {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  expectNear(evaluate({x},
                      [](Function &f, Values &v) {
                        return call(f, "full",
                                    std::vector<Named>{{"", std::vector<int64_t>{2}}, {"", 2.5}},
                                    {})
                            .at(0);
                      }),
             {2}, {2.5, 2.5});
  expectNear(
      evaluate({x},
               [](Function &f, Values &v) {
                 return call(f, "add", std::vector<Named>{{"", v[0]}, {"", int64_t(1)}}, {}).at(0);
               }),
      {2, 3}, {1, 2, 3, 4, 5, 6});
}

TEST(Table, CallsThatDoNotFit) {
  EXPECT_EQ(callError("sofmax", {}).substr(0, 70),
            "user.py:7:3: error: sofmax: no such function; did you mean 'softmax'? ");
  EXPECT_EQ(callError("sum", {{"axes", int64_t(0)}}),
            "user.py:7:3: error: sum: no argument 'axes'; did you mean 'axis'? Known are x, axis, "
            "keepdims [T0506]\n");
  EXPECT_EQ(callError("matmul", {}),
            "user.py:7:3: error: matmul: argument 'x2' is missing [T0506]\n");
  EXPECT_EQ(callError("relu", {{"", int64_t(1)}}),
            "user.py:7:3: error: relu: expected at most 1 arguments, found 2 [T0506]\n");
  EXPECT_EQ(callError("relu", {{"x", int64_t(1)}}),
            "user.py:7:3: error: relu: argument 'x' is given twice [T0506]\n");
  EXPECT_EQ(callError("softmax", {{"axis", 1.5}}),
            "user.py:7:3: error: softmax: expected argument 'axis' to be of kind int [T0506]\n");
  // An error of the op itself has the same place.
  EXPECT_EQ(
      callError("softmax", {{"axis", int64_t(7)}}),
      "user.py:7:3: error: softmax: expected an axis from -2 to 1 for rank 2, found 7 [T0204]\n");
}
