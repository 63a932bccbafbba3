// Constants, affine.apply, scf.for and scf.if in tile programs.
//===---------------------------------------------------------------------------------------===//
#include "TileProgram.h"

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
