// Reductions by any region, and map.
//
// A region that combines as tgraph.reduce does becomes that op. Any other one combines halves of
// the elements again and again: reductions may combine in any order.
#include "../Regions.h"
#include "../Registry.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

/// Along the last dimension, of which the result has one element.
static std::optional<Values> reduceByHalves(OpImport &op, Values inputs) {
  Emitter &e = op.emit;
  int64_t dim = Emitter::rank(inputs.front()) - 1;
  auto part = [&](int64_t offset, int64_t size) {
    return llvm::map_to_vector(inputs, [&](Value x) { return e.sliceDim(x, dim, offset, size); });
  };
  while (inputs.front() && Emitter::size(inputs.front(), dim) > 1) {
    int64_t size = Emitter::size(inputs.front(), dim), half = size / 2;
    std::optional<Values> joined = op.combine(part(0, half), part(half, half));
    if (!joined)
      return std::nullopt;
    if (size % 2)
      for (auto [value, left] : llvm::zip(*joined, part(size - 1, 1)))
        value = e.concat({value, left}, dim);
    inputs = std::move(*joined);
  }
  return inputs;
}

/// The greatest element and its index, of a value and an iota along the dimension.
static bool reduceArgument(OpImport &op, ShapeRef dims) {
  Emitter &e = op.emit;
  if (op.count() != 4 || op.op.getNumOperands() != 4 || dims.size() != 1)
    return false;
  auto kind = findArgReduction(op.op.getRegion(0));
  Value x = op.operand(0);
  auto iota = op.operand(1).getDefiningOp<graph::IotaOp>();
  if (!kind || !iota || int64_t(iota.getDim()) != dims.front() || !Emitter::size(x, dims.front()))
    return false;
  Type index = op.resultType(1).getElementType();
  // Where all elements are the first value, the index is that of the init, which is the greatest
  // index of none: an init that is an identity loses against every element but equal ones.
  if (!isIdentity(op.known(op.operand(2)), *kind) ||
      op.knownInteger(op.operand(3)) != std::optional<int64_t>(0))
    return false;
  op.result(0, e.reduce(*kind, x, dims));
  op.result(1, e.cast(e.argReduce(*kind, x, dims.front()), index));
  return true;
}

/// Of one operand, by a combination that tgraph.reduce has, in both parts if it is complex.
static bool reduceAsOp(OpImport &op, ShapeRef dims, size_t parts) {
  Emitter &e = op.emit;
  auto kind = findCombination(op.op.getRegion(0));
  if (!kind || (parts > 1 && *kind != graph::CombineKind::Add))
    return false;
  Values results, inits;
  bool isDone = true;
  for (size_t part = 0; part < parts; ++part) {
    Value init = op.operand(2 * part + 1);
    results.push_back(e.reduce(*kind, op.operand(2 * part), dims));
    inits.push_back(e.expand(init, Emitter::shape(results.back())));
    isDone &= isIdentity(op.known(init), *kind);
  }
  std::optional<Values> whole = isDone ? std::move(results) : op.combine(inits, results);
  for (auto [i, value] : llvm::enumerate(whole.value_or(Values())))
    op.resultOrPart(i, value);
  return true;
}

static void importReduce(OpImport &op) {
  Emitter &e = op.emit;
  size_t count = op.op.getNumResults(), whole = op.op.getNumOperands();
  if (!count || whole != 2 * count || !op.hasRegions(1, 2 * count)) {
    op.error(Code::T0104) << "expected " << count << " operands and as many initial values, found "
                          << whole << " in all";
    return;
  }
  auto [inputs, inits] = op.inputsAndInits();
  size_t all = inputs.size();
  Value first = inputs.front();
  Shape dims = op.integers("dimensions");
  if (op.failed() || !op.areDims(dims, Emitter::rank(first), "dimensions"))
    return;
  llvm::sort(dims);
  for (size_t i = 0; i < all; ++i)
    if (Emitter::shape(inputs[i]) != Emitter::shape(first) || Emitter::rank(inits[i]) != 0) {
      op.error(Code::T0111) << "expected operands of one shape and scalars to begin with, found "
                            << inputs[i].getType() << " and " << inits[i].getType();
      return;
    }
  if (count == 1 && reduceAsOp(op, dims, all))
    return;
  if (reduceArgument(op, dims))
    return;
  // Dimensions that stay, then one of all others.
  Shape order, result;
  int64_t combined = 1;
  for (int64_t dim = 0; dim < Emitter::rank(first); ++dim)
    if (!llvm::is_contained(dims, dim)) {
      order.push_back(dim);
      result.push_back(Emitter::size(first, dim));
    }
  for (int64_t dim : dims) {
    order.push_back(dim);
    combined *= Emitter::size(first, dim);
  }
  Shape flat(result);
  flat.push_back(combined);
  for (size_t i = 0; i < all; ++i) {
    inputs[i] = e.reshape(e.permute(inputs[i], order), flat);
    inits[i] = e.expand(inits[i], result);
  }
  if (!combined) {
    for (size_t i = 0; i < all; ++i)
      op.resultOrPart(i, inits[i]);
    return;
  }
  std::optional<Values> joined = reduceByHalves(op, std::move(inputs));
  if (!joined)
    return;
  for (Value &value : *joined)
    value = e.reshape(value, result);
  joined = op.combine(inits, *joined);
  for (size_t i = 0; joined && i < all; ++i)
    op.resultOrPart(i, (*joined)[i]);
}

static void importComplexReduce(OpImport &op) {
  op.appendParts();
  importReduce(op);
}

static void importMap(OpImport &op) {
  if (!op.hasRegions(1, op.count()))
    return;
  if (std::optional<Values> results = op.apply(0, op.allOperands()))
    for (auto [i, value] : llvm::enumerate(*results))
      op.result(i, op.emit.expand(value, Emitter::shape(op.operand(0))));
}

void tw::stablehlo::addReductions(Registry &registry) {
  registry.add("stablehlo.reduce", importReduce);
  registry.addComplex("stablehlo.reduce", importComplexReduce);
  registry.add("stablehlo.map", importMap);
}
