// The pass that gives kernels their schedules, and those that schedules make of them.
#include "FewSizes.h"
#include "PricedPass.h"
#include "ScheduleFile.h"

#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Schedule/Exactness.h"
#include "tw/Schedule/Passes.h"
#include "tw/Schedule/Plan.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

#include <cmath>

namespace tw {
#define GEN_PASS_DEF_KERNELSCHEDULEPASS
#include "tw/Schedule/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

/// A kernel that has to have a schedule.
struct Work {
  kernel::KernelOp kernel;
  /// What a file of schedules calls the program's kernel, for the record, and whether schedules
  /// made this one for that one.
  std::string name;
  bool made;
  /// Whether its list, or that which made it, was not chosen here.
  bool isGiven = false;
  /// What it is in ranges whose lists make kernels, each in a function of its own.
  SmallVector<kernel::KernelOp, 0> apart = {};
};

struct KernelSchedule : schedule::PricedPass<tw::impl::KernelSchedulePassBase<KernelSchedule>> {
  using PricedPass::PricedPass;

  LogicalResult run(schedule::Proposals &proposals) override {
    std::optional<schedule::ScheduleFile> byHand;
    if (!file.empty()) {
      FailureOr<schedule::ScheduleFile> read = schedule::ScheduleFile::read(file, getOperation());
      if (failed(read))
        return failure();
      byHand = std::move(*read);
    }
    markKernels();
    states.clear();
    total = 0;
    LogicalResult result = scheduleAll(proposals, byHand);
    llvm::SmallPtrSet<Block *, 4> marked;
    getOperation()->walk([&](kernel::KernelOp kernel) {
      kernel->removeAttr(kernel::leavingAttrName);
      if (marked.insert(kernel->getBlock()).second)
        kernel::unmarkMemory(*kernel->getBlock());
    });
    return result;
  }

private:
  /// Rounds of kernels that are made for others: parts of a reduction may want parts in turn, of
  /// which 2^40 terms take three where each is of 256 terms or more.
  static constexpr unsigned kMostRounds = 16;

  /// Strategies see copies of kernels, which nobody reads.
  void markKernels() {
    auto leaves = [](OpResult result) {
      auto type = cast<RankedTensorType>(result.getType());
      return type.hasStaticShape() &&
             type.getNumElements() * int64_t(type.getElementTypeBitWidth()) / 8 >=
                 kernel::kLeavingBytes &&
             !result.use_empty() && llvm::all_of(result.getUsers(), [](Operation *user) {
               return user->hasTrait<OpTrait::ReturnLike>() &&
                      isa<FunctionOpInterface>(user->getParentOp());
             });
    };
    llvm::SmallPtrSet<Block *, 4> marked;
    getOperation()->walk([&](kernel::KernelOp kernel) {
      SmallVector<int64_t> numbers;
      for (OpResult result : kernel->getResults())
        if (leaves(result))
          numbers.push_back(result.getResultNumber());
      if (!numbers.empty())
        kernel->setAttr(kernel::leavingAttrName, DenseI64ArrayAttr::get(&getContext(), numbers));
      if (marked.insert(kernel->getBlock()).second)
        kernel::markMemory(*kernel->getBlock());
      return WalkResult::skip();
    });
  }

  LogicalResult scheduleAll(schedule::Proposals &proposals,
                            std::optional<schedule::ScheduleFile> &byHand) {
    SmallVector<Work> work;
    getOperation()->walk([&](kernel::KernelOp kernel) {
      work.push_back({kernel, record ? schedule::getFullName(kernel) : "", false});
      return WalkResult::skip();
    });
    for (unsigned round = 0; !work.empty(); ++round) {
      if (round == kMostRounds)
        return emitError(work.front().kernel.getLoc(), Code::T0310)
               << "schedules still make kernels after " << kMostRounds
               << " rounds: expected kernels that are made for others to need none in the end";
      for (const Work &each : work)
        if (failed(checkShapes(each.kernel)))
          return failure();
      if (!byHand)
        decideSearches(work, proposals);
      askTogether(work, byHand.has_value(), proposals);
      SmallVector<Work> next;
      for (Work &each : work)
        if (failed(scheduleOne(each, byHand, proposals)) || failed(makeOthers(each, next)) ||
            llvm::any_of(each.apart, [&](kernel::KernelOp apart) {
              return failed(makeOthers({apart, each.name, true}, next));
            }))
          return failure();
      work = std::move(next);
    }
    return success();
  }

