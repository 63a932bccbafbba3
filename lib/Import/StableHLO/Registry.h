// Which function imports which op.
#pragma once

#include "OpImport.h"

#include "llvm/ADT/StringMap.h"

namespace tw::stablehlo {

using Import = void (*)(OpImport &);

struct Rule {
  Import import = nullptr;         ///< null: refused
  bool isElementwise = false;      ///< may be computed for all elements at once
  llvm::StringRef needed, nearest; ///< of a refused op
};

class Registry {
public:
  static const Registry &instance();

  /// The rule of an op by its full name; null if it is not known.
  const Rule *find(llvm::StringRef op) const;
  void print(llvm::raw_ostream &os) const;

  void add(llvm::StringRef op, Import import) { rules[op] = {import, false, {}, {}}; }
  void addElementwise(llvm::StringRef op, Import import) { rules[op] = {import, true, {}, {}}; }
  void refuse(llvm::StringRef op, llvm::StringRef needed, llvm::StringRef nearest) {
    rules[op] = {nullptr, false, needed, nearest};
  }

private:
  Registry();
  llvm::StringMap<Rule> rules;
};

// One function per file of Ops/.
void addControl(Registry &registry);
void addElementwise(Registry &registry);
void addGathers(Registry &registry);
void addLinearAlgebra(Registry &registry);
void addMovement(Registry &registry);
void addNorms(Registry &registry);
void addProducts(Registry &registry);
void addRandom(Registry &registry);
void addReductions(Registry &registry);
void addRefused(Registry &registry);
void addScatters(Registry &registry);
void addSorts(Registry &registry);
void addSpecialFunctions(Registry &registry);
void addWindows(Registry &registry);

} // namespace tw::stablehlo
