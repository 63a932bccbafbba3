// Values that do not vary along an axis of the result are stored once, and read along it.
#include "Cleaning.h"
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/AxisSets.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

/// The only store of a kernel without a schedule, of a whole result; null for all other kernels.
static StoreOp getOnlyStore(KernelOp kernel) {
  auto stores = kernel.getBody().getOps<StoreOp>();
  return kernel.getSchedule() || !llvm::hasSingleElement(stores) || (*stores.begin()).getInto()
             ? StoreOp()
             : *stores.begin();
}

// %r = kernel (%i, %j, %k) { %s = reduce .. over (%k)   // the same for each %i
//                            store %s, 0[%i, %j] }
//   ->  %s = kernel (%j, %k) { %s = reduce .. over (%k)
//                              store %s, 0[%j] }
//       %r = kernel (%i, %j) { %v = load %s[%j]
//                              store %v, 0[%i, %j] }
bool kernel::separateRepeated(KernelOp kernel) {
  StoreOp store = getOnlyStore(kernel);
  if (!store || llvm::none_of(kernel.getBody().front(),
                              [](Operation &op) { return isa<ReduceOp, ContractOp, ScanOp>(op); }))
    return false;
  AxisSets sets(kernel);
  const llvm::SmallBitVector &varying = sets.of(store.getValue());
  llvm::SmallBitVector repeated(kernel.getNumAxes());
  for (Value index : store.getIndices())
    repeated.set(cast<BlockArgument>(index).getArgNumber());
  if (repeated.count() != store.getIndices().size())
    return false;
  repeated.reset(varying);
  for (unsigned axis : repeated.set_bits())
    if (!llvm::all_of(kernel.getAxis(axis).getUsers(), llvm::IsaPred<StoreOp>))
      return false;
  if (sets.points(repeated) <= 1)
    return false;

  // The kernel of the whole result, whose axes are those of the store.
  SmallVector<Extent> extents, shape;
  SmallVector<StringRef> names;
  SmallVector<Value> kept;
  for (Value index : store.getIndices()) {
    unsigned axis = cast<BlockArgument>(index).getArgNumber();
    extents.push_back(kernel.getExtent(axis));
    names.push_back(kernel.getAxisName(axis));
    if (repeated[axis])
      continue;
    shape.push_back(extents.back());
    kept.push_back(index);
  }
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(kernel);
  Location loc = kernel.getLoc();
  Value once = kernel.getResult(0);
  auto whole = KernelOp::create(builder, loc, once.getType(), once, extents, names);
  whole.setSymHint("view");
  once.replaceAllUsesExcept(whole.getResult(0), whole);
  once.setType(
      kernel::getTensorType(shape, cast<RankedTensorType>(once.getType()).getElementType()));
  whole.getOperandArgument(0).setType(once.getType());
  builder.setInsertionPointToStart(&whole.getBody().front());
  SmallVector<Value> coordinates;
  for (auto [i, index] : llvm::enumerate(store.getIndices()))
    if (!repeated[cast<BlockArgument>(index).getArgNumber()])
      coordinates.push_back(whole.getAxis(i));
  auto identity = builder.getMultiDimIdentityMap(coordinates.size());
  Value value = createLoad(builder, loc, whole, whole.getOperandArgument(0),
                           view::MapAttr::get(identity), coordinates);
  StoreOp::create(builder, loc, value, whole.getAxes(), 0, store.getMap());

  store.getIndicesMutable().assign(kept);
  store.setMap(identity);
  for (unsigned axis = kernel.getNumAxes(); axis-- > 0;)
    if (repeated[axis])
      eraseAxis(kernel, axis);
  return true;
}
