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
};

} // namespace

TW_DEFINE_PRIMITIVE(Rfactor)
