// The pass launch-hoist-initializer: commands that depend on constants alone run once per program.
//
// Works on what commands read and write, so it needs no marks: a command is hoisted if every buffer
// it touches is a constant or a reservation that hoisted commands alone write.
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Launch/Transforms/Passes.h"
#include "tw/Dialect/View/View.h"

#include "mlir/IR/AttrTypeSubElements.h"
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

/// Whether a command writes to the buffer or to a part of it.
bool isWriter(Operation *op, Value buffer) {
  return llvm::any_of(getWrites(op), [&](Value write) { return getWhole(write) == buffer; });
}

int64_t getBytes(Value buffer) { return cast<BufferType>(buffer.getType()).getBytes(); }

/// Of one host program.
class Hoister {
public:
  Hoister(FuncOp program, double maxGrowth, int64_t freeBytes)
      : program(program), maxGrowth(maxGrowth), freeBytes(freeBytes) {}

  void hoist();

private:
  void choose();
  bool isSettled(ReserveOp reserve);
  void prune();
  bool dropGrown();
  void dropUnused();
  void mergeEqual();
  SmallVector<Value> getFrontier();
  void rewrite();

  FuncOp program;
  double maxGrowth;
  int64_t freeBytes;
  /// In the order of the text.
  llvm::DenseMap<Operation *, size_t> position;
  SmallVector<ReserveOp> reserves;
  /// What is hoisted, in order.
  llvm::SmallSetVector<Operation *, 16> chosen;
};

} // namespace

/// Whether a call settles sizes that the command depends on: some that its kernel names, in
/// whatever form that is.
static bool dependsOnSizes(Operation *op) {
  auto launch = dyn_cast<LaunchOp>(op);
  Operation *kernel =
      launch ? SymbolTable::lookupNearestSymbolFrom(op, launch.getKernelAttr()) : op;
  if (!kernel)
    return false;
  AttrTypeWalker walker;
  walker.addWalk([](view::SizesAttr) { return WalkResult::interrupt(); });
  return kernel
      ->walk([&](Operation *inner) {
        if (walker.walk(inner->getAttrDictionary()).wasInterrupted())
          return WalkResult::interrupt();
        for (Type type :
             llvm::concat<const Type>(inner->getOperandTypes(), inner->getResultTypes()))
          if (walker.walk(type).wasInterrupted())
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

void Hoister::choose() {
  program.walk<WalkOrder::PreOrder>([&](Operation *op) {
    position[op] = position.size();
    if (auto reserve = dyn_cast<ReserveOp>(op))
      reserves.push_back(reserve);
    if (!isCommand(op))
      return;
    bool reads = llvm::all_of(getReads(op), [](Value buffer) {
      return isa_and_nonnull<GetConstantOp, ReserveOp>(buffer.getDefiningOp());
    });
    bool writes = llvm::all_of(getWrites(op), [](Value buffer) {
      return isa_and_nonnull<ReserveOp>(buffer.getDefiningOp());
    });
    if (reads && writes && !dependsOnSizes(op))
      chosen.insert(op);
  });
  prune();
}

/// Whether hoisted commands alone write to a reservation, before anything else reads it. Where they
/// lie in a side or a loop that it is reserved outside of, that is one command, behind which all
/// others come: however often that runs, it is as if it had run once.
bool Hoister::isSettled(ReserveOp reserve) {
  size_t writers = 0, lastWriter = 0, firstReader = SIZE_MAX, firstOther = SIZE_MAX;
  bool straight = true;
  for (Operation *user : getUsers(reserve)) {
    bool isChosen = chosen.contains(user), writes = isWriter(user, reserve);
    // What names a buffer without reading it, such as tlaunch.rotate, gives it away.
    bool reads =
        llvm::any_of(getReads(user), [&](Value read) { return getWhole(read) == reserve; });
    if (!reads && !writes)
      return false;
    if (writes) {
      if (!isChosen)
        return false;
      ++writers;
      lastWriter = std::max(lastWriter, position[user]);
      straight &= user->getBlock() == reserve->getBlock();
    }
    if (reads)
      firstReader = std::min(firstReader, position[user]);
    if (!isChosen)
      firstOther = std::min(firstOther, position[user]);
  }
  if (writers == 0)
    return false;
  return straight ? lastWriter < firstOther : writers == 1 && lastWriter < firstReader;
}

/// Drops what touches a reservation that is not settled.
void Hoister::prune() {
  for (bool changed = true; changed;) {
    changed = false;
    for (ReserveOp reserve : reserves)
      if (!isSettled(reserve))
        for (Operation *user : getUsers(reserve))
          changed |= chosen.remove(user);
  }
}

/// Reservations that hoisted commands write and others read.
SmallVector<Value> Hoister::getFrontier() {
  SmallVector<Value> frontier;
  auto isChosen = [&](Operation *user) { return chosen.contains(user); };
  for (ReserveOp reserve : reserves) {
    SmallVector<Operation *> users = getUsers(reserve);
    if (llvm::any_of(users, isChosen) && !llvm::all_of(users, isChosen))
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
      auto reserve = write.getDefiningOp<ReserveOp>();
      llvm::erase(reserves, reserve);
      reserve.erase();
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
  program.walk([](GetConstantOp constant) {
    if (constant.use_empty())
      constant.erase();
  });
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
