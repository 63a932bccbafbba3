// Products some of whose axes run through memory as one: the pixels of a convolution 1 by 1, the
// batch and the rows of a product with one matrix. They are merged, and the strategy for products
// sees one axis.
#include "Accesses.h"
#include "ListBuilder.h"
#include "Product.h"
#include "Rewritten.h"
#include "Strategies.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

void tw::schedule::host::proposeMergedContraction(KernelOp kernel, const HostTraits &traits,
                                                  SmallVectorImpl<HostCandidate> &candidates) {
  Product product(kernel);
  if (!product.match())
    return;
  Accesses accesses(kernel, product.sets);
  ListBuilder list(kernel);
  bool merges = false;
  for (const AxisGroup &group : findAxisGroups(kernel, product.sets, /*apart=*/true))
    if (!group.reduced)
      for (const AxisGroup &run : accesses.findRuns(group))
        if (run.axes.size() > 1) {
          list.merge(run);
          merges = true;
        }
  if (merges)
    proposeRewritten(kernel, list.finish(), traits, proposeContraction, candidates);
}
