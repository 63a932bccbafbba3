// ttile.load, store, index, inside: each a program whose lanes are the elements of the tile.
//===---------------------------------------------------------------------------------------===//
#include "TileProgram.h"

using namespace mlir;
using namespace tw;
using namespace tw::interp;

// Depth 0 is what does not change between executions, depth 1 one execution.
static constexpr unsigned execution = 1;

Program &TileProgram::newProgram(int64_t lanes) {
  programs.push_back(std::make_unique<Program>(func.getContext(), lanes));
  return *programs.back();
}

static TileProgram::Step runOnce(Program &program) {
  // Nothing at depth 0 can fail: index arithmetic only.
  (void)program.runStarts(0);
  return [&program] { return program.runStarts(execution); };
}

// For each element of a tile of `shape` the element of a tile of `source` that it is broadcast
// from.
static SmallVector<int64_t> broadcastOffsets(ArrayRef<int64_t> source, ArrayRef<int64_t> shape) {
  int64_t count = ShapedType::getNumElements(shape);
  SmallVector<int64_t> offsets(count), strides = getRowMajorStrides(source);
  for (int64_t element = 0; element < count; ++element) {
    int64_t rest = element;
    for (int64_t d = int64_t(shape.size()) - 1; d >= 0; rest /= shape[d], --d)
      offsets[element] += source[d] == 1 ? 0 : rest % shape[d] * strides[d];
  }
  return offsets;
}

SmallVector<SplitIndex> TileProgram::tileIndices(Program &program, ArrayRef<int64_t> shape,
                                                 ValueRange operands) {
  Type index = IndexType::get(func.getContext());
  SmallVector<SplitIndex> indices;
  int64_t count = ShapedType::getNumElements(shape), inner = count;
  for (int64_t extent : shape) {
    if (extent == 1) {
      indices.push_back({});
      continue;
    }
    inner /= std::max<int64_t>(extent, 1);
    Register *coordinate = program.newRegister(index, /*isUniform=*/false, 0);
    for (int64_t element = 0; element < count; ++element)
      coordinate->as<int64_t>()[element] = element / inner % extent;
    indices.push_back(program.split(coordinate));
  }
  for (Value operand : operands) {
    bool isUniform = getTileElements(operand.getType()) == 1;
    Register *value = program.newRegister(index, isUniform, execution, slot(operand));
    if (!isUniform && getTileShape(operand.getType()) != shape) {
      Register *spread = program.newRegister(index, /*isUniform=*/false, execution);
      program.before(execution,
                     [=, offsets = broadcastOffsets(getTileShape(operand.getType()), shape)] {
                       for (auto [element, offset] : llvm::enumerate(offsets))
                         spread->as<int64_t>()[element] = value->as<int64_t>()[offset];
                       return success();
                     });
      value = spread;
    }
    indices.push_back(program.split(value));
  }
  return indices;
}

static SmallVector<bool> provedDims(std::optional<ArrayRef<bool>> inBounds) {
  return inBounds ? SmallVector<bool>(*inBounds) : SmallVector<bool>();
}

template <typename Op>
void TileProgram::checkAccess(Op op, Value memory, Value tile, Steps &steps) {
  if (!races && !observe)
    return;
  ArrayRef<int64_t> shape = getTileShape(tile.getType());
  TileAccess access(op, memory, cast<RankedTensorType>(tile.getType()), op.getMap(),
                    std::is_same_v<Op, tile::StoreOp>);
  for (Value index : op.getIndices())
    access.addIndex(reinterpret_cast<const int64_t *>(slot(index)),
                    isa<RankedTensorType>(index.getType())
                        ? broadcastOffsets(getTileShape(index.getType()), shape)
                        : SmallVector<int64_t>(size_t(getTileElements(tile.getType()))));
  steps.push_back([this, access = std::move(access)] {
    if (observe)
      observe(access.getOp(), access.getTouched());
    return races ? races->visit(access) : success();
  });
}

void TileProgram::compileLoad(tile::LoadOp op, Steps &steps) {
  ArrayRef<int64_t> shape = getTileShape(op.getType());
  Program &program = newProgram(getTileElements(op.getType()));
  Access access{
      getMemory(op.getSource()),    op.getMap(), tileIndices(program, shape, op.getIndices()),
      provedDims(op.getInBounds()), op,          execution};
  slots[op.getResult()] = program.toLanes(program.load(access))->lanes;
  steps.push_back(runOnce(program));
  checkAccess(op, op.getSource(), op.getResult(), steps);
}

