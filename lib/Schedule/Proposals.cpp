// Asking strategies once for equal kernels, and naming values as they do.
#include "Proposals.h"

#include "tw/Dialect/Kernel/Equality.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Schedule/Strides.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/IR/Threading.h"
#include "llvm/ADT/SetVector.h"

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

/// Which operands are constants, and which of those lie in files: strategies may do more for the
/// former, and the latter may be of any alignment.
SmallVector<std::pair<bool, bool>> findConstants(KernelOp kernel) {
  return llvm::map_to_vector(kernel.getOperands(), [](Value value) {
    return std::pair(matchPattern(value, m_Constant()), isInFile(value));
  });
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

KernelProposals &Proposals::find(KernelOp kernel) {
  auto &alike = known[kernel::hash(kernel)];
  SmallVector<std::pair<bool, bool>> constants = findConstants(kernel);
  auto *found = llvm::find_if(alike, [&](Known *each) {
    return each->constants == constants && areEqual(each->proposals.getKernel(), kernel);
  });
  Known *own = found != alike.end() ? *found : nullptr;
  if (!own)
    own = alike.emplace_back(&all.emplace_back(std::move(constants), *strategy, kernel, exactOnly));
  for (const Variant &apart : kernel::getVariants(kernel, apartAttrName))
    own->proposals.leaveOut({apart.symbol, apart.least, apart.most});
  return own->proposals;
}

void Proposals::ask(ArrayRef<KernelOp> kernels,
                    llvm::function_ref<void(KernelProposals &)> askOne) {
  llvm::SetVector<KernelProposals *> open;
  for (KernelOp kernel : kernels)
    open.insert(&find(kernel));
  if (!open.empty())
    parallelForEach(kernels.front()->getContext(), open,
                    [&](KernelProposals *each) { askOne(*each); });
}

ArrayRef<Candidate> Proposals::get(KernelOp kernel, unsigned searchStates) {
  // More than one thread has use of what most likely is asked for next.
  if (kernel.getContext()->isMultithreadingEnabled() && kernel->getBlock() &&
      askedBlocks.insert(kernel->getBlock()).second) {
    auto open = llvm::make_filter_range(kernel->getBlock()->getOps<KernelOp>(),
                                        [](KernelOp each) { return !each.getSchedule(); });
    ask(SmallVector<KernelOp>(open),
        [&](KernelProposals &each) { (void)each.getForMost(searchStates); });
  }
  return find(kernel).getForMost(searchStates);
}

void Proposals::askTogether(ArrayRef<KernelOp> kernels, unsigned searchStates, bool withVariants) {
  ask(kernels, [&](KernelProposals &each) {
    (void)each.getForAll(searchStates);
    if (withVariants)
      (void)each.getVariants(searchStates);
  });
}

ArrayRef<Candidate> Proposals::getForAll(KernelOp kernel, unsigned searchStates) {
  return find(kernel).getForAll(searchStates);
}

ArrayRef<RangeCandidate> Proposals::getVariants(KernelOp kernel, unsigned searchStates) {
  return find(kernel).getVariants(searchStates);
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
