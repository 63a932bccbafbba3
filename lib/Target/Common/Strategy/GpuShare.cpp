// What a thread has of a tile, and what matrix units multiply in a cycle.
#include "GpuCounts.h"

#include "tw/Schedule/Strides.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

GpuShare tw::schedule::shareTile(ArrayRef<int64_t> tile, int64_t threads, int64_t subgroup) {
  GpuShare share{SmallVector<int64_t>(tile.size(), 1), SmallVector<int64_t>(tile.size(), 1)};
  int64_t elements = 1;
  for (int64_t extent : tile)
    elements *= extent;
  auto grow = [&](SmallVectorImpl<int64_t> &parts, int64_t most) {
    for (bool grows = true; grows && most > 1;) {
      grows = false;
      for (unsigned d = tile.size(); d-- > 0 && most > 1;)
        if (share.thread[d] * share.subgroup[d] * 2 <= tile[d]) {
          parts[d] *= 2;
          most /= 2;
          grows = true;
        }
    }
  };
  grow(share.thread, llvm::divideCeil(elements, threads));
  grow(share.subgroup, std::min(threads, subgroup));
  return share;
}

bool tw::schedule::copiesElements(KernelOp kernel, LoadOp load) {
  constexpr int64_t word = 4;
  int64_t bytes = llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8), runs = 0;
  bool isApart = false;
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
    std::optional<int64_t> stride = getUsualStride(load, kernel.getAxis(axis));
    if (!stride || *stride == 0 || kernel.getExtents()[axis] == 1)
      continue;
    runs += std::abs(*stride) == 1;
    isApart |= std::abs(*stride) != 1 && *stride * bytes % word != 0;
  }
  return bytes < word && isApart && runs == 1;
}

double tw::schedule::getUnitProducts(const GpuMachine &machine, ContractOp op, bool readsLocal) {
  Type type = op.getLhs().getType(), sum = op.getResult().getType();
  if ((type.isBF16() || type.isF16()) && sum.isF32())
    return readsLocal ? machine.localProducts : machine.matrixProducts;
  bool isSigned = !op.getLhsUnsigned() && !op.getRhsUnsigned();
  if (type.isInteger(8) && sum.isInteger(32) && (isSigned || !machine.bytesAreSigned))
    return readsLocal ? machine.localByteProducts : machine.byteProducts;
  bool isTaken = isa<Float8E4M3FNType, Float8E5M2Type>(type)         ? machine.multipliesFloat8
                 : isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type) ? machine.multipliesFloat8Uz
                                                                     : false;
  if (isTaken && sum.isF32())
    return readsLocal ? machine.localByteProducts : machine.byteProducts;
  return 0;
}