  /// Asks for what scheduleOne will look at, where there are several threads.
  void askTogether(ArrayRef<Work> work, bool hasFile, schedule::Proposals &proposals) {
    if (!getContext().isMultithreadingEnabled() || hasFile)
      return;
    SmallVector<kernel::KernelOp> open[2];
    for (const Work &each : work)
      if (isOpen(each)) {
        proposals.getStrategy().prepare(each.kernel);
        open[getStates(each.kernel, proposals) > 0].push_back(each.kernel);
      }
    for (bool isSearched : {true, false})
      proposals.askTogether(open[isSearched], isSearched ? search : 0, getWanted(),
                            /*withVariants=*/!work.front().made);
  }

  /// Lists that are not taken serve records alone.
  schedule::Wanted getWanted() const {
    return record ? schedule::Wanted::All : schedule::Wanted::Best;
  }

  bool isOpen(const Work &work) {
    kernel::KernelOp kernel = work.kernel;
    return !kernel.getSchedule() || (!work.made && replace);
  }

  /// A kernel is searched for a list where all that are equal to it could gain as much of what the
  /// program takes. Where a loop runs it, or a call settles its sizes, nobody knows how much that
  /// is.
  void decideSearches(ArrayRef<Work> work, schedule::Proposals &proposals) {
    constexpr double kWorthSearching = 1.0 / 5000;
    if (search == 0)
      return;
    bool isFirst = states.empty();
    llvm::MapVector<const void *, double> gains;
    for (const Work &each : work) {
      kernel::KernelOp kernel = each.kernel;
      if (!isOpen(each))
        continue;
      proposals.getStrategy().prepare(kernel);
      const void *identity = proposals.getIdentity(kernel);
      if (states.contains(identity))
        continue;
      ArrayRef<schedule::Candidate> known = proposals.get(kernel);
      double cycles = known.empty() ? 0 : known.front().cycles;
      bool isOnce =
          isa<FunctionOpInterface>(kernel->getParentOp()) && kernel::getSymbols(kernel).empty();
      gains[identity] +=
          isOnce ? cycles - proposals.getStrategy().getLeastCycles(kernel) : HUGE_VAL;
      if (isFirst)
        total += cycles;
    }
    for (auto [identity, gain] : gains)
      states[identity] = gain >= kWorthSearching * total ? unsigned(search) : 0;
  }

  /// The states of a search for the kernel; 0 for none.
  unsigned getStates(kernel::KernelOp kernel, schedule::Proposals &proposals) const {
    auto it = states.find(proposals.getIdentity(kernel));
    return it == states.end() ? unsigned(search) : it->second;
  }

