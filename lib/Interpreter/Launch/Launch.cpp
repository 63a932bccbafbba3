// Host programs: buffers, launches, copies, sides and loops.
//===---------------------------------------------------------------------------------------===//
#include <cmath>

#include "../Graph/Graph.h"

#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Support/Diagnostics.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cstring>
#include <map>

using namespace mlir;
using namespace tw;
using namespace tw::interp;
using namespace tw::launch;

namespace {

class HostProgram {
public:
  HostProgram(FuncOp func, const Options &options) : func(func), options(options) {}

  FailureOr<SmallVector<Tensor>> run(ArrayRef<Tensor> inputs) {
    if (inputs.size() != func.getNumArguments())
      return tw::emitOpError(func, Code::T0703)
             << "expected " << func.getNumArguments() << " inputs, found " << inputs.size();
    SmallVector<Tensor> results;
    for (auto [i, argument] : llvm::enumerate(func.getBody().getArguments())) {
      RankedTensorType type = typeOf(argument);
      if (!Tensor::isSupported(type))
        return tw::emitOpError(func, Code::T0702) << "takes " << type << ", which is not held";
      if (i < inputs.size() && inputs[i].getType() != type)
        return tw::emitOpError(func, Code::T0703) << "expected input " << i << " of type " << type
                                                  << ", found " << inputs[i].getType();
      if (i >= inputs.size() && failed(Tensor::checkMemory(func, type)))
        return failure();
      values[argument] = i < inputs.size() ? inputs[i] : Tensor::allocate(type);
      // What is given up becomes a result: a copy, since the caller's is not changed.
      if (i < inputs.size() && func.getAlias(i) >= 0) {
        values[argument] = Tensor::allocate(type);
        std::memcpy(values[argument].bytes(), inputs[i].bytes(), size_t(inputs[i].getBytes()));
      }
      for (unsigned given = 0; given < inputs.size(); ++given)
        if (i >= inputs.size() && func.getAlias(given) == int64_t(i - inputs.size()))
          values[argument] = values[func.getArgument(given)];
      if (i >= inputs.size())
        results.push_back(values[argument]);
    }
    if (failed(runBlock(func.getBody().front(), func.getArenaBytes())))
      return failure();
    return takeCounted(func.getLoc(), results, func.getResultCounts());
  }

private:
  static RankedTensorType typeOf(Value buffer) {
    return cast<BufferType>(buffer.getType()).getTensor();
  }

  /// Runs commands in an arena of their own, which is gone afterwards.
  LogicalResult runBlock(Block &block, std::optional<uint64_t> bytes) {
    std::optional<uint64_t> outerBytes = std::exchange(arenaBytes, bytes);
    Slabs outer = std::exchange(slabs, {});
    if (failed(allocateSlabs(block)) || failed(runCommands(block)))
      return failure();
    slabs = std::move(outer);
    arenaBytes = outerBytes;
    return success();
  }

  LogicalResult runCommands(Block &block) {
    for (Operation &op : block)
      if (failed(runOp(&op)))
        return failure();
    return success();
  }

  template <typename T> T readScalar(Value buffer) { return values[buffer].elements<T>().front(); }

  LogicalResult runIf(IfOp op) {
    Region &side = readScalar<uint8_t>(op.getCondition()) ? op.getThenRegion() : op.getElseRegion();
    return side.empty() ? success() : runCommands(side.front());
  }

  /// Iteration `number` of a loop, from 0 on.
  LogicalResult runBody(Region &body, int64_t number) {
    int64_t outer = std::exchange(iteration, number);
    LogicalResult result = runCommands(body.front());
    iteration = outer;
    return result;
  }

  LogicalResult repeat(RepeatOp op) {
    std::optional<Dim> known = op.getIterations();
    if (known && !known->isStatic())
      return tw::emitOpError(op, Code::T0701)
             << "repeats " << toString(*known) << " times, which is not settled";
    int64_t count = known ? known->getConstant() : readScalar<int64_t>(op.getAmount());
    if (!known && count > int64_t(*op.getLimit()))
      return tw::emitOpError(op, Code::T0709)
             << "is to repeat " << count << " times, its limit is " << *op.getLimit();
    for (int64_t i = 0; i < count; ++i)
      if (failed(runBody(op.getBody(), i)))
        return failure();
    return success();
  }

