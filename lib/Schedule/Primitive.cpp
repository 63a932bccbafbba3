// The kinds of primitives, and what most of them do not do.
#include "tw/Schedule/Primitive.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

NameSink::~NameSink() = default;

Primitive::~Primitive() = default;

LogicalResult Primitive::rewrite(KernelOp, Attribute, std::string &) const {
  llvm_unreachable("a primitive at the head of a list rewrites the kernel");
}

FailureOr<KernelOp> Primitive::makeParts(KernelOp, Attribute, std::string &) const {
  llvm_unreachable("a primitive of this phase makes a kernel");
}

LogicalResult Primitive::prepare(KernelOp, std::string &) const { return success(); }

LogicalResult Primitive::apply(PlanBuilder &, Attribute) const {
  llvm_unreachable("a primitive of a plan changes it");
}

LogicalResult Primitive::finish(KernelOp, Plan &, std::string &) const { return success(); }

Attribute Primitive::getRest(Attribute primitive) const {
  return getPhase() == Phase::Plan ? primitive : Attribute();
}

ArrayRef<const Primitive *> tw::schedule::getPrimitives() {
  static const Primitive *const all[] = {
#define TW_PRIMITIVE(Name) &get##Name##Primitive(),
#include "tw/Dialect/Kernel/Primitives.def"
  };
  return all;
}

const Primitive &tw::schedule::getPrimitive(Attribute primitive) {
  static const auto kinds = [] {
    llvm::DenseMap<TypeID, const Primitive *> kinds;
    for (const Primitive *kind : getPrimitives())
      kinds[kind->getTypeID()] = kind;
    return kinds;
  }();
  return *kinds.at(primitive.getTypeID());
}

bool tw::schedule::makesKernels(ScheduleAttr schedule) {
  return llvm::any_of(schedule.getPrimitives(), [](Attribute primitive) {
    return getPrimitive(primitive).makesKernel(primitive);
  });
}
