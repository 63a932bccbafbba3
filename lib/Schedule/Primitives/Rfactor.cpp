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

  std::optional<bool> isAdmitted(Drawing &drawing) const override {
    llvm::erase_if(drawing.factored, [&](const Drawing::Factored &from) {
      return !drawing.isLegalWith(make(drawing, from, 1));
    });
    return !drawing.factored.empty();
  }

  void draw(Drawing &drawing) const override {
    if (drawing.factored.empty() || !drawing.chance(15))
      return;
    const Drawing::Factored &from = drawing.pick(drawing.factored);
    int64_t length =
        drawing.chance(10) ? drawing.pick(Drawing::factors) : 1 + drawing.below(from.extent / 2);
    if (drawing.add(make(drawing, from, length)))
      drawing.drawParts();
  }

private:
  static RfactorAttr make(Drawing &drawing, const Drawing::Factored &from, int64_t length) {
    StringRef axis = from.axis.getValue();
    return RfactorAttr::get(drawing.context, from.sum, from.axis, drawing.text(axis + "p"),
                            drawing.text(axis + "q"), length);
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Rfactor)
