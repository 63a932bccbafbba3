// Ops that are known and have no importer.
#include "../Registry.h"

using namespace tw::stablehlo;

void tw::stablehlo::addRefused(Registry &registry) {
  for (const char *name : {"all_gather", "all_reduce", "all_to_all", "collective_broadcast",
                           "collective_permute", "cross-replica-sum", "infeed", "outfeed",
                           "partition_id", "recv", "reduce_scatter", "replica_id", "send"})
    registry.refuse((llvm::Twine("stablehlo.") + name).str(), "several devices",
                    "a program for one device");
  registry.refuse("stablehlo.custom_call", "code that the program does not hold",
                  "ops of StableHLO, or the function without this part");
}
