// The pass launch-hoist-initializer: commands that depend on constants alone run once per program.
//
// Works on what commands read and write, so it needs no marks: a command is hoisted if every buffer
// it touches is a constant or a reservation that hoisted commands alone write.
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Launch/Transforms/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace tw {
#define GEN_PASS_DEF_LAUNCHHOISTINITIALIZERPASS
#include "tw/Dialect/Launch/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::launch;

namespace {

bool isCommand(Operation *op) { return isa<LaunchOp, CopyOp>(op); }

ValueRange getReads(Operation *op) {
  if (auto launch = dyn_cast<LaunchOp>(op))
    return launch.getReads();
  return op->getOperands().take_front(1);
}

ValueRange getWrites(Operation *op) {
  if (auto launch = dyn_cast<LaunchOp>(op))
    return launch.getWrites();
  return op->getOperands().take_back(1);
}

int64_t getBytes(Value buffer) { return cast<BufferType>(buffer.getType()).getBytes(); }

/// Of one host program.
class Hoister {
public:
  Hoister(FuncOp program, double maxGrowth, int64_t freeBytes)
      : program(program), maxGrowth(maxGrowth), freeBytes(freeBytes) {}

  void hoist();

private:
  bool isWriter(Operation *op, Value buffer) { return llvm::is_contained(getWrites(op), buffer); }
  void choose();
  void prune();
  bool dropGrown();
  void dropUnused();
  void mergeEqual();
  SmallVector<Value> getFrontier();
  void rewrite();

  FuncOp program;
  double maxGrowth;
  int64_t freeBytes;
  /// What is hoisted, in order.
  llvm::SmallSetVector<Operation *, 16> chosen;
};

} // namespace

void Hoister::choose() {
  for (Operation &op : program.getBody().front()) {
    if (!isCommand(&op))
      continue;
    bool reads = llvm::all_of(getReads(&op), [](Value buffer) {
      return isa_and_nonnull<GetConstantOp, ReserveOp>(buffer.getDefiningOp());
    });
    bool writes = llvm::all_of(getWrites(&op), [](Value buffer) {
      return isa_and_nonnull<ReserveOp>(buffer.getDefiningOp());
    });
    if (reads && writes)
      chosen.insert(&op);
  }
  prune();
}

/// Drops what touches a reservation that something else writes as well, or nothing, or that is
/// written again after something else has read it.
void Hoister::prune() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto reserve : program.getBody().getOps<ReserveOp>()) {
      Operation *lastWriter = nullptr, *firstOther = nullptr;
      bool ours = true;
      for (Operation *user : reserve->getUsers()) {
        bool isChosen = chosen.contains(user);
        if (!isCommand(user) || isWriter(user, reserve)) {
          ours &= isChosen;
          lastWriter = lastWriter && user->isBeforeInBlock(lastWriter) ? lastWriter : user;
        }
        if (!isChosen && (!firstOther || user->isBeforeInBlock(firstOther)))
          firstOther = user;
      }
      if (lastWriter && ours && (!firstOther || lastWriter->isBeforeInBlock(firstOther)))
        continue;
      for (Operation *user : reserve->getUsers())
        changed |= chosen.remove(user);
    }
  }
}

/// Reservations that hoisted commands write and others read.
SmallVector<Value> Hoister::getFrontier() {
  SmallVector<Value> frontier;
  for (auto reserve : program.getBody().getOps<ReserveOp>()) {
    auto isChosen = [&](Operation *user) { return chosen.contains(user); };
    if (llvm::any_of(reserve->getUsers(), isChosen) && !llvm::all_of(reserve->getUsers(), isChosen))
      frontier.push_back(reserve);
  }
  return frontier;
}

/// Drops what writes a buffer that is not worth its memory; true if there was one.
bool Hoister::dropGrown() {
  llvm::DenseMap<Value, llvm::SmallMapVector<StringAttr, int64_t, 4>> sources;
  for (Operation *op : chosen) {
    llvm::SmallMapVector<StringAttr, int64_t, 4> all;
    for (Value read : getReads(op)) {
      if (auto constant = read.getDefiningOp<GetConstantOp>())
        all.insert({constant.getConstantAttr().getAttr(), getBytes(read)});
      else
        for (auto &source : sources[read])
          all.insert(source);
    }
    for (Value write : getWrites(op))
      for (auto &source : all)
        sources[write].insert(source);
  }
  bool changed = false;
  for (Value buffer : getFrontier()) {
    int64_t from = 0, bytes = getBytes(buffer);
    for (auto &[name, size] : sources[buffer])
      from += size;
    if (bytes <= freeBytes || double(bytes) <= maxGrowth * double(from))
      continue;
    for (Operation *user : buffer.getUsers())
      if (isWriter(user, buffer))
        changed |= chosen.remove(user);
  }
  return changed;
}

