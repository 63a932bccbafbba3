// Every op has a rule, ends what is differentiated, or says why there is none.
#include "tw/Dialect/Graph/Derivatives.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tw::graph;

TEST(Derivatives, CoverEveryOp) {
  MLIRContext context;
  context.loadDialect<GraphDialect>();
  const DerivativeRules &rules = getDerivativeRules();
  unsigned count = 0;
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    if (op.getDialectNamespace() != "tgraph" || op.hasTrait<OpTrait::IsTerminator>())
      continue;
    ++count;
    // Composites without a rule are differentiated through their parts.
    bool hasParts = op.hasInterface<CompositeOpInterface>();
    EXPECT_EQ(1, (rules.find(op) ? 1 : 0) + (rules.isConstant(op) ? 1 : 0) +
                     (rules.whyNone(op) ? 1 : 0) +
                     (hasParts && !rules.find(op) && !rules.isConstant(op) ? 1 : 0))
        << op.getStringRef().str();
  }
  EXPECT_GT(count, 70u);
}
