// The pass that gives kernels their schedules.
#include "ScheduleFile.h"

#include "tw/Dialect/Kernel/Equality.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Exactness.h"
#include "tw/Schedule/Passes.h"
#include "tw/Schedule/Plan.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Schedule/Strategy.h"
#include "tw/Support/Diagnostics.h"

namespace tw {
#define GEN_PASS_DEF_KERNELSCHEDULEPASS
#include "tw/Schedule/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

/// Whether the kernel, or a primitive, names each value that the schedule names.
class ValueNames : public schedule::NameSink {
public:
  ValueNames(kernel::KernelOp kernel, kernel::ScheduleAttr schedule) {
    for (Operation &op : kernel.getBody().front())
      known.insert(kernel::getValueName(&op));
    for (Attribute primitive : schedule.getPrimitives())
      schedule::getPrimitive(primitive).getNames(primitive, *this);
  }

  bool areKnown = true;

private:
  void nameValue(StringAttr value) override { areKnown &= known.contains(value); }
  void makeValues(ArrayRef<StringAttr> values) override { known.insert_range(values); }

  llvm::DenseSet<Attribute> known;
};

/// What was chosen for the kernels so far; equal ones have equal schedules.
class Choices {
public:
  using Choose = llvm::function_ref<kernel::ScheduleAttr(kernel::KernelOp)>;

  /// Gives the kernel the schedule of an equal one, or what `choose` says. False where there was an
  /// equal one, whose schedule was checked.
  bool set(kernel::KernelOp kernel, Choose choose) {
    auto &known = choices[kernel::hash(kernel)];
    for (auto &[before, chosen] : known)
      if (kernel::areEqual(*before, kernel) && readAlike(*before, kernel)) {
        kernel.setScheduleAttr(chosen.getScheduleAttr());
        for (auto [from, to] : llvm::zip_equal(chosen.getBody().front(), kernel.getBody().front()))
          if (StringAttr name = kernel::getValueName(&from))
            kernel::setValueName(&to, name);
        return false;
      }
    // Strategies name values of the kernel.
    OwningOpRef<kernel::KernelOp> before(kernel.clone());
    kernel.setScheduleAttr(choose(kernel));
    known.push_back({std::move(before), kernel});
    return true;
  }

private:
  /// Strategies may do more for operands that are constant.
  static bool readAlike(kernel::KernelOp a, kernel::KernelOp b) {
    return llvm::all_of(llvm::zip_equal(a.getOperands(), b.getOperands()), [](auto pair) {
      auto isConstant = [](Value value) { return matchPattern(value, m_Constant()); };
      return isConstant(std::get<0>(pair)) == isConstant(std::get<1>(pair));
    });
  }

  llvm::DenseMap<llvm::hash_code,
                 SmallVector<std::pair<OwningOpRef<kernel::KernelOp>, kernel::KernelOp>>>
      choices;
};

struct KernelSchedule : public tw::impl::KernelSchedulePassBase<KernelSchedule> {
  using KernelSchedulePassBase::KernelSchedulePassBase;

  void runOnOperation() override {
    std::unique_ptr<schedule::Strategy> strategy = schedule::makeStrategy(machine);
    if (!strategy) {
      emitError(getOperation()->getLoc(), Code::T0501)
          << "option machine: no strategy '" << machine << "'; known are "
          << schedule::listStrategies();
      return signalPassFailure();
    }
    std::string wrong;
    if (!strategy->setMachine(traits, wrong)) {
      emitError(getOperation()->getLoc(), Code::T0501) << "option traits: " << wrong;
      return signalPassFailure();
    }
    std::optional<schedule::ScheduleFile> byHand;
    if (!file.empty()) {
      FailureOr<schedule::ScheduleFile> read = schedule::ScheduleFile::read(file, getOperation());
      if (failed(read))
        return signalPassFailure();
      byHand = std::move(*read);
    }
    Choices choices;
    auto result = getOperation()->walk([&](kernel::KernelOp kernel) {
      if (failed(checkShapes(kernel)))
        return WalkResult::interrupt();
      strategy->prepare(kernel);
      FailureOr<kernel::ScheduleAttr> found =
          byHand ? byHand->find(kernel) : FailureOr<kernel::ScheduleAttr>(kernel::ScheduleAttr());
      if (failed(found))
        return WalkResult::interrupt();
      auto makeDefault = [&](kernel::KernelOp kernel) {
        return strategy->choose(kernel, deterministic);
      };
      if (*found) {
        // Schedules that the strategies wrote name values as the strategies do.
        if (!ValueNames(kernel, *found).areKnown)
          (void)makeDefault(kernel);
        kernel.setScheduleAttr(*found);
      } else if (replace || !kernel.getSchedule()) {
        if (!choices.set(kernel, makeDefault))
          return WalkResult::skip();
      }
      return succeeded(check(kernel)) ? WalkResult::skip() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  static LogicalResult checkShapes(kernel::KernelOp kernel) {
    for (TypeRange types :
         {TypeRange(kernel->getOperandTypes()), TypeRange(kernel->getResultTypes())})
      for (Type type : types)
        if (!cast<RankedTensorType>(type).hasStaticShape())
          return emitOpError(kernel, Code::T0332) << "expected static shapes, found " << type;
    return success();
  }

  LogicalResult check(kernel::KernelOp kernel) {
    std::string why;
    if (!schedule::isLegal(kernel, kernel.getScheduleAttr(), why))
      return emitError(kernel.getLoc(), Code::T0310) << "illegal schedule: " << why;
    if (deterministic && !schedule::isExact(kernel, kernel.getScheduleAttr(), why))
      return emitError(kernel.getLoc(), Code::T0310) << "schedule is not deterministic: " << why;
    return success();
  }
};

} // namespace
