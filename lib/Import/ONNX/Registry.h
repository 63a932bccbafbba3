// Which function imports which operator, from which operator-set version on.
#pragma once

#include "NodeImport.h"

#include "llvm/ADT/StringMap.h"

#include <limits>

namespace tw::onnx {

constexpr unsigned anyNumber = std::numeric_limits<unsigned>::max();

/// How many inputs or outputs an operator has.
struct Arity {
  unsigned least, most;
};

using Import = void (*)(NodeImport &);

/// The rule of one operator from version `since` until its next rule.
struct Rule {
  int64_t since;
  Arity inputs, outputs;
  Import import; ///< null: refused, or control flow
  llvm::StringRef needed, nearest;
  bool isControl = false; ///< holds graphs: imported by GraphImporter
};

class Registry {
public:
  /// All operators of the default domain.
  static const Registry &instance();

  /// The rule in force at version `opset`; null if the operator is not known there.
  const Rule *find(llvm::StringRef op, int64_t opset) const;
  /// The first version that knows the operator, 0 if none does.
  int64_t firstVersion(llvm::StringRef op) const;

  /// See printOperators.
  void print(llvm::raw_ostream &os) const;

  void add(llvm::StringRef op, int64_t since, Arity inputs, Import import, Arity outputs = {1, 1}) {
    rules[op].push_back({since, inputs, outputs, import, {}, {}});
  }
  void addControl(llvm::StringRef op, int64_t since, Arity inputs) {
    rules[op].push_back({since, inputs, {0, anyNumber}, nullptr, {}, {}, true});
  }
  /// A known operator that cannot be imported: what it would need, and what can be used instead.
  void refuse(llvm::StringRef op, llvm::StringRef needed, llvm::StringRef nearest) {
    rules[op].push_back({1, {0, anyNumber}, {0, anyNumber}, nullptr, needed, nearest});
  }

private:
  Registry();
  llvm::StringMap<llvm::SmallVector<Rule, 1>> rules; ///< in ascending order of versions
};

// One function per file of Ops/.
void addActivations(Registry &registry);
void addAttention(Registry &registry);
void addColumns(Registry &registry);
void addConstants(Registry &registry);
void addConvolutions(Registry &registry);
void addCounted(Registry &registry);
void addElementwise(Registry &registry);
void addGathers(Registry &registry);
void addGridSample(Registry &registry);
void addImages(Registry &registry);
void addLogic(Registry &registry);
void addLosses(Registry &registry);
void addMatrixProducts(Registry &registry);
void addMovement(Registry &registry);
void addNormalization(Registry &registry);
void addPools(Registry &registry);
void addQuantization(Registry &registry);
void addRandom(Registry &registry);
void addRecurrent(Registry &registry);
void addReductions(Registry &registry);
void addRegions(Registry &registry);
void addScatters(Registry &registry);
void addSignal(Registry &registry);
void addSorts(Registry &registry);
void addSlicing(Registry &registry);
void addRefused(Registry &registry);

} // namespace tw::onnx
