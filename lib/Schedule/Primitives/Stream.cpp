// stream: results that are stored past the caches.
#include "tw/Schedule/Moves.h"
#include "tw/Schedule/Primitive.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class StreamPrimitive : public PrimitiveOf<StreamAttr> {
public:
  LogicalResult apply(PlanBuilder &builder, Attribute primitive) const override {
    auto stream = cast<StreamAttr>(primitive);
    int64_t result = stream.getResult(), results = builder.getKernel()->getNumResults();
    if (result >= results)
      return builder.fail("stream " + Twine(result) + ": the kernel has " + Twine(results) +
                          " results, numbered from 0");
    // No call has so much of it.
    auto type = cast<RankedTensorType>(builder.getKernel()->getResult(result).getType());
    if (type.getNumElements() * int64_t(type.getElementTypeBitWidth()) / 8 >= stream.getFrom())
      builder.getPlan().streamed.push_back(stream);
    return success();
  }

  /// What is read back soon stays in the caches.
  LogicalResult finish(KernelOp kernel, Plan &plan, std::string &why) const override {
    if (plan.streamed.empty())
      return success();
    if (plan.warps) {
      why = "stream is for programs of one thread, not with warps: leave one of them out";
      return failure();
    }
    for (const auto &kept : plan.keep)
      if (kept.second == KeepPlace::Result) {
        why = ("stream " + Twine(plan.streamed.front().getResult()) + ": '" + kept.first() +
               "' is kept in a result and read back: leave one of them out")
                  .str();
        return failure();
      }
    return success();
  }

  void move(Moves &moves) const override {
    for (StreamAttr stream : moves.getMarks<StreamAttr>())
      moves.addWithout(stream);
    for (StreamAttr stream : moves.sizes.streamed)
      moves.addMark(stream);
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Stream)
