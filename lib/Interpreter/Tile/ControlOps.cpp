// Constants, affine.apply, scf.for, scf.forall and scf.if in tile programs.
//===---------------------------------------------------------------------------------------===//
#include "TileProgram.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::interp;

void TileProgram::compileConstant(arith::ConstantOp op) {
  if (auto elements = dyn_cast<DenseElementsAttr>(op.getValue())) {
    constants.push_back(Tensor::fromAttr(elements));
    slots[op.getResult()] = constants.back().bytes();
    return;
  }
  fillLanes(op.getValue(), slot(op.getResult()), 1);
}

void TileProgram::compileApply(affine::AffineApplyOp op, Steps &steps) {
  programs.push_back(std::make_unique<Program>(func.getContext(), 0));
  Program &program = *programs.back();
  SmallVector<SplitIndex> operands;
  for (Value operand : op.getMapOperands())
    operands.push_back(program.split(
        program.newRegister(operand.getType(), /*isUniform=*/true, 1, slot(operand))));
  SplitIndex value = program.split(withoutSymbols(op.getAffineMap()).getResult(0), operands);
  slots[op.getResult()] = program.join(value)->lanes;
  steps.push_back([&program] { return program.runStarts(1); });
}

LogicalResult TileProgram::compileFor(scf::ForOp op, Steps &steps) {
  steps.push_back(copyAll(op.getInitArgs(), op.getRegionIterArgs()));
  auto body = std::make_shared<Steps>();
  if (failed(checkTypes(op.getRegionIterArgs(), op)) || failed(compileBlock(*op.getBody(), *body)))
    return failure();
  body->push_back(copyAll(op.getYieldedValues(), op.getRegionIterArgs()));
  auto integer = [&](Value value) { return reinterpret_cast<int64_t *>(slot(value)); };
  int64_t *lower = integer(op.getLowerBound()), *upper = integer(op.getUpperBound());
  int64_t *step = integer(op.getStep()), *index = integer(op.getInductionVar());
  steps.push_back([=]() -> LogicalResult {
    for (int64_t i = *lower; i < *upper; i += *step) {
      *index = i;
      if (failed(runSteps(*body)))
        return failure();
    }
    return success();
  });
  steps.push_back(copyAll(op.getRegionIterArgs(), op.getResults()));
  return success();
}

/// The iterations in order, as one thread; for races each counts as a thread of its own, and there
/// is a barrier at both ends.
LogicalResult TileProgram::compileForall(scf::ForallOp op, Steps &steps) {
  auto body = std::make_shared<Steps>();
  if (failed(compileBlock(*op.getBody(), *body)))
    return failure();
  struct Dim {
    const int64_t *lower, *upper, *step;
    int64_t *index;
  };
  auto place = [&](OpFoldResult bound) -> const int64_t * {
    if (auto value = dyn_cast<Value>(bound))
      return reinterpret_cast<int64_t *>(slot(value));
    storage.push_back(std::make_unique<uint64_t[]>(1));
    auto *fixed = reinterpret_cast<int64_t *>(storage.back().get());
    *fixed = *getConstantIntValue(bound);
    return fixed;
  };
  SmallVector<Dim> dims;
  for (auto [lower, upper, step, index] :
       llvm::zip(op.getMixedLowerBound(), op.getMixedUpperBound(), op.getMixedStep(),
                 op.getInductionVars()))
    dims.push_back(
        {place(lower), place(upper), place(step), reinterpret_cast<int64_t *>(slot(index))});
  steps.push_back([this, body, dims]() -> LogicalResult {
    auto count = [](const Dim &dim) {
      return *dim.upper <= *dim.lower ? 0
                                      : llvm::divideCeilSigned(*dim.upper - *dim.lower, *dim.step);
    };
    int64_t iterations = 1;
    for (const Dim &dim : dims)
      iterations *= count(dim);
    if (races)
      races->clear();
    for (int64_t iteration = 0; iteration < iterations; ++iteration) {
      int64_t rest = iteration;
      for (const Dim &dim : llvm::reverse(dims)) {
        *dim.index = *dim.lower + rest % count(dim) * *dim.step;
        rest /= count(dim);
      }
      if (races)
        races->setMember(iteration);
      if (failed(runSteps(*body)))
        return failure();
    }
    if (races) {
      races->setMember(std::nullopt);
      races->clear();
    }
    return success();
  });
  return success();
}

LogicalResult TileProgram::compileIf(scf::IfOp op, Steps &steps) {
  auto compile = [&](Region &region) -> FailureOr<std::shared_ptr<Steps>> {
    auto body = std::make_shared<Steps>();
    if (region.empty())
      return body;
    if (failed(compileBlock(region.front(), *body)))
      return failure();
    body->push_back(copyAll(region.front().getTerminator()->getOperands(), op.getResults()));
    return body;
  };
  FailureOr<std::shared_ptr<Steps>> then = compile(op.getThenRegion()),
                                    otherwise = compile(op.getElseRegion());
  if (failed(then) || failed(otherwise))
    return failure();
  const bool *condition = reinterpret_cast<bool *>(slot(op.getCondition()));
  steps.push_back([=, then = *then, otherwise = *otherwise] {
    return runSteps(*condition ? *then : *otherwise);
  });
  return success();
}
