// The table of operators.
#include "Registry.h"

#include "tw/Import/ONNX/ONNX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tw::onnx;

Registry::Registry() {
  addActivations(*this);
  addAttention(*this);
  addColumns(*this);
  addConstants(*this);
  addConvolutions(*this);
  addCounted(*this);
  addElementwise(*this);
  addGathers(*this);
  addGridSample(*this);
  addImages(*this);
  addLogic(*this);
  addLosses(*this);
  addMatrixProducts(*this);
  addMovement(*this);
  addNormalization(*this);
  addPools(*this);
  addQuantization(*this);
  addRandom(*this);
  addRecurrent(*this);
  addReductions(*this);
  addRegions(*this);
  addScatters(*this);
  addSignal(*this);
  addSorts(*this);
  addSlicing(*this);
  addRefused(*this);
  addControl("If", 1, {1, 1});
  addControl("Loop", 1, {0, anyNumber});
  addControl("Scan", 8, {0, anyNumber});
}

const Registry &Registry::instance() {
  static const Registry registry;
  return registry;
}

const Rule *Registry::find(llvm::StringRef op, int64_t opset) const {
  auto found = rules.find(op);
  const Rule *rule = nullptr;
  if (found != rules.end())
    for (const Rule &candidate : found->second)
      if (candidate.since <= opset)
        rule = &candidate;
  return rule;
}

int64_t Registry::firstVersion(llvm::StringRef op) const {
  auto found = rules.find(op);
  return found == rules.end() ? 0 : found->second.front().since;
}

void Registry::print(llvm::raw_ostream &os) const {
  llvm::SmallVector<llvm::StringRef> names = llvm::to_vector(rules.keys());
  llvm::sort(names);
  os << "| operator | rules from version | |\n|---|---|---|\n";
  for (llvm::StringRef name : names) {
    llvm::ArrayRef<Rule> known = rules.find(name)->second;
    os << "| " << name << " | ";
    if (!known.front().needed.empty())
      os << "| refused: needs " << known.front().needed << "; nearest: " << known.front().nearest;
    else
      llvm::interleaveComma(known, os, [&](const Rule &rule) { os << rule.since; });
    os << (known.front().needed.empty() ? " | |\n" : " |\n");
  }
}

void tw::onnx::printOperators(llvm::raw_ostream &os) { Registry::instance().print(os); }
