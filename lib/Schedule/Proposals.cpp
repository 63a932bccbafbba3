// Asking strategies once for equal kernels, and naming values as they do.
#include "Proposals.h"

#include "ProposeForSizes.h"

#include "tw/Dialect/Kernel/Equality.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/KernelAction.h"

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

/// Which operands are constants: strategies may do more for those.
SmallVector<bool> findConstants(KernelOp kernel) {
  return llvm::map_to_vector(kernel.getOperands(),
                             [](Value value) { return matchPattern(value, m_Constant()); });
}

} // namespace

Proposals *ProposalsOfMachines::get(Operation *op, StringRef machine, StringRef traits,
                                    bool exactOnly) {
  std::string key = (machine + " " + traits + (exactOnly ? " exact" : "")).str();
  if (auto it = known.find(key); it != known.end())
    return &it->second;
  std::unique_ptr<Strategy> strategy = makeStrategy(machine);
  if (!strategy) {
    emitError(op->getLoc(), Code::T0501)
        << "option machine: no strategy '" << machine << "'; known are " << listStrategies();
    return nullptr;
  }
  std::string wrong;
  if (!strategy->setMachine(traits, wrong)) {
    emitError(op->getLoc(), Code::T0501) << "option traits: " << wrong;
    return nullptr;
  }
  return &known.try_emplace(key, std::move(strategy), exactOnly).first->second;
}

Proposals::Asked *Proposals::ask(KernelOp kernel, unsigned searchStates) {
  SmallVector<Candidate> proposed;
  auto ask = [&] {
    return runForKernel(*kernel.getContext(), [&] {
      proposed = proposeForSizes(*strategy, kernel, exactOnly, searchStates);
    });
  };
  auto &alike = asked[kernel::hash(kernel)];
  SmallVector<bool> isConstant = findConstants(kernel);
  for (Asked &before : alike)
    if (before.isConstant == isConstant && areEqual(*before.kernel, kernel)) {
      if (before.searchStates < searchStates && strategy->wantsSearch(kernel, *before.candidates) &&
          ask())
        *before.candidates = std::move(proposed);
      before.searchStates = std::max(before.searchStates, searchStates);
      return &before;
    }
  if (!ask())
    return nullptr;
  auto candidates = std::make_unique<SmallVector<Candidate>>(std::move(proposed));
  alike.push_back(
      {copyWithoutOperands(kernel), std::move(isConstant), std::move(candidates), searchStates});
  return &alike.back();
}

ArrayRef<Candidate> Proposals::get(KernelOp kernel, unsigned searchStates) {
  Asked *asked = ask(kernel, searchStates);
  return asked ? ArrayRef<Candidate>(*asked->candidates) : ArrayRef<Candidate>();
}

ArrayRef<RangeCandidate> Proposals::getVariants(KernelOp kernel, unsigned searchStates) {
  Asked *asked = strategy->takesVariants() ? ask(kernel, searchStates) : nullptr;
  if (!asked)
    return {};
  if (!asked->variants) {
    RangeCandidates variants;
    if (!runForKernel(*kernel.getContext(), [&] {
          variants = proposeVariants(*strategy, kernel, exactOnly, *asked->candidates);
        }))
      return {};
    asked->variants = std::make_unique<RangeCandidates>(std::move(variants));
  }
  return *asked->variants;
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
