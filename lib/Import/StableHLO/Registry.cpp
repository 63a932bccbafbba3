// The table of ops.
#include "Registry.h"

#include "tw/Import/StableHLO/StableHLO.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tw::stablehlo;

Registry::Registry() {
  tw::stablehlo::addComplex(*this);
  addControl(*this);
  tw::stablehlo::addElementwise(*this);
  addGathers(*this);
  addLinearAlgebra(*this);
  addMovement(*this);
  addNorms(*this);
  addProducts(*this);
  addQuantization(*this);
  addRandom(*this);
  addReductions(*this);
  addRefused(*this);
  addScatters(*this);
  addSorts(*this);
  addSpecialFunctions(*this);
  addWindows(*this);
}

const Registry &Registry::instance() {
  static const Registry registry;
  return registry;
}

const Rule *Registry::find(llvm::StringRef op) const {
  auto found = rules.find(op);
  return found == rules.end() ? nullptr : &found->second;
}

void Registry::print(llvm::raw_ostream &os) const {
  llvm::SmallVector<llvm::StringRef> names = llvm::to_vector(rules.keys());
  llvm::sort(names);
  os << "| op | |\n|---|---|\n";
  for (llvm::StringRef name : names) {
    const Rule &rule = rules.find(name)->second;
    os << "| " << name << " | ";
    bool isComplex = rule.form != ComplexForm::None;
    if (rule.import)
      os << (rule.isElementwise ? "imported, in regions of scalars too" : "imported")
         << (isComplex ? ", of complex numbers too" : "")
         << (rule.quantized != QuantizedForm::None ? ", quantised" : "");
    else if (isComplex || rule.needed.empty())
      os << "imported";
    else
      os << "refused: needs " << rule.needed << "; nearest: " << rule.nearest;
    os << " |\n";
  }
}

void tw::stablehlo::printOps(llvm::raw_ostream &os) { Registry::instance().print(os); }
