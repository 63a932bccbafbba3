// Tile programs: slots, dispatch of ops, the grid.
//===---------------------------------------------------------------------------------------===//
#include "TileProgram.h"

#include "tw/Support/Diagnostics.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw;
using namespace tw::interp;

ArrayRef<int64_t> tw::interp::getTileShape(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getShape() : ArrayRef<int64_t>();
}

int64_t tw::interp::getTileElements(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getNumElements() : 1;
}

int64_t tw::interp::getTileBytes(Type type) {
  return getTileElements(type) * getElementBytes(getElementTypeOrSelf(type));
}

TileProgram::TileProgram(tile::FuncOp func, MutableArrayRef<Tensor> buffers, bool checkRaces,
                         const ObserveAccess &observe)
    : func(func), buffers(buffers), observe(observe) {
  if (checkRaces)
    races.emplace();
}

char *TileProgram::slot(Value value) {
  char *&lanes = slots[value];
  if (!lanes) {
    storage.push_back(std::make_unique<uint64_t[]>(size_t(getTileBytes(value.getType()) / 8 + 1)));
    lanes = reinterpret_cast<char *>(storage.back().get());
  }
  return lanes;
}

TileProgram::Step TileProgram::copyAll(ValueRange from, ValueRange to) {
  struct Copy {
    const char *from;
    char *to, *between;
    size_t bytes;
  };
  SmallVector<Copy> copies;
  for (auto [source, result] : llvm::zip(from, to)) {
    if (source == result)
      continue;
    size_t bytes = size_t(getTileBytes(source.getType()));
    storage.push_back(std::make_unique<uint64_t[]>(bytes / 8 + 1));
    copies.push_back(
        {slot(source), slot(result), reinterpret_cast<char *>(storage.back().get()), bytes});
  }
  // All are read before one is written: a loop may yield its own arguments in another order.
  return [copies] {
    for (const Copy &copy : copies)
      std::copy_n(copy.from, copy.bytes, copy.between);
    for (const Copy &copy : copies)
      std::copy_n(copy.between, copy.bytes, copy.to);
    return success();
  };
}

LogicalResult TileProgram::checkTypes(ValueRange values, Operation *op) {
  for (Value value : values)
    if (getElementBytes(getElementTypeOrSelf(value.getType())) == 0)
      return tw::emitOpError(op, Code::T0702)
             << "yields " << value.getType() << ", which is not held";
  return success();
}

LogicalResult TileProgram::compileOp(Operation *op, Steps &steps) {
  if (!isa<tile::AllocOp>(op) && failed(checkTypes(op->getResults(), op)))
    return failure();
  auto done = [](auto &&compile) {
    compile();
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tile::LoadOp op) { return done([&] { compileLoad(op, steps); }); })
      .Case([&](tile::StoreOp op) { return done([&] { compileStore(op, steps); }); })
      .Case([&](tile::IndexOp op) { return done([&] { compileIndex(op, steps); }); })
      .Case([&](tile::InsideOp op) { return done([&] { compileInside(op, steps); }); })
      .Case([&](tile::BroadcastOp op) { return done([&] { compileBroadcast(op, steps); }); })
      .Case([&](tile::MmaOp op) { return done([&] { compileMma(op, steps); }); })
      .Case([&](tile::ConvertOp op) { return done([&] { compileConvert(op, steps); }); })
      .Case([&](tile::AllocOp op) { return done([&] { compileAlloc(op, steps); }); })
      .Case<tile::BarrierOp, tile::AwaitOp, tile::ReleaseOp>([&](auto) {
        if (races)
          steps.push_back([&races = *races] { return races.clear(), success(); });
        return success();
      })
      .Case([&](tile::ReduceOp op) { return compileReduce(op, steps); })
      .Case([&](tile::ScanOp op) { return compileScan(op, steps); })
      .Case([&](arith::ConstantOp op) { return done([&] { compileConstant(op); }); })
      .Case([&](affine::AffineApplyOp op) { return done([&] { compileApply(op, steps); }); })
      .Case([&](scf::ForOp op) { return compileFor(op, steps); })
      .Case([&](scf::ForallOp op) { return compileForall(op, steps); })
      .Case([&](scf::IfOp op) { return compileIf(op, steps); })
      .Default([&](Operation *op) { return compileLanes(op, steps); });
}

LogicalResult TileProgram::compileBlock(Block &block, Steps &steps) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && failed(compileOp(&op, steps)))
      return failure();
  return success();
}

LogicalResult TileProgram::compile() { return compileBlock(func.getBody().front(), steps); }

LogicalResult TileProgram::run() {
  ArrayRef<int64_t> grid = func.getGrid();
  SmallVector<int64_t *> ids;
  for (unsigned i = 0; i < grid.size(); ++i)
    ids.push_back(reinterpret_cast<int64_t *>(slot(func.getProgramId(i))));
  int64_t programs = func.getNumPrograms();
  for (int64_t program = 0; program < programs; ++program) {
    int64_t rest = program;
    for (unsigned i = grid.size(); i-- > 0; rest /= grid[i])
      *ids[i] = rest % grid[i];
    if (races)
      races->clear();
    if (failed(runSteps(steps)))
      return failure();
  }
  return success();
}

LogicalResult tw::interp::run(tile::FuncOp func, MutableArrayRef<Tensor> buffers, bool checkRaces,
                              const ObserveAccess &observe) {
  if (buffers.size() != func.getNumBuffers())
    return tw::emitOpError(func, Code::T0703)
           << "expected " << func.getNumBuffers() << " buffers, found " << buffers.size();
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    auto type = cast<MemRefType>(func.getBuffer(i).getType());
    if (getElementBytes(type.getElementType()) == 0)
      return tw::emitOpError(func, Code::T0702) << "takes " << type << ", which is not held";
    if (buffer.getShape() != type.getShape() || buffer.getElementType() != type.getElementType())
      return tw::emitOpError(func, Code::T0703)
             << "expected buffer " << i << " of type " << type << ", found " << buffer.getType();
  }
  TileProgram program(func, buffers, checkRaces, observe);
  if (failed(program.compile()))
    return failure();
  return program.run();
}
