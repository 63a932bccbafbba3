// Contractions of narrow floats for which the CPU has no instruction, or no strategy one: their
// operands are extended, and the other strategies see products of f32.
//
// What is packed is converted while it is packed; what is read where it lies, at each use.
#include "ListBuilder.h"
#include "Rewritten.h"
#include "Strategies.h"

#include "tw/Schedule/Widen.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

void tw::schedule::host::proposeWidened(KernelOp kernel, const HostTraits &traits,
                                        SmallVectorImpl<HostCandidate> &candidates) {
  ListBuilder list(kernel);
  bool widens = false;
  for (auto contract : kernel.getBody().getOps<ContractOp>())
    if (canWiden(contract)) {
      list.widen(contract);
      widens = true;
    }
  if (widens)
    proposeRewritten(kernel, list.finish(), traits, proposeProducts, candidates);
}
