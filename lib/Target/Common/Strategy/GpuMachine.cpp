// The numbers of a device by name.
#include "tw/Target/Common/GpuMachine.h"

using namespace tw;
using namespace tw::schedule;

#define FIELD(name, unit)                                                                          \
  { {#name, unit}, &GpuMachine::name }
static constexpr TraitTable<GpuMachine>::Field fields[] = {
    FIELD(processors, "processors"),
    FIELD(processorThreads, "threads"),
    FIELD(processorGroups, "groups"),
    FIELD(processorRegisters, "registers of 32 bits"),
    FIELD(processorLocalBytes, "bytes"),
    FIELD(groupThreads, "threads"),
    FIELD(groupLocalBytes, "bytes"),
    FIELD(threadRegisters, "registers of 32 bits"),
    FIELD(subgroup, "threads"),
    FIELD(shuffles, "whether they exchange registers"),
    FIELD(threadsPerCycle, "threads a cycle"),
    FIELD(latency, "cycles"),
    FIELD(matrixProducts, "products a cycle"),
    FIELD(byteProducts, "products a cycle"),
    FIELD(bytesAreSigned, "whether they are"),
    FIELD(multipliesFloat8, "whether they do"),
    FIELD(multipliesFloat8Uz, "whether they do"),
    FIELD(sumsAreOperands, "whether they are"),
    FIELD(operandCopies, "lanes"),
    FIELD(localProducts, "products a cycle"),
    FIELD(localByteProducts, "products a cycle"),
    FIELD(localUnitThreads, "threads"),
    FIELD(localUnitRows, "rows"),
    FIELD(localUnitColumns, "columns"),
    FIELD(unitDepthBytes, "bytes"),
    FIELD(copiesBoxes, "whether it does"),
    FIELD(banks, "words of 32 bits a cycle"),
    FIELD(accessWords, "words of 32 bits"),
    FIELD(barrierCycles, "cycles"),
    FIELD(exchangeCycles, "cycles"),
    FIELD(segmentBytes, "bytes"),
    FIELD(cacheBytes, "bytes"),
    FIELD(cacheBytesPerCycle, "bytes a cycle"),
    FIELD(memoryBytesPerCycle, "bytes a cycle"),
    FIELD(cacheLatency, "cycles"),
    FIELD(memoryLatency, "cycles"),
    FIELD(launchCycles, "cycles"),
    FIELD(threadsInTurn, "whether they do"),
    FIELD(accessOperations, "operations"),
    FIELD(readOperations, "operations"),
};
#undef FIELD

const TraitTable<GpuMachine> &tw::schedule::getGpuTraits() {
  static constexpr TraitTable<GpuMachine> table{"a gpu", fields};
  return table;
}
