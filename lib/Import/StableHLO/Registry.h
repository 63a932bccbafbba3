// Which function imports which op.
#pragma once

#include "OpImport.h"

#include "llvm/ADT/StringMap.h"

namespace tw::stablehlo {

using Import = void (*)(OpImport &);

/// How an op is imported where its operands or results are complex.
enum class ComplexForm {
  None,
  ByPart,  ///< by its rule, once for each part
  Product, ///< by its rule, once for each pair of parts
  Own      ///< by a rule of its own
};

/// The same where some are quantised.
enum class QuantizedForm {
  None,
  Integers, ///< by its rule, of the integers
  Numbers   ///< by its rule, of the numbers that these stand for
};

struct Rule {
  Import import = nullptr;         ///< null: refused
  bool isElementwise = false;      ///< may be computed for all elements at once
  llvm::StringRef needed, nearest; ///< of a refused op
  ComplexForm form = ComplexForm::None;
  Import onComplex = nullptr; ///< where `form` says so
  QuantizedForm quantized = QuantizedForm::None;
};

class Registry {
public:
  static const Registry &instance();

  /// The rule of an op by its full name; null if it is not known.
  const Rule *find(llvm::StringRef op) const;
  void print(llvm::raw_ostream &os) const;

  void add(llvm::StringRef op, Import import) { rules[op].import = import; }
  void addElementwise(llvm::StringRef op, Import import) {
    rules[op].import = import;
    rules[op].isElementwise = true;
  }
  void addComplex(llvm::StringRef op, Import import) {
    rules[op].onComplex = import;
    rules[op].form = ComplexForm::Own;
  }
  /// What the importer of blocks does by itself.
  void list(llvm::StringRef op) { rules[op]; }
  void setComplex(llvm::StringRef op, ComplexForm form) { rules[op].form = form; }
  void setQuantized(llvm::StringRef op, QuantizedForm form) { rules[op].quantized = form; }
  void refuse(llvm::StringRef op, llvm::StringRef needed, llvm::StringRef nearest) {
    rules[op].needed = needed;
    rules[op].nearest = nearest;
  }

private:
  Registry();
  llvm::StringMap<Rule> rules;
};

// One function per file of Ops/.
void addComplex(Registry &registry);
void addControl(Registry &registry);
void addElementwise(Registry &registry);
void addGathers(Registry &registry);
void addLinearAlgebra(Registry &registry);
void addMovement(Registry &registry);
void addNorms(Registry &registry);
void addProducts(Registry &registry);
void addQuantization(Registry &registry);
void addRandom(Registry &registry);
void addReductions(Registry &registry);
void addRefused(Registry &registry);
void addScatters(Registry &registry);
void addSorts(Registry &registry);
void addSpecialFunctions(Registry &registry);
void addWindows(Registry &registry);

} // namespace tw::stablehlo
