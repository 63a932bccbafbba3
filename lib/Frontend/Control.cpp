// Branches and loops. Regions are built in an op that stands for the one to come, whose results are
// known once they are.
#include "State.h"

#include "mlir/IR/Verifier.h"

using namespace tw::fe;
namespace fe = tw::fe;
using mlir::LogicalResult;
using mlir::OpBuilder;

namespace {

/// Regions in the making, inside of the function where their values and symbols are seen.
class Regions {
public:
  Regions(Scope &s, unsigned count) : s(s) {
    mlir::OperationState state(s.loc(), graph::IfOp::getOperationName());
    for (unsigned i = 0; i != count; ++i)
      state.addRegion();
    op = s.builder().create(state);
  }
  ~Regions() { op->erase(); }

  /// Builds a region of arguments of these types; ends it with what `build` gives, which is empty
  /// after an error.
  template <typename Build>
  SmallVector<mlir::Value> build(unsigned index, mlir::TypeRange types, Build build) {
    OpBuilder::InsertionGuard guard(s.builder());
    SmallVector<mlir::Location> locations(types.size(), s.loc());
    mlir::Block *block = s.builder().createBlock(&op->getRegion(index), {}, types, locations);
    Values arguments, yielded;
    for (mlir::Value argument : block->getArguments())
      arguments.push_back(s.done(argument));
    // What the functions of a caller outside build has places of its own.
    {
      auto *state = detail::Access::state(s.self());
      unsigned depth = std::exchange(state->depth, state->depth - 1);
      mlir::Location location = state->location;
      std::string name = state->name;
      yielded = build(arguments);
      state->depth = depth;
      state->location = location;
      state->name = name;
    }
    SmallVector<mlir::Value> values;
    for (const Value &value : yielded) {
      if (value.isEmpty())
        s.error(misuse, "expected a value of each that is given back, found an empty one");
      if (!value.ok()) {
        failed = true;
        return {};
      }
      values.push_back(unwrap(value));
    }
    graph::YieldOp::create(s.builder(), s.loc(), values);
    return values;
  }

  mlir::Region &get(unsigned index) { return op->getRegion(index); }
  bool failed = false;

private:
  Scope &s;
  mlir::Operation *op;
};

Values resultsOf(Scope &s, mlir::Operation *op) {
  Values values;
  for (mlir::Value value : op->getResults())
    values.push_back(s.done(value));
  return values;
}

/// Checks an op that has its regions; gone, and null, after an error.
template <typename Op> Op check(Scope &s, Op op) {
  if (s.checked([&]() -> LogicalResult { return mlir::verify(op, /*verifyRecursively=*/false); }))
    return op;
  op->erase();
  return {};
}

} // namespace

Values fe::cond(Arg predicate, const std::function<Values()> &then,
                const std::function<Values()> &otherwise) {
  Scope s("cond", predicate);
  mlir::Value condition = s.get(predicate);
  if (!condition)
    return {};
  condition = s.cast(condition, boolean);
  Regions regions(s, 2);
  auto left = regions.build(0, {}, [&](const Values &) { return then(); });
  auto right = regions.build(1, {}, [&](const Values &) { return otherwise(); });
  if (!s || regions.failed)
    return s.poison(std::max(left.size(), right.size()));
  auto op = graph::IfOp::create(s.builder(), s.loc(), mlir::ValueRange(left).getTypes(), condition);
  op.getThenRegion().takeBody(regions.get(0));
  op.getElseRegion().takeBody(regions.get(1));
  op = check(s, op);
  return op ? resultsOf(s, op) : s.poison(left.size());
}

using ScanBody = std::function<Step(const Values &, const Values &)>;

