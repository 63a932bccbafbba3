// Asking strategies once for equal kernels, and naming values as they do.
#include "Proposals.h"

#include "tw/Dialect/Kernel/Equality.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Primitive.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class KnownNames : public NameSink {
public:
  explicit KnownNames(KernelOp kernel) {
    for (Operation &op : kernel.getBody().front())
      known.insert(getValueName(&op));
  }

  bool areAll = true;

private:
  void nameValue(StringAttr value) override { areAll &= known.contains(value); }
  void makeValues(ArrayRef<StringAttr> values) override { known.insert_range(values); }

  llvm::DenseSet<Attribute> known;
};

/// Strategies may do more for operands that are constant.
bool readAlike(KernelOp a, KernelOp b) {
  return llvm::all_of(llvm::zip_equal(a.getOperands(), b.getOperands()), [](auto pair) {
    auto isConstant = [](Value value) { return matchPattern(value, m_Constant()); };
    return isConstant(std::get<0>(pair)) == isConstant(std::get<1>(pair));
  });
}

} // namespace

Proposals::Answer Proposals::get(KernelOp kernel) {
  auto &alike = asked[kernel::hash(kernel)];
  for (Asked &before : alike)
    if (areEqual(*before.kernel, kernel) && readAlike(*before.kernel, kernel))
      return {*before.candidates, true};
  auto candidates = std::make_unique<SmallVector<Candidate>>(
      strategy.propose(kernel, exactOnly, searchStates));
  alike.push_back({OwningOpRef<KernelOp>(kernel.clone()), std::move(candidates)});
  return {*alike.back().candidates, false};
}

bool schedule::namesAreKnown(KernelOp kernel, ScheduleAttr list) {
  KnownNames names(kernel);
  for (Attribute primitive : list.getPrimitives())
    getPrimitive(primitive).getNames(primitive, names);
  return names.areAll;
}

void schedule::nameAsProposed(KernelOp kernel, ScheduleAttr list, ArrayRef<Candidate> candidates) {
  OwningOpRef<KernelOp> copy(kernel.clone());
  SmallVector<Operation *> ops(llvm::make_pointer_range(copy->getBody().front()));
  auto name = [&](const Candidate &candidate) {
    for (auto [position, name] : candidate.names)
      if (!getValueName(ops[position]) && !findValue(*copy, name))
        setValueName(ops[position], name);
  };
  // First as the strategy did whose list it is.
  for (bool isEqual : {true, false})
    for (const Candidate &candidate : candidates)
      if ((candidate.schedule == list) == isEqual)
        name(candidate);
  giveNames(kernel, collectNames(*copy, list));
}
