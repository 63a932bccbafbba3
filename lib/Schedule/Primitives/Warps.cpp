// warps: a group of threads for each program.
#include "tw/Schedule/Primitive.h"
#include "tw/Schedule/Rings.h"

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
    int64_t loading = cast<WarpsAttr>(primitive).getLoading();
    if (count + loading > kMaxWarps)
      return builder.fail("warps " + Twine(count) + " loading " + Twine(loading) +
                          " is more than " + Twine(kMaxWarps) + " together: have fewer load");
    builder.getPlan().warps = count;
    builder.getPlan().loading = loading;
    builder.getPlan().walking = cast<WarpsAttr>(primitive).getWalking();
    return success();
  }

  /// Those that load have something to fetch ahead.
  LogicalResult finish(KernelOp, Plan &plan, std::string &why) const override {
    if (plan.loading == 0 || llvm::any_of(plan.staged, [&](const StagedValue &staged) {
          return countSlots(plan, staged) > 1;
        }))
      return success();
    why = ("warps " + Twine(plan.warps) + " loading " + Twine(plan.loading) +
           " has nothing to fetch ahead: prefetch what is staged at a loop, or leave loading out")
              .str();
    return failure();
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Warps)
