// The flags of floats on operations of every stage.
#include "tw/Support/FastMath.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using arith::FastMathFlags;
using arith::FastMathFlagsAttr;

/// As upstream names it on its operations.
static constexpr llvm::StringLiteral fastMathName = "fastmath";

std::optional<FastMathFlags> tw::parseFastMath(StringRef text) {
  auto flags = FastMathFlags::none;
  SmallVector<StringRef> words;
  text.split(words, ',');
  for (StringRef word : words) {
    std::optional<FastMathFlags> flag = arith::symbolizeFastMathFlags(word);
    if (!flag)
      return std::nullopt;
    flags = flags | *flag;
  }
  return flags;
}

/// Whether the operation has flags, or may get some.
static bool hasFlags(Operation *op) {
  if (isa<arith::ArithFastMathInterface>(op))
    return true;
  StringRef name = op->getName().getStringRef();
  return (name == "tkernel.reduce" || name == "tkernel.contract" || name == "tkernel.scan") &&
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<FloatType>);
}

FastMathFlags tw::getFastMath(Operation *op) {
  if (auto own = dyn_cast<arith::ArithFastMathInterface>(op)) {
    FastMathFlagsAttr flags = own.getFastMathFlagsAttr();
    return flags ? flags.getValue() : FastMathFlags::none;
  }
  if (auto flags = op->getAttrOfType<FastMathFlagsAttr>(fastMathName))
    return flags.getValue();
  auto flags = FastMathFlags::none;
  auto function = op->getParentOfType<FunctionOpInterface>();
  for (Operation *from : {op, function ? function.getOperation() : nullptr})
    if (auto said = from ? from->getAttrOfType<FastMathFlagsAttr>(graphFastMathName) : nullptr)
      flags = flags | said.getValue();
  return flags;
}

bool tw::allows(Operation *op, FastMathFlags flags) {
  return bitEnumContainsAll(getFastMath(op), flags);
}

static void setFastMath(Operation *op, FastMathFlags flags) {
  op->setAttr(fastMathName, FastMathFlagsAttr::get(op->getContext(), flags));
}

void tw::addFastMath(Operation *root, FastMathFlags flags) {
  if (flags == FastMathFlags::none)
    return;
  root->walk([&](Operation *op) {
    if (hasFlags(op))
      setFastMath(op, getFastMath(op) | flags);
    else if (op->getName().getStringRef() == "func.func")
      op->setAttr(graphFastMathName,
                  FastMathFlagsAttr::get(op->getContext(), getFastMath(op) | flags));
  });
}

void tw::removeFastMath(Operation *root) {
  root->walk([&](Operation *op) {
    op->removeDiscardableAttr(graphFastMathName);
    if (isa<arith::ArithFastMathInterface>(op))
      setFastMath(op, FastMathFlags::none);
    else if (hasFlags(op))
      op->removeAttr(fastMathName);
  });
}