void TileProgram::compileStore(tile::StoreOp op, Steps &steps) {
  Type type = op.getValue().getType();
  Program &program = newProgram(getTileElements(type));
  Register *value = program.newRegister(getElementTypeOrSelf(type), getTileElements(type) == 1,
                                        execution, slot(op.getValue()));
  Access access{getMemory(op.getDestination()),
                op.getMap(),
                tileIndices(program, getTileShape(type), op.getIndices()),
                provedDims(op.getInBounds()),
                op,
                execution};
  program.store(value, access, execution, /*atEnd=*/false);
  steps.push_back(runOnce(program));
  checkAccess(op, op.getDestination(), op.getValue(), steps);
}

void TileProgram::compileIndex(tile::IndexOp op, Steps &steps) {
  Program &program = newProgram(getTileElements(op.getType()));
  SmallVector<SplitIndex> indices =
      tileIndices(program, getTileShape(op.getType()), op.getIndices());
  Register *value = program.join(program.split(withoutSymbols(op.getMap()).getResult(0), indices));
  slots[op.getResult()] = program.toLanes(value)->lanes;
  steps.push_back(runOnce(program));
}

void TileProgram::compileInside(tile::InsideOp op, Steps &steps) {
  Program &program = newProgram(getTileElements(op.getType()));
  SmallVector<SplitIndex> indices =
      tileIndices(program, getTileShape(op.getType()), op.getIndices());
  slots[op.getResult()] = program.toLanes(program.inside(op.getSet(), indices))->lanes;
  steps.push_back(runOnce(program));
}

void TileProgram::compileBroadcast(tile::BroadcastOp op, Steps &steps) {
  Type type = op.getResult().getType();
  const char *source = slot(op.getSource());
  char *result = slot(op.getResult());
  size_t bytes = size_t(getElementBytes(getElementTypeOrSelf(type)));
  auto offsets = broadcastOffsets(getTileShape(op.getSource().getType()), getTileShape(type));
  steps.push_back([=] {
    for (auto [element, offset] : llvm::enumerate(offsets))
      std::copy_n(source + size_t(offset) * bytes, bytes, result + element * bytes);
    return success();
  });
}

void TileProgram::compileConvert(tile::ConvertOp op, Steps &steps) {
  steps.push_back(copyAll(op.getSource(), op.getResult()));
}

/// sum + x * y with one rounding; integers wrap, of bools exclusive or of and.
template <typename R, typename A, typename B> static R multiplyAdd(R sum, A x, B y) {
  if constexpr (std::is_same_v<R, double>)
    return std::fma(x, y, sum);
  else if constexpr (std::is_same_v<R, float>)
    return float(double(sum) + double(x) * double(y)); // the product of two floats is exact in f64
  else if constexpr (std::is_same_v<R, bool>)
    return sum != (x && y);
  else
    return R(uint64_t(sum) + uint64_t(int64_t(x)) * uint64_t(int64_t(y)));
}

void TileProgram::compileMma(tile::MmaOp op, Steps &steps) {
  ArrayRef<int64_t> lhsShape = getTileShape(op.getLhs().getType());
  ArrayRef<int64_t> rhsShape = getTileShape(op.getRhs().getType());
  ArrayRef<int64_t> sumShape = getTileShape(op.getResult().getType());
  SmallVector<int64_t> shape;
  for (auto [lhs, rhs, sum] : llvm::zip(lhsShape, rhsShape, sumShape))
    shape.push_back(std::max({lhs, rhs, sum}));
  auto run = [&](auto lhsTag, auto rhsTag, auto resultTag) {
    using A = typename decltype(lhsTag)::type;
    using B = typename decltype(rhsTag)::type;
    using R = typename decltype(resultTag)::type;
    steps.push_back([x = reinterpret_cast<const A *>(slot(op.getLhs())),
                     y = reinterpret_cast<const B *>(slot(op.getRhs())),
                     sums = reinterpret_cast<const R *>(slot(op.getAccumulator())),
                     out = reinterpret_cast<R *>(slot(op.getResult())),
                     count = ShapedType::getNumElements(sumShape),
                     a = broadcastOffsets(lhsShape, shape), b = broadcastOffsets(rhsShape, shape),
                     r = broadcastOffsets(sumShape, shape)] {
      std::copy_n(sums, count, out);
      for (size_t i = 0; i < r.size(); ++i)
        out[r[i]] = multiplyAdd(out[r[i]], x[a[i]], y[b[i]]);
      return success();
    });
  };
  visitProduct(getElementTypeOrSelf(op.getLhs().getType()), op.getLhsUnsigned(),
               op.getRhsUnsigned(), getElementTypeOrSelf(op.getResult().getType()), run);
}
