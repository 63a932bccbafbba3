// From tlaunch to the module file: sides, loops and what they do to buffers.
#include "ModuleWriter.h"

#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;

static bool isBlock(Operation *op) {
  return isa<launch::IfOp, launch::WhenOp, launch::RepeatOp, launch::WhileOp>(op);
}

int64_t tw::countRuns(Operation *op) {
  int64_t runs = 1;
  for (Operation *loop = launch::getLoop(op); loop; loop = launch::getLoop(loop))
    if (auto repeat = dyn_cast<launch::RepeatOp>(loop))
      if (std::optional<Dim> known = repeat.getIterations(); known && known->isStatic())
        runs = llvm::SaturatingMultiply<uint64_t>(runs, known->getConstant());
  return runs;
}

static unsigned getDepth(Operation *op) {
  unsigned depth = 0;
  for (; isBlock(op); op = op->getParentOp())
    ++depth;
  return depth;
}

/// Where the part of an iteration lies in its whole.
static format::BufferRef addPart(launch::PartOp part, SizeWriter *sizes, format::BufferRef whole,
                                 format::ProgramBuilder &program) {
  RankedTensorType type = cast<launch::BufferType>(part.getType()).getTensor();
  RankedTensorType wholeType = cast<launch::BufferType>(part.getWhole().getType()).getTensor();
  int64_t most = cast<launch::BufferType>(part.getType()).getBytes();
  int64_t element = most / std::max<int64_t>(type.getNumElements(), 1);
  format::RegisterRef bytes =
      view::hasSymbols(type) ? sizes->getBytes(type, element, program) : program.constant(most);
  format::RegisterRef zero = program.constant(0);
  if (!part.getReverse())
    return program.advance(whole, zero, bytes, bytes);
  Dim last = view::getSizes(wholeType).front() - Dim(1);
  format::RegisterRef first = program.arith(format::Opcode::Mul, sizes->get(last, program), bytes);
  return program.advance(whole, first, program.arith(format::Opcode::Sub, zero, bytes), bytes);
}

format::RegisterRef ModuleWriter::getReservedBytes(Operation *op, SizeWriter *sizes,
                                                   format::ProgramBuilder &program) {
  auto reserve = cast<launch::ReserveOp>(op);
  RankedTensorType type = reserve.getType().getTensor();
  int64_t most = reserve.getType().getBytes();
  auto make = [&] {
    return sizes->getBytes(type, most / std::max<int64_t>(type.getNumElements(), 1), program);
  };
  if (llvm::none_of(reserve->getUsers(), llvm::IsaPred<launch::RotateOp>))
    return make();
  auto [it, isNew] = rotatedBytes.try_emplace({reserve->getBlock(), type}, 0);
  if (isNew)
    it->second = make().index;
  return {it->second};
}

LogicalResult ModuleWriter::addBlock(Operation *op, const CompiledTarget &target,
                                     const Symbols &symbols, Buffers &buffers,
                                     format::ProgramBuilder &program, TargetReport *targetReport) {
  if (unsigned depth = getDepth(op); depth > format::maxBlockDepth)
    return emitError(op->getLoc(), Code::T0503)
           << "lies " << depth << " sides and loops deep, a module holds " << format::maxBlockDepth;
  auto add = [&](Region &region) {
    return region.empty()
               ? success()
               : addCommands(region.front(), target, symbols, buffers, program, targetReport);
  };
  if (auto branch = dyn_cast<launch::IfOp>(op)) {
    program.beginIf(buffers.at(branch.getCondition()));
    if (failed(add(branch.getThenRegion())))
      return failure();
    if (!branch.getElseRegion().empty())
      program.beginElse();
    if (failed(add(branch.getElseRegion())))
      return failure();
    program.endIf();
    return success();
  }
  if (auto when = dyn_cast<launch::WhenOp>(op)) {
    program.when(
        symbols.sizes->isWithin(when.getSymbolAttr(), when.getLeast(), when.getMost(), program));
    if (failed(add(when.getThenRegion())))
      return failure();
    program.otherwise();
    if (failed(add(when.getElseRegion())))
      return failure();
    program.endWhen();
    return success();
  }
  auto repeat = dyn_cast<launch::RepeatOp>(op);
  if (!repeat) {
    auto loop = cast<launch::WhileOp>(op);
    format::RegisterRef limit = program.constant(int64_t(loop.getLimit()));
    program.beginWhile(buffers.at(loop.getCondition()), limit);
  } else if (std::optional<Dim> known = repeat.getIterations()) {
    program.repeat(symbols.sizes->get(*known, program));
  } else {
    format::RegisterRef limit = program.constant(int64_t(*repeat.getLimit()));
    program.repeatRead(buffers.at(repeat.getAmount()), limit);
  }
  if (failed(add(op->getRegion(0))))
    return failure();
  // What a body says of places is of its own commands.
  program.setLocation(addLocation(op->getLoc()));
  program.endLoop();
  return success();
}

LogicalResult ModuleWriter::addControl(Operation *op, const CompiledTarget &target,
                                       const Symbols &symbols, Buffers &buffers,
                                       format::ProgramBuilder &program,
                                       TargetReport *targetReport) {
  if (isBlock(op))
    return addBlock(op, target, symbols, buffers, program, targetReport);
  if (auto part = dyn_cast<launch::PartOp>(op)) {
    buffers.try_emplace(part.getResult(),
                        addPart(part, symbols.sizes, buffers.at(part.getWhole()), program));
    return success();
  }
  if (auto rotate = dyn_cast<launch::RotateOp>(op)) {
    program.rotate(buffers.at(rotate.getFirst()), buffers.at(rotate.getSecond()));
    return success();
  }
  if (isa<launch::ReturnOp, launch::YieldOp, launch::EndOp>(op))
    return success();
  return emitError(op->getLoc(), Code::T0503) << "a module cannot hold '" << op->getName() << "'";
}
