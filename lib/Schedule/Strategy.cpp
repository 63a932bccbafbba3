// The registry of strategies, and the names that their lists give.
#include "tw/Schedule/Strategy.h"

#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Primitive.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace tw;
using namespace tw::schedule;

namespace {

/// The values that a list is about.
class Named : public NameSink {
public:
  explicit Named(kernel::ScheduleAttr list) {
    for (Attribute primitive : list.getPrimitives())
      getPrimitive(primitive).getNames(primitive, *this);
  }

  llvm::DenseSet<Attribute> values;

private:
  void nameValue(StringAttr value) override { values.insert(value); }
};

} // namespace

SmallVector<ValueName> schedule::collectNames(kernel::KernelOp kernel, kernel::ScheduleAttr list) {
  Named named(list);
  SmallVector<ValueName> names;
  for (auto [position, op] : llvm::enumerate(kernel.getBody().front()))
    if (StringAttr name = kernel::getValueName(&op); name && named.values.contains(name))
      names.push_back({unsigned(position), name});
  return names;
}

void schedule::giveNames(kernel::KernelOp kernel, ArrayRef<ValueName> names) {
  for (auto [position, op] : llvm::enumerate(kernel.getBody().front())) {
    if (!names.empty() && names.front().position == position) {
      kernel::setValueName(&op, names.front().name);
      names = names.drop_front();
    }
  }
}

Strategy::~Strategy() = default;

SmallVector<Candidate> Strategy::proposeBest(kernel::KernelOp kernel, bool exactOnly,
                                             bool &wantsMore) const {
  SmallVector<Candidate> candidates = propose(kernel, exactOnly, /*searchStates=*/0);
  wantsMore = wantsSearch(kernel, candidates);
  return candidates;
}

static std::map<std::string, MakeStrategy> &getRegistry() {
  static std::map<std::string, MakeStrategy> registry;
  return registry;
}

void schedule::registerStrategy(StringRef machine, MakeStrategy make) {
  getRegistry()[machine.str()] = make;
}

std::unique_ptr<Strategy> schedule::makeStrategy(StringRef machine) {
  auto found = getRegistry().find(machine.str());
  return found == getRegistry().end() ? nullptr : found->second();
}

std::string schedule::listStrategies() {
  return llvm::join(llvm::make_first_range(getRegistry()), ", ");
}