  LogicalResult scheduleOne(Work &work, std::optional<schedule::ScheduleFile> &byHand,
                            schedule::Proposals &proposals) {
    kernel::KernelOp kernel = work.kernel;
    proposals.getStrategy().prepare(kernel);
    // What schedules leave of a list is there already, and its record.
    if (work.made && kernel.getSchedule()) {
      if (!work.isGiven && !kernel::getSymbols(kernel).empty())
        setVariants(kernel, {}, proposals.getForFew(kernel));
      if (failed(check(kernel, /*isGiven=*/true)))
        return failure();
      return work.isGiven ? checkRoom(kernel, proposals) : success();
    }
    kernel::ScheduleAttr given = replace ? kernel::ScheduleAttr() : kernel.getScheduleAttr();
    if (byHand && !work.made) {
      FailureOr<kernel::ScheduleAttr> found = byHand->find(kernel);
      if (failed(found))
        return failure();
      if (*found)
        given = *found;
    }
    work.isGiven |= bool(given);
    if (given)
      kernel->removeAttr(kernel::apartAttrName);
    ArrayRef<schedule::Candidate> proposed;
    bool hasNames = given && schedule::namesAreKnown(kernel, given);
    if (!hasNames || record)
      proposed = proposals.getForAll(kernel, getStates(kernel, proposals),
                                     given ? schedule::Wanted::All : getWanted());
    kernel::ScheduleAttr list = given;
    if (given && !hasNames)
      schedule::nameAsProposed(kernel, given, proposed);
    else if (!given)
      list = work.made ? take(kernel, proposed) : takeVariants(work, proposed, proposals);
    kernel.setScheduleAttr(list);
    // A kernel of the program that combines parts keeps the record of what made them.
    if (record && !(work.made && kernel->hasAttr(schedule::recordAttrName)))
      schedule::setRecord(kernel, {work.name, work.made, bool(given), list,
                                   SmallVector<schedule::Candidate>(proposed)});
    // That of an equal kernel was checked.
    if (!given)
      return checked.insert(proposed.data()).second ? check(kernel, false) : success();
    return failed(check(kernel, true)) ? failure() : checkRoom(kernel, proposals);
  }

  /// Refuses a list that somebody wrote and the machine has no room for, beside one that fits.
  static LogicalResult checkRoom(kernel::KernelOp kernel, schedule::Proposals &proposals) {
    const schedule::Strategy &strategy = proposals.getStrategy();
    auto shortage = strategy.findShortage(kernel, kernel.getScheduleAttr());
    // What there is no code for is said where the code would be made.
    if (!shortage || shortage->needed <= shortage->available)
      return success();
    auto error = emitError(kernel.getLoc(), shortage->code)
                 << "kernel '" << schedule::getFullName(kernel) << "' needs " << shortage->needed
                 << " " << shortage->what << " in each program under its schedule, there are "
                 << shortage->available;
    ArrayRef<schedule::Candidate> proposed =
        proposals.getForAll(kernel, /*searchStates=*/0, schedule::Wanted::Best);
    if (!proposed.empty())
      error << "; this one has room: " << proposed.front().schedule;
    return error;
  }

  /// The best one, and its names.
  static kernel::ScheduleAttr take(kernel::KernelOp kernel,
                                   ArrayRef<schedule::Candidate> candidates) {
    if (candidates.empty())
      return kernel::ScheduleAttr::get(kernel.getContext(), {});
    schedule::giveNames(kernel, candidates.front().names);
    return candidates.front().schedule;
  }

  static kernel::Variant getVariant(const schedule::RangeCandidate &list) {
    kernel::Variant variant{list.range.symbol, list.range.least, list.range.most,
                            list.candidate.schedule};
    for (const schedule::ValueName &name : list.candidate.names)
      variant.names.push_back({name.position, name.name});
    return variant;
  }

  /// A function beside the kernel for a list that makes others.
  static kernel::Variant makeApart(Work &work, const schedule::RangeCandidate &list) {
    kernel::KernelOp own =
        schedule::makeApart(work.kernel, list, work.kernel->getParentOfType<ModuleOp>());
    work.apart.push_back(own);
    auto name = own->getParentOfType<func::FuncOp>().getNameAttr();
    return {list.range.symbol,           list.range.least, list.range.most, {}, {},
            FlatSymbolRefAttr::get(name)};
  }

  /// The best list for all sizes, or those for ranges of them, of which the kernel's own is the
  /// last. Those that make other kernels are those of functions beside it.
  kernel::ScheduleAttr takeVariants(Work &work, ArrayRef<schedule::Candidate> candidates,
                                    schedule::Proposals &proposals) {
    kernel::KernelOp kernel = work.kernel;
    ArrayRef<schedule::RangeCandidate> ranges =
        proposals.getVariants(kernel, getStates(kernel, proposals));
    SmallVector<kernel::Variant> variants = kernel::getVariants(kernel, kernel::apartAttrName);
    kernel->removeAttr(kernel::apartAttrName);
    auto makes = [](const schedule::RangeCandidate &each) {
      return schedule::makesKernels(each.candidate.schedule);
    };
    if (llvm::any_of(ranges, makes)) {
      bool makesLast = makes(ranges.back());
      for (const schedule::RangeCandidate &each : ranges.drop_back(!makesLast))
        variants.push_back(makes(each) ? makeApart(work, each) : getVariant(each));
      kernel::setVariants(kernel, variants);
      return makesLast ? takeAlone(kernel, candidates) : take(kernel, ranges.back().candidate);
    }
    kernel::ScheduleAttr list =
        ranges.empty() ? take(kernel, candidates) : take(kernel, ranges.back().candidate);
    // What is left of the kernel then reads what others make, which the functions do not.
    if (schedule::makesKernels(list))
      variants.clear();
    setVariants(kernel, std::move(variants), ranges);
    return list;
  }