  LogicalResult runWhile(WhileOp op) {
    for (int64_t i = 0; readScalar<uint8_t>(op.getCondition()); ++i) {
      if (i == int64_t(op.getLimit()))
        return tw::emitOpError(op, Code::T0709)
               << "would go on after " << i << " iterations, which are its limit";
      if (failed(runBody(op.getBody(), i)))
        return failure();
    }
    return success();
  }

  LogicalResult takePart(PartOp op) {
    Tensor &whole = values[op.getWhole()];
    int64_t parts = whole.getShape().front();
    int64_t number = op.getReverse() ? parts - 1 - iteration : iteration;
    if (number < 0 || number >= parts)
      return tw::emitOpError(op, Code::T0705) << "takes part " << number << " of " << parts;
    RankedTensorType type = typeOf(op.getResult());
    if (!Tensor::isSupported(type))
      return tw::emitOpError(op, Code::T0702) << "has type " << type << ", which is not held";
    int64_t bytes = whole.getBytes() / parts;
    values[op.getResult()] = Tensor::borrow(type, whole.bytes() + number * bytes);
    return success();
  }

  LogicalResult initialize(InitializeOp op) {
    if (failed(runBlock(op.getBody().front(), op.getArenaBytes())))
      return failure();
    ValueRange buffers = op.getBody().front().getTerminator()->getOperands();
    for (auto [derived, buffer] : llvm::zip(op.getDerived(), buffers))
      values.try_emplace(derived, values.lookup(buffer));
    return success();
  }

