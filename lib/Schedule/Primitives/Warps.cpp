// warps: a group of threads for each program.
#include "tw/Schedule/Primitive.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

static constexpr int64_t kMaxWarps = 32;

namespace {

class WarpsPrimitive : public PrimitiveOf<WarpsAttr> {
public:
  LogicalResult apply(PlanBuilder &builder, Attribute primitive) const override {
    int64_t count = cast<WarpsAttr>(primitive).getCount();
    if (builder.getPlan().warps)
      return builder.fail("warps is given twice: leave one of them out");
    if (count < 1 || count > kMaxWarps || !llvm::isPowerOf2_64(count))
      return builder.fail(
          "warps " + Twine(count) + " is no power of two from 1 to " + Twine(kMaxWarps) +
          ": the nearest is " +
          Twine(count < 1 ? 1 : std::min<int64_t>(kMaxWarps, llvm::PowerOf2Ceil(count))));
    builder.getPlan().warps = count;
    return success();
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Warps)