  /// The best one that makes no kernels.
  static kernel::ScheduleAttr takeAlone(kernel::KernelOp kernel,
                                        ArrayRef<schedule::Candidate> candidates) {
    for (const schedule::Candidate &candidate : candidates)
      if (!schedule::makesKernels(candidate.schedule))
        return take(kernel, candidate);
    return take(kernel, ArrayRef<schedule::Candidate>());
  }

  /// Those that there are, and lists for ranges of which the kernel's own is the last.
  static void setVariants(kernel::KernelOp kernel, SmallVector<kernel::Variant> variants,
                          ArrayRef<schedule::RangeCandidate> ranges) {
    for (const schedule::RangeCandidate &each :
         ranges.take_front(std::max<size_t>(ranges.size(), 1) - 1))
      variants.push_back(getVariant(each));
    if (!variants.empty())
      kernel::setVariants(kernel, variants);
  }

  /// Gives what the schedule puts in kernels of their own such kernels, which are to be scheduled
  /// next, as what is left of this one is to be looked at again.
  LogicalResult makeOthers(const Work &work, SmallVectorImpl<Work> &next) {
    kernel::KernelOp kernel = work.kernel;
    if (!makeKernels || !schedule::makesKernels(*kernel.getSchedule()))
      return success();
    Operation *before = kernel->getPrevNode();
    if (failed(schedule::makeKernels(kernel)))
      return failure();
    Block *block = kernel->getBlock();
    for (auto it = before ? std::next(before->getIterator()) : block->begin();
         it != std::next(kernel->getIterator()); ++it)
      if (auto made = dyn_cast<kernel::KernelOp>(*it))
        next.push_back({made, work.name, true, work.isGiven});
    return success();
  }

  /// What was decided, by identity of the kernel, and the cycles of the program's kernels.
  llvm::DenseMap<const void *, unsigned> states;
  double total = 0;

  /// The proposals of which the first one was checked.
  llvm::SmallPtrSet<const schedule::Candidate *, 16> checked;

  static LogicalResult checkShapes(kernel::KernelOp kernel) {
    for (TypeRange types :
         {TypeRange(kernel->getOperandTypes()), TypeRange(kernel->getResultTypes())})
      for (Type type : types)
        if (!cast<RankedTensorType>(type).hasStaticShape())
          return emitOpError(kernel, Code::T0332) << "expected static shapes, found " << type;
    return success();
  }

  LogicalResult check(kernel::KernelOp kernel, bool isGiven) {
    std::string why;
    if (!schedule::isLegal(kernel, kernel.getScheduleAttr(), why) && !isGiven)
      return emitError(kernel.getLoc(), Code::T0310)
             << "no schedule is known that is legal"
             << (deterministic ? " and leaves the order of every sum as it is" : "")
             << ": without one, " << why
             << "; write what it reduces or scans as a kernel of its own"
             << (deterministic ? ", or leave out deterministic" : "");
    if (!schedule::isLegal(kernel, kernel.getScheduleAttr(), why))
      return emitError(kernel.getLoc(), Code::T0310) << "illegal schedule: " << why;
    if (deterministic && !schedule::isExact(kernel, kernel.getScheduleAttr(), why))
      return emitError(kernel.getLoc(), Code::T0310) << "schedule is not deterministic: " << why;
    return success();
  }
};

} // namespace