  LogicalResult runOp(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](GetConstantOp op) { return getConstant(op); })
        .Case([&](ReserveOp op) { return reserve(op); })
        .Case([&](LaunchOp op) { return launch(op); })
        .Case([&](CopyOp op) {
          const Tensor &source = values[op.getSource()];
          std::memcpy(values[op.getDestination()].bytes(), source.bytes(),
                      size_t(source.getBytes()));
          return success();
        })
        .Case([&](InitializeOp op) { return initialize(op); })
        .Case([&](IfOp op) { return runIf(op); })
        .Case([&](WhenOp op) {
          return tw::emitOpError(op, Code::T0701)
                 << "is chosen by size '" << op.getSymbol() << "', which is not settled";
        })
        .Case([&](RepeatOp op) { return repeat(op); })
        .Case([&](WhileOp op) { return runWhile(op); })
        .Case([&](PartOp op) { return takePart(op); })
        .Case([&](RotateOp op) {
          std::swap(values[op.getFirst()], values[op.getSecond()]);
          return success();
        })
        .Case<ReturnOp, YieldOp, EndOp>([](auto) { return success(); })
        .Default([&](Operation *op) {
          return tw::emitOpError(op, Code::T0701) << "cannot be interpreted in a host program";
        });
  }

  LogicalResult getConstant(GetConstantOp op) {
    auto constant = SymbolTable::lookupNearestSymbolFrom<ConstantOp>(op, op.getConstantAttr());
    if (!constant)
      return tw::emitOpError(op, Code::T0701) << "names no constant";
    FailureOr<Tensor> value = readConstant(constant, constant.getValue(),
                                           cast<RankedTensorType>(constant.getType()), options);
    if (failed(value))
      return failure();
    values[op.getResult()] = *value;
    return success();
  }

  LogicalResult allocateSlabs(Block &block) {
    if (!arenaBytes)
      return success();
    SmallVector<ReserveOp> reserves;
    block.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto reserve = dyn_cast<ReserveOp>(op))
        reserves.push_back(reserve);
      return isa<InitializeOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    for (ReserveOp op : reserves) {
      if (!op.getOffset())
        continue;
      if (RankedTensorType type = typeOf(op.getResult()); !Tensor::isSupported(type))
        return tw::emitOpError(op, Code::T0702) << "has type " << type << ", which is not held";
      int64_t offset = *op.getOffset(), limit = int64_t(*arenaBytes);
      int64_t end = 0;
      if (offset < 0 ||
          llvm::AddOverflow(offset, cast<BufferType>(op.getResult().getType()).getBytes(), end) ||
          end > limit)
        return tw::emitOpError(op, Code::T0705)
               << "lies outside of the arena of " << limit << " bytes";
      auto bytes = RankedTensorType::get({end}, IntegerType::get(op.getContext(), 8));
      if (failed(Tensor::checkMemory(op, Type(bytes))))
        return failure();
      std::vector<uint64_t> &slab = slabs[op.getSlab().value_or(0)];
      slab.resize(std::max(slab.size(), size_t(end) / 8 + 1), ~uint64_t(0));
    }
    return success();
  }

  // A planned buffer lies in a slab of the arena, whose bytes are all ones at first (NaN as
  // floats): a plan that gives two living buffers the same place, or a kernel that reads what
  // nobody wrote, shows.
  LogicalResult reserve(ReserveOp op) {
    RankedTensorType type = typeOf(op.getResult());
    if (!Tensor::isSupported(type))
      return tw::emitOpError(op, Code::T0702) << "has type " << type << ", which is not held";
    if (!op.getOffset() || !arenaBytes) {
      if (failed(Tensor::checkMemory(op, type)))
        return failure();
      Tensor tensor = Tensor::allocate(type);
      std::memset(tensor.bytes(), 0xff, size_t(tensor.getBytes()));
      values[op.getResult()] = tensor;
      return success();
    }
    char *slab = reinterpret_cast<char *>(slabs[op.getSlab().value_or(0)].data());
    values[op.getResult()] = Tensor::borrow(type, slab + *op.getOffset());
    return success();
  }

  LogicalResult launch(LaunchOp op) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<tile::FuncOp>(op, op.getKernelAttr());
    if (!kernel)
      return tw::emitOpError(op, Code::T0701) << "launches no ttile.func";
    SmallVector<Tensor> buffers;
    for (Value buffer : op.getOperands())
      buffers.push_back(values[buffer]);
    if (auto offsets = op.getOffsets())
      for (auto [i, offset] : llvm::enumerate(*offsets)) {
        auto rows = cast<MemRefType>(kernel.getBuffer(i).getType());
        Tensor part = Tensor::borrow(RankedTensorType::get(rows.getShape(), rows.getElementType()),
                                     buffers[i].bytes() + offset);
        if (offset + part.getBytes() > buffers[i].getBytes())
          return tw::emitOpError(op, Code::T0701) << "reads beyond the end of buffer " << i;
        buffers[i] = part;
      }
    // A kernel may address a tensor as one row of its elements.
    SmallVector<Tensor> rows(buffers);
    for (auto [i, row] : llvm::enumerate(rows)) {
      auto type = cast<MemRefType>(kernel.getBuffer(i).getType());
      if (type.getRank() == 1 && row.getNumElements() == type.getNumElements())
        row = Tensor::borrow(RankedTensorType::get(type.getShape(), row.getElementType()),
                             buffers[i].bytes());
    }
    if (failed(interp::run(kernel, rows)))
      return failure();
    if (options.observe)
      options.observe(op, ArrayRef(buffers).drop_front(op.getReads().size()));
    return success();
  }

  FuncOp func;
  const Options &options;
  using Slabs = std::map<uint64_t, std::vector<uint64_t>>;
  std::optional<uint64_t> arenaBytes;
  Slabs slabs;
  llvm::DenseMap<Value, Tensor> values;
  /// Of the innermost loop that runs.
  int64_t iteration = 0;
};

} // namespace

FailureOr<SmallVector<Tensor>> tw::interp::evaluate(FuncOp func, ArrayRef<Tensor> inputs,
                                                    const Options &options) {
  return HostProgram(func, options).run(inputs);
}
