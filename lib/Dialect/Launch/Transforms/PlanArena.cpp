// The pass launch-plan-arena: lifetimes of reservations, placed by the planner of the module
// format.
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Launch/Transforms/Passes.h"
#include "tw/Dialect/View/View.h"
#include "tw/Format/Planner.h"
#include "tw/Support/Diagnostics.h"

#include "llvm/ADT/EquivalenceClasses.h"

namespace tw {
#define GEN_PASS_DEF_LAUNCHPLANARENAPASS
#include "tw/Dialect/Launch/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

/// Errors for buffers that no kernel of the target can bind.
LogicalResult checkBindings(launch::FuncOp program, uint64_t maxBinding) {
  bool good = true;
  auto check = [&](Value buffer, Location location, const Twine &what) {
    auto type = cast<launch::BufferType>(buffer.getType());
    if (static_cast<uint64_t>(type.getBytes()) <= maxBinding)
      return;
    good = false;
    emitError(location, Code::T0409)
        << what.str() << " " << type.getTensor() << " of " << type.getBytes()
        << " bytes is larger than the " << maxBinding << " bytes that a buffer of target "
        << program.getTarget() << " may span";
  };
  for (unsigned i = 0; i < program.getBufferTypes().size(); ++i) {
    bool argument = i < program.getNumArguments();
    check(program.getBody().getArgument(i), program.getLoc(),
          (argument ? "argument '" : "result '") + program.getName(i) + "'");
  }
  program.walk([&](Operation *op) {
    if (isa<launch::ReserveOp, launch::GetConstantOp>(op))
      check(op->getResult(0), op->getLoc(), isa<launch::ReserveOp>(op) ? "tensor" : "constant");
  });
  return success(good);
}

/// From the first to the last command at which memory is needed.
struct Lifetime {
  uint32_t first = UINT32_MAX, last = 0;

  void include(const Lifetime &other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
};

/// Lifetimes of the reservations of a program or its initializer, in the order of its text, in
/// which each command takes a number, and each region two around those of its commands.
class Lifetimes {
public:
  explicit Lifetimes(Block &body) {
    number(body);
    for (launch::ReserveOp reserve : reserves)
      lifetimes[reserve] = find(reserve);
    shareRotated();
  }

  /// But for derived constants, which lie in no arena.
  ArrayRef<launch::ReserveOp> getReserves() const { return reserves; }
  Lifetime get(launch::ReserveOp reserve) const { return lifetimes.lookup(reserve); }

private:
  void number(Block &block) {
    for (Operation &op : block) {
      spans[&op].first = next++;
      if (auto reserve = dyn_cast<launch::ReserveOp>(op)) {
        if (llvm::none_of(reserve->getUsers(), llvm::IsaPred<launch::YieldOp>))
          reserves.push_back(reserve);
      } else if (auto rotate = dyn_cast<launch::RotateOp>(op)) {
        rotates.push_back(rotate);
      }
      if (!isa<launch::InitializeOp>(op))
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            number(inner);
      spans[&op].last = next++;
    }
  }

  /// What is used in a loop that it is reserved outside of is needed in all of its iterations.
  Lifetime find(launch::ReserveOp reserve) {
    Lifetime lifetime;
    for (Operation *user : launch::getUsers(reserve)) {
      Lifetime span = spans[user];
      // A side or a loop reads what decides about it; only `while` does so again.
      if (isa<launch::IfOp, launch::RepeatOp>(user))
        span.last = span.first;
      for (Operation *loop = launch::getLoop(user); loop && !loop->isProperAncestor(reserve);
           loop = launch::getLoop(loop))
        span = spans[loop];
      lifetime.include(span);
    }
    // What is never used is placed as if it were at the end.
    return lifetime.first <= lifetime.last ? lifetime : Lifetime{next, next};
  }

  /// Buffers that rotate are each in the other's place sooner or later.
  void shareRotated() {
    llvm::EquivalenceClasses<Operation *> groups;
    for (launch::RotateOp rotate : rotates)
      groups.unionSets(rotate.getFirst().getDefiningOp(), rotate.getSecond().getDefiningOp());
    for (const auto &group : groups) {
      if (!group->isLeader())
        continue;
      Lifetime shared;
      for (Operation *member : groups.members(*group))
        shared.include(lifetimes[member]);
      for (Operation *member : groups.members(*group))
        lifetimes[member] = shared;
    }
  }

  uint32_t next = 0;
  llvm::DenseMap<Operation *, Lifetime> spans, lifetimes;
  SmallVector<launch::ReserveOp> reserves;
  SmallVector<launch::RotateOp> rotates;
};

/// `op` is a program or its initializer.
template <typename Op>
LogicalResult planArena(Op op, StringRef name, int64_t alignment,
                        const format::PlanLimits &limits) {
  Lifetimes lifetimes(op.getBody().front());
  ArrayRef<launch::ReserveOp> reserves = lifetimes.getReserves();
  // Where a call settles sizes, or by them which side of a `when` there is, it plans.
  for (launch::ReserveOp reserve : reserves)
    if (view::hasSymbols(reserve.getType().getTensor()) ||
        reserve->template getParentOfType<launch::WhenOp>())
      return success();
  SmallVector<format::PlanInterval> intervals;
  for (launch::ReserveOp reserve : reserves) {
    Lifetime lifetime = lifetimes.get(reserve);
    intervals.push_back({static_cast<uint64_t>(reserve.getType().getBytes()),
                         static_cast<uint64_t>(alignment), lifetime.first, lifetime.last});
  }
  std::vector<format::Placement> placements(intervals.size());
  std::vector<uint64_t> slabs(std::max<size_t>(1, intervals.size()));
  format::PlanSummary summary;
  uint32_t bad = 0;
  if (format::planArena(intervals, limits, placements, slabs, summary, bad) !=
      format::PlanResult::Ok)
    return emitError(op.getLoc(), Code::T0502)
           << "the buffers of '" << name << "' need more memory than can be addressed";
  OpBuilder builder(op.getContext());
  for (auto [made, placement] : llvm::zip(reserves, placements)) {
    launch::ReserveOp reserve = made;
    reserve.setOffsetAttr(builder.getI64IntegerAttr(placement.offset));
    if (placement.slab != 0)
      reserve.setSlabAttr(builder.getI64IntegerAttr(placement.slab));
  }
  op.setArenaBytesAttr(builder.getI64IntegerAttr(summary.totalBytes));
  op.setLiveBytesAttr(builder.getI64IntegerAttr(summary.peakLiveBytes));
  return success();
}

struct LaunchPlanArena : public tw::impl::LaunchPlanArenaPassBase<LaunchPlanArena> {
  using LaunchPlanArenaPassBase::LaunchPlanArenaPassBase;

  void runOnOperation() override {
    for (auto program : getOperation().getOps<launch::FuncOp>()) {
      StringRef name = program.getSymName();
      if (failed(checkBindings(program, maxBinding)) ||
          failed(planArena(program, name, alignment, {maxSlab})))
        return signalPassFailure();
      for (auto initialize : program.getBody().getOps<launch::InitializeOp>())
        if (failed(planArena(initialize, name, alignment, {maxSlab})))
          return signalPassFailure();
    }
  }
};

} // namespace
