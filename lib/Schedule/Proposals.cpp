// Asking strategies once for equal kernels, and naming values as they do.
#include "Proposals.h"

#include "tw/Dialect/Kernel/Equality.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/IR/Threading.h"

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

Proposals::Known &Proposals::find(KernelOp kernel) {
  llvm::hash_code hash = kernel::hash(kernel);
  SmallVector<Place> places = findPlaces(kernel);
  std::lock_guard lock(mutex);
  auto &alike = known[hash];
  auto *found = llvm::find_if(alike, [&](Known *each) {
    return each->places == places && areEqual(each->proposals.getKernel(), kernel);
  });
  Known *own = found != alike.end() ? *found : nullptr;
  if (!own)
    own = alike.emplace_back(&all.emplace_back(std::move(places), *strategy, kernel, exactOnly));
  for (const Variant &apart : kernel::getVariants(kernel, apartAttrName))
    own->proposals.leaveOut({apart.symbol, apart.least, apart.most});
  return *own;
}

void Proposals::ask(ArrayRef<KernelOp> kernels,
                    llvm::function_ref<void(KernelProposals &)> askOne) {
  llvm::SetVector<Known *> open;
  for (KernelOp kernel : kernels)
    open.insert(&find(kernel));
  if (!open.empty())
    askAll(kernels.front()->getContext(), open.getArrayRef(), askOne);
}

void Proposals::askAll(MLIRContext *context, ArrayRef<Known *> all,
                       llvm::function_ref<void(KernelProposals &)> askOne) {
  parallelForEach(context, all, [&](Known *each) {
    std::lock_guard lock(each->mutex);
    askOne(each->proposals);
  });
}

void Proposals::askNoted(MLIRContext *context) {
  llvm::SetVector<Known *> open = std::exchange(noted, {});
  if (context->isMultithreadingEnabled())
    askAll(context, open.getArrayRef(), [&](KernelProposals &each) { (void)each.getForMost(); });
}

ArrayRef<Candidate> Proposals::get(KernelOp kernel) {
  // More than one thread has use of what most likely is asked for next.
  auto isFirst = [&] {
    std::lock_guard lock(mutex);
    return askedBlocks.insert(kernel->getBlock()).second;
  };
  if (kernel.getContext()->isMultithreadingEnabled() && kernel->getBlock() && isFirst()) {
    auto open = llvm::make_filter_range(kernel->getBlock()->getOps<KernelOp>(),
                                        [](KernelOp each) { return !each.getSchedule(); });
    ask(SmallVector<KernelOp>(open), [&](KernelProposals &each) { (void)each.getForMost(); });
  }
  return getAlone(kernel);
}

ArrayRef<Candidate> Proposals::getAlone(KernelOp kernel) {
  Known &own = find(kernel);
  std::lock_guard lock(own.mutex);
  return own.proposals.getForMost();
}

void Proposals::askTogether(ArrayRef<KernelOp> kernels, unsigned searchStates, Wanted wanted,
                            bool withVariants) {
  ask(kernels, [&](KernelProposals &each) {
    (void)each.getForAll(searchStates, wanted);
    if (withVariants)
      (void)each.getVariants(searchStates);
  });
}

ArrayRef<Candidate> Proposals::getForAll(KernelOp kernel, unsigned searchStates, Wanted wanted) {
  return find(kernel).proposals.getForAll(searchStates, wanted);
}

ArrayRef<RangeCandidate> Proposals::getVariants(KernelOp kernel, unsigned searchStates) {
  return find(kernel).proposals.getVariants(searchStates);
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
