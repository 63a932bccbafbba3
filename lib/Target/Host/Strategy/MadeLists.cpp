// Prices of kernels that the lists of others make, each asked for once.
#include "MadeLists.h"

using namespace mlir;
using namespace tw::kernel;
using namespace tw::schedule;

const MadeLists::Known *MadeLists::find(llvm::hash_code hash, KernelOp kernel,
                                        ArrayRef<Place> places, bool alone) const {
  auto it = known.find(hash);
  if (it == known.end())
    return nullptr;
  for (const Known *each : it->second)
    if (each->alone == alone && ArrayRef(each->places) == places && areEqual(*each->kernel, kernel))
      return each;
  return nullptr;
}

std::optional<HostPrice>
MadeLists::price(KernelOp kernel, const HostTraits &traits, bool alone,
                 llvm::function_ref<std::optional<HostPrice>(KernelOp)> priceOne) {
  SmallVector<Place> places = findPlaces(kernel);
  llvm::hash_code hash = tw::kernel::hash(kernel);
  {
    std::lock_guard lock(mutex);
    if (const Known *found = find(hash, kernel, places, alone))
      return found->price;
  }
  // Two threads may ask for the same, and find the same.
  Known own{copyWithoutOperands(kernel), places, alone, {}};
  kernel.setScheduleAttr(makeHostSchedule(kernel, traits, alone));
  own.price = priceOne(kernel);
  std::optional<HostPrice> price = own.price;
  std::lock_guard lock(mutex);
  if (!find(hash, *own.kernel, places, alone))
    known[hash].push_back(&all.emplace_back(std::move(own)));
  return price;
}
