// Lists of kernels that the lists of others make, each asked for once.
#include "MadeLists.h"

#include "tw/Dialect/Kernel/MadeOnce.h"

using namespace mlir;
using namespace tw::kernel;
using namespace tw::schedule;

const MadeLists::Known *MadeLists::find(llvm::hash_code hash, KernelOp kernel,
                                        ArrayRef<bool> madeOnce) const {
  auto it = known.find(hash);
  if (it == known.end())
    return nullptr;
  for (const Known *each : it->second)
    if (ArrayRef(each->madeOnce) == madeOnce && areEqual(*each->kernel, kernel))
      return each;
  return nullptr;
}

ScheduleAttr MadeLists::get(KernelOp kernel, const HostTraits &traits) {
  SmallVector<bool> madeOnce;
  for (Value operand : kernel->getOperands())
    madeOnce.push_back(isMadeOnce(operand));
  llvm::hash_code hash = tw::kernel::hash(kernel);
  {
    std::lock_guard lock(mutex);
    if (const Known *found = find(hash, kernel, madeOnce)) {
      giveNames(kernel, found->names);
      return found->list;
    }
  }
  // Two threads may ask for the same, and find the same.
  Known own{copyWithoutOperands(kernel), madeOnce, {}, {}};
  own.list = makeHostSchedule(kernel, traits);
  own.names = collectNames(kernel, own.list);
  ScheduleAttr list = own.list;
  std::lock_guard lock(mutex);
  if (!find(hash, *own.kernel, madeOnce))
    known[hash].push_back(&all.emplace_back(std::move(own)));
  return list;
}
