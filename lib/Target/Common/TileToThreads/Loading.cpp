// Threads that do nothing but have rings filled, beside those that read them.
//
//   ttile.store {ttile.box} in a loop   ->   one of the threads that load waits until the slot is
//                                            released, and has the box copied
//   ttile.release %free[slot]           ->   each subgroup of the others is counted there
//
// The program is emitted twice: once its fillings alone, once all the rest.
#include "Emitter.h"
#include "Scalars.h"

#include "tw/Dialect/Tile/GroupAttrs.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

static bool hasFillings(Operation &op) {
  WalkResult result = op.walk([](Operation *inner) {
    return inner->hasAttr(tile::boxAttrName) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// All threads of the program but those that load.
void ThreadEmitter::emitMeeting(Location location) {
  if (role == Role::All) {
    gpu::BarrierOp::create(builder, location);
    return;
  }
  constexpr int32_t number = 1;
  callIntrinsic(location, instructions.roles->meet, Type(),
                {constant(builder.getI32IntegerAttr(number)),
                 constant(builder.getI32IntegerAttr(int32_t(countThreads())))});
}

/// Registers that threads which load have no use for go to the others, where all of them can give
/// theirs at once. Returns how many both have then; 0 where they keep what they have.
static std::pair<int64_t, int64_t> shareRegisters(const ThreadRoles &roles, int64_t others,
                                                  int64_t loading, int64_t subgroup) {
  if (others % (roles.together * subgroup) != 0 || loading % (roles.together * subgroup) != 0)
    return {0, 0};
  int64_t each = std::min(roles.registers / (others + loading), roles.most) / roles.unit;
  each *= roles.unit;
  int64_t more = (each * (others + loading) - roles.few * loading) / others;
  more = std::min(more, roles.most) / roles.unit * roles.unit;
  return each > roles.few && more > each ? std::pair(roles.few, more)
                                         : std::pair(int64_t(0), int64_t(0));
}

LogicalResult ThreadEmitter::emitRoles() {
  Location location = func.getLoc();
  auto atLeast = [&](arith::CmpIPredicate predicate) -> Value {
    return arith::CmpIOp::create(builder, location, predicate, thread,
                                 constant(builder.getIndexAttr(countThreads())));
  };
  auto [few, more] =
      shareRegisters(*instructions.roles, countThreads(), countLoadingThreads(), traits.subgroup);
  auto resize = [&](StringRef intrinsic, int64_t registers) {
    if (registers != 0)
      callIntrinsic(location, intrinsic, Type(),
                    constant(builder.getI32IntegerAttr(int32_t(registers))));
  };
  auto branch = scf::IfOp::create(builder, location, atLeast(arith::CmpIPredicate::uge),
                                  /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  resize(instructions.roles->shrink, few);
  auto one = scf::IfOp::create(builder, location, atLeast(arith::CmpIPredicate::eq),
                               /*withElseRegion=*/false);
  builder.setInsertionPointToStart(one.thenBlock());
  role = Role::Loads;
  IRMapping before = scalars;
  emitWalk();
  if (failed(emitLoading(func.getBody().front())))
    return failure();
  scalars = before;
  role = Role::Others;
  builder.setInsertionPointToStart(branch.elseBlock());
  resize(instructions.roles->grow, more);
  emitWalk();
  return success();
}

/// In programs that walk, a loop over their points; the builder then stands in its body.
void ThreadEmitter::emitWalk() {
  if (!walks())
    return;
  Location location = func.getLoc();
  Value zero = constant(builder.getIndexAttr(0)), one = constant(builder.getIndexAttr(1));
  auto loop = scf::ForOp::create(builder, location, program,
                                 constant(builder.getIndexAttr(func.getNumPrograms())),
                                 constant(builder.getIndexAttr(countPrograms())), ValueRange{zero});
  builder.setInsertionPointToStart(loop.getBody());
  turn = loop.getRegionIterArg(0);
  Value next = arith::SubIOp::create(builder, location, one, turn);
  Operation *end = scf::YieldOp::create(builder, location, next);
  builder.setInsertionPoint(end);
  emitCoordinates(loop.getInductionVar());
}

/// Whether threads share local memory that is neither a ring nor counts for one.
bool ThreadEmitter::sharesOtherMemory() {
  WalkResult result = func.walk([&](tile::AllocOp op) {
    bool isRing = op->hasAttr(tile::swizzleAttrName) || op->hasAttr(tile::arrivalsAttrName) ||
                  op->hasAttr(tile::releasesAttrName);
    return isRing ? WalkResult::advance() : WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

/// What fillings are in the block, and what of scalars they need.
LogicalResult ThreadEmitter::emitLoading(Block &block) {
  for (Operation &op : block) {
    if (auto store = dyn_cast<tile::StoreOp>(op); store && op.hasAttr(tile::boxAttrName)) {
      if (failed(emitBox(store)))
        return failure();
    } else if (auto loop = dyn_cast<scf::ForOp>(op); loop && hasFillings(op)) {
      auto copy =
          scf::ForOp::create(builder, loop.getLoc(), scalars.lookup(loop.getLowerBound()),
                             scalars.lookup(loop.getUpperBound()), scalars.lookup(loop.getStep()));
      scalars.map(loop.getInductionVar(), copy.getInductionVar());
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(copy.getBody());
      if (failed(emitLoading(*loop.getBody())))
        return failure();
    } else if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
               !op.hasTrait<OpTrait::IsTerminator>() &&
               llvm::all_of(op.getOperands(),
                            [&](Value value) { return scalars.contains(value); }) &&
               llvm::none_of(op.getResultTypes(),
                             [](Type type) { return isa<RankedTensorType>(type); })) {
      builder.clone(op, scalars);
    }
  }
  return success();
}

/// A slot that was filled before is filled again when all subgroups have released it.
void ThreadEmitter::emitReuse(tile::StoreOp op, int64_t slot) {
  Value released = releasedOf.lookup(op.getDestination());
  int64_t number = op->getAttrOfType<IntegerAttr>(tile::fillingAttrName).getInt();
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!released || (!loop && number == 0 && !walks()))
    return;
  // Of filling n the release of filling n - 1, which has the other parity.
  Value filling = constant(builder.getIndexAttr(number + 1));
  if (loop)
    filling = arith::AddIOp::create(builder, op.getLoc(), scalars.lookup(loop.getInductionVar()),
                                    filling);
  emitWait(op.getLoc(), released, slot, filling);
}

LogicalResult ThreadEmitter::emitRelease(tile::ReleaseOp op) {
  Location location = op.getLoc();
  Value lane = arith::AndIOp::create(builder, location, thread,
                                     constant(builder.getIndexAttr(traits.subgroup - 1)));
  Value condition = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, lane,
                                          constant(builder.getIndexAttr(0)));
  if (getRange(op.getFilling()).min < 0) {
    Value isThere =
        arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sge,
                              scalars.lookup(op.getFilling()), constant(builder.getIndexAttr(0)));
    condition = arith::AndIOp::create(builder, location, condition, isThere);
  }
  emitText(location, Type(),
           {condition, emitLocalAddress(location, scalars.lookup(op.getReleased()))},
           instructions.boxes->release(op.getSlot()), "b,r,~{memory}");
  return success();
}
