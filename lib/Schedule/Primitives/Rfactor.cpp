// rfactor: a reduction in parts, by a kernel in front.
#include "tw/Schedule/Primitive.h"

#include "tw/Dialect/Kernel/Transforms/FactorReduction.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class RfactorPrimitive : public PrimitiveOf<RfactorAttr> {
public:
  Phase getPhase() const override { return Phase::Parts; }

  FailureOr<KernelOp> makeParts(KernelOp kernel, Attribute primitive,
                                std::string &why) const override {
    auto rfactor = cast<RfactorAttr>(primitive);
    if (!canFactorReduction(kernel, rfactor, why))
      return failure();
    return factorReduction(kernel, rfactor);
  }

  void getNames(Attribute primitive, NameSink &names) const override {
    auto rfactor = cast<RfactorAttr>(primitive);
    names.nameValue(rfactor.getValue());
    names.nameAxes(rfactor.getAxis());
    names.makeAxes({rfactor.getPart(), rfactor.getInner()});
  }

  Exactness classify(Attribute primitive, AxisHistory &axes) const override {
    auto rfactor = cast<RfactorAttr>(primitive);
    bool exact = !axes.findReduced(rfactor.getAxis());
    axes.replace(rfactor.getAxis(), {rfactor.getInner(), rfactor.getPart()});
    axes.keep(rfactor.getPart());
    return exact ? Exactness::Exact : Exactness::Reassociating;
  }

  StringRef getExactAdvice() const override {
    return "parts of a reduced axis are combined by themselves; leave it out";
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Rfactor)
