// The table of operators.
#include "Registry.h"

using namespace tw::onnx;

Registry::Registry() {
  addActivations(*this);
  addConstants(*this);
  addConvolutions(*this);
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
  addRecurrent(*this);
  addReductions(*this);
  addScatters(*this);
  addSorts(*this);
  addSlicing(*this);
  addRefused(*this);
  addControl("If", {1, 1});
  addControl("Loop", {0, anyNumber});
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