static Values scanIn(Scope &s, const ScanBody &body, const Args &init, const Args &xs,
                     const Dim &length, bool reverse) {
  SmallVector<mlir::Value> carried = s.get(init), slices = s.get(xs);
  if (!s)
    return {};
  SmallVector<mlir::Type> types(mlir::ValueRange(carried).getTypes());
  tw::Dim count = toDim(s.context(), length);
  for (mlir::Value slice : slices) {
    graph::Shape shape = s.shape(slice);
    if (shape.empty() || shape.front() != count) {
      s.error(Code::T0208,
              "expected " + tw::toString(count) + " slices, found " + graph::toString(shape));
      return {};
    }
    types.push_back(graph::getTensorType(ArrayRef(shape).drop_front(), s.element(slice)));
  }
  Regions regions(s, 1);
  size_t stacked = 0;
  auto yielded = regions.build(0, types, [&](const Values &arguments) {
    Values first(arguments.begin(), arguments.begin() + carried.size()),
        rest(arguments.begin() + carried.size(), arguments.end());
    Step step = body(first, rest);
    stacked = step.stacked.size();
    step.carried.insert(step.carried.end(), step.stacked.begin(), step.stacked.end());
    return step.carried;
  });
  if (!s || regions.failed)
    return s.poison(carried.size() + stacked);
  SmallVector<mlir::Type> results;
  for (mlir::Value value : ArrayRef(yielded).take_back(stacked)) {
    graph::Shape shape = s.shape(value);
    shape.insert(shape.begin(), count);
    results.push_back(graph::getTensorType(shape, s.element(value)));
  }
  auto op = graph::ForOp::create(s.builder(), s.loc(), count, carried, slices, results, reverse);
  op.getBody().takeBody(regions.get(0));
  op = check(s, op);
  return op ? resultsOf(s, op) : s.poison(carried.size() + stacked);
}

Values fe::scan(const ScanBody &body, Args init, Args xs, Dim length, bool reverse) {
  Scope s("scan", init, xs);
  return scanIn(s, body, init, xs, length, reverse);
}

Values fe::associative_scan(const std::function<Values(const Values &, const Values &)> &combine,
                            Args xs, int64_t axis, bool reverse) {
  Scope s("associative_scan", xs);
  SmallVector<mlir::Value> inputs = s.get(xs);
  if (!s)
    return {};
  if (inputs.empty()) {
    s.error(Code::T0219, "expected at least one tensor to scan");
    return {};
  }
  axis = s.axis(axis, s.rank(inputs.front()));
  if (!s)
    return s.poison(inputs.size());
  SmallVector<mlir::Type> types;
  for (unsigned side = 0; side < 2; ++side)
    for (mlir::Value input : inputs)
      types.push_back(graph::AssociativeScanOp::getScalarType(input.getType()));
  Regions regions(s, 1);
  regions.build(0, types, [&](const Values &arguments) {
    auto middle = arguments.begin() + inputs.size();
    return combine(Values(arguments.begin(), middle), Values(middle, arguments.end()));
  });
  if (!s || regions.failed)
    return s.poison(inputs.size());
  if (!graph::AssociativeScanOp::takeConstants(regions.get(0))) {
    s.error(Code::T0219, "the combination uses a tensor from around it, of which it sees none: "
                         "give it as one more of the tensors that are scanned");
    return s.poison(inputs.size());
  }
  auto op = graph::AssociativeScanOp::create(s.builder(), s.loc(), inputs, axis, reverse);
  op.getCombine().takeBody(regions.get(0));
  op = check(s, op);
  return op ? resultsOf(s, op) : s.poison(inputs.size());
}

Values fe::fori_loop(Dim length, const std::function<Values(const Value &, const Values &)> &body,
                     Args init) {
  Scope s("fori_loop", init);
  if (!s)
    return {};
  Value counts = iota(s.self(), {length}, 0);
  return scanIn(
      s,
      [&](const Values &carried, const Values &slices) -> Step {
        return {body(slices[0], carried), {}};
      },
      init, {counts}, length, false);
}

Values fe::while_loop(const std::function<Value(const Values &)> &condition,
                      const std::function<Values(const Values &)> &body, Args init, int64_t limit) {
  Scope s("while_loop", init);
  SmallVector<mlir::Value> carried = s.get(init);
  if (!s || carried.empty())
    return {};
  auto predicate = [&](const Values &values) {
    Value holds = condition(values);
    return holds.ok() ? astype(holds, boolean) : holds;
  };
  Value first = predicate(init.values);
  if (!first.ok())
    return s.poison(carried.size());
  carried.insert(carried.begin(), unwrap(first));
  Regions regions(s, 1);
  auto yielded =
      regions.build(0, mlir::ValueRange(carried).getTypes(), [&](const Values &arguments) {
        Values next = body(Values(arguments.begin() + 1, arguments.end()));
        next.insert(next.begin(), predicate(next));
        return next;
      });
  if (!s || regions.failed)
    return s.poison(carried.size() - 1);
  auto op = graph::WhileOp::create(s.builder(), s.loc(), carried, limit);
  op.getBody().takeBody(regions.get(0));
  op = check(s, op);
  if (!op)
    return s.poison(carried.size() - 1);
  Values results = resultsOf(s, op);
  results.erase(results.begin());
  return results;
}
