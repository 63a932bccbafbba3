// widen: the operands of a contraction extended before it.
#include "tw/Schedule/Widen.h"

#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Primitive.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

bool tw::schedule::canWiden(ContractOp contract) {
  Type type = contract.getLhs().getType();
  return isa<FloatType>(type) && type != contract.getResult().getType();
}

namespace {

class WidenPrimitive : public PrimitiveOf<WidenAttr> {
public:
  Phase getPhase() const override { return Phase::Rewrite; }

  LogicalResult rewrite(KernelOp kernel, Attribute attribute, std::string &why) const override {
    auto primitive = cast<WidenAttr>(attribute);
    StringRef value = primitive.getValue().getValue();
    auto fail = [&](const Twine &reason) {
      why = ("widen '" + value + "' " + reason).str();
      return failure();
    };
    Operation *named = findValue(kernel, primitive.getValue());
    if (!named)
      return fail("names no value: give the contraction name = \"" + value + "\"");
    auto contract = dyn_cast<ContractOp>(named);
    if (!contract || !canWiden(contract))
      return fail("needs a contraction of bf16 or f16 in wider sums, found " +
                  named->getName().stripDialect() +
                  (contract ? " of " + debugString(contract.getLhs().getType()) : "") +
                  (contract ? ": leave it out" : ": name the contraction"));
    if (primitive.getLhs() == primitive.getRhs())
      return fail("gives both operands the name '" + primitive.getLhs().getValue() +
                  "': choose two");
    for (StringAttr name : {primitive.getLhs(), primitive.getRhs()})
      if (findValue(kernel, name))
        return fail("gives the name '" + name.getValue() +
                    "', which another value has: choose another one");

    OpBuilder builder(contract);
    Type wide = contract.getResult().getType();
    for (auto [operand, name] :
         llvm::zip(contract->getOpOperands(), std::array{primitive.getLhs(), primitive.getRhs()})) {
      auto extended = arith::ExtFOp::create(builder, contract.getLoc(), wide, operand.get());
      setValueName(extended, name);
      operand.set(extended);
    }
    return success();
  }

  void getNames(Attribute primitive, NameSink &names) const override {
    auto widen = cast<WidenAttr>(primitive);
    names.nameValue(widen.getValue());
    names.makeValues({widen.getLhs(), widen.getRhs()});
  }

  void draw(Drawing &drawing) const override {
    for (auto contract : drawing.kernel.getBody().getOps<ContractOp>()) {
      StringAttr name = getValueName(contract);
      bool isNarrow = contract.getLhs().getType() != contract.getResult().getType();
      if (name && isNarrow && drawing.chance(40))
        drawing.add(WidenAttr::get(drawing.context, name, drawing.text(name.getValue() + "_lhs"),
                                   drawing.text(name.getValue() + "_rhs")));
    }
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Widen)