/// Drops what leads to nothing that a call reads; not what writes to a buffer of what is kept.
void Hoister::dropUnused() {
  llvm::SmallPtrSet<Operation *, 16> used;
  SmallVector<Value> work = getFrontier();
  while (!work.empty()) {
    Value buffer = work.pop_back_val();
    for (Operation *user : buffer.getUsers())
      if (chosen.contains(user) && isWriter(user, buffer) && used.insert(user).second)
        for (Value operand : user->getOperands())
          if (operand.getDefiningOp<ReserveOp>())
            work.push_back(operand);
  }
  chosen.remove_if([&](Operation *op) { return !used.contains(op); });
}

/// Equal commands on equal values, in buffers that are written once, become one.
void Hoister::mergeEqual() {
  auto hasOneWriter = [&](Value buffer) {
    return llvm::count_if(buffer.getUsers(),
                          [&](Operation *user) { return isWriter(user, buffer); }) == 1;
  };
  using Key = SmallVector<const void *>;
  SmallVector<std::pair<Key, Operation *>> known;
  for (Operation *op : llvm::to_vector(chosen)) {
    auto isSettled = [&](Value buffer) {
      return !buffer.getDefiningOp<ReserveOp>() || hasOneWriter(buffer);
    };
    if (!llvm::all_of(op->getOperands(), isSettled))
      continue;
    Key key = {op->getAttrDictionary().getAsOpaquePointer(), op->getName().getAsOpaquePointer()};
    for (Value read : getReads(op)) {
      auto constant = read.getDefiningOp<GetConstantOp>();
      key.push_back(constant ? constant.getConstantAttr().getAsOpaquePointer()
                             : read.getAsOpaquePointer());
    }
    for (Value write : getWrites(op))
      key.push_back(write.getType().getAsOpaquePointer());
    auto *first = llvm::find_if(known, [&](auto &entry) { return entry.first == key; });
    if (first == known.end()) {
      known.push_back({std::move(key), op});
      continue;
    }
    SmallVector<Value> writes(getWrites(op));
    chosen.remove(op);
    op->erase();
    for (auto [write, same] : llvm::zip(writes, getWrites(first->second))) {
      write.replaceAllUsesWith(same);
      write.getDefiningOp()->erase();
    }
  }
}

void Hoister::rewrite() {
  SmallVector<Value> frontier = getFrontier();
  OpBuilder builder = OpBuilder::atBlockBegin(&program.getBody().front());
  SmallVector<Location> locations;
  for (Operation *op : chosen)
    locations.push_back(op->getLoc());
  auto initialize =
      InitializeOp::create(builder, builder.getFusedLoc(locations), TypeRange(ValueRange(frontier)),
                           IntegerAttr(), IntegerAttr());
  for (auto [buffer, derived] : llvm::zip(frontier, initialize.getDerived()))
    buffer.replaceUsesWithIf(derived,
                             [&](OpOperand &use) { return !chosen.contains(use.getOwner()); });
  Block *body = builder.createBlock(&initialize.getBody());
  llvm::DenseMap<StringAttr, Value> constants;
  for (Operation *op : chosen) {
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *definition = operand.get().getDefiningOp();
      if (auto constant = dyn_cast<GetConstantOp>(definition)) {
        Value &inside = constants[constant.getConstantAttr().getAttr()];
        if (!inside)
          inside = builder.clone(*constant)->getResult(0);
        operand.set(inside);
      } else if (definition->getBlock() != body) {
        definition->moveBefore(body, body->end());
      }
    }
    op->moveBefore(body, body->end());
  }
  builder.setInsertionPointToEnd(body);
  YieldOp::create(builder, initialize.getLoc(), frontier);
  for (auto constant : llvm::make_early_inc_range(program.getBody().getOps<GetConstantOp>()))
    if (constant.use_empty())
      constant.erase();
}

void Hoister::hoist() {
  choose();
  while (dropGrown())
    prune();
  dropUnused();
  if (chosen.empty())
    return;
  mergeEqual();
  rewrite();
}

namespace {

struct LaunchHoistInitializer
    : public tw::impl::LaunchHoistInitializerPassBase<LaunchHoistInitializer> {
  using LaunchHoistInitializerPassBase::LaunchHoistInitializerPassBase;

  void runOnOperation() override {
    for (auto program : getOperation().getOps<FuncOp>()) {
      // Places in the call's arena would mean nothing in the initializer's.
      if (program.getArenaBytes() || !program.getBody().getOps<InitializeOp>().empty())
        continue;
      Hoister(program, maxGrowth, freeBytes).hoist();
    }
  }
};

} // namespace
