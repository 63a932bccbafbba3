// prefetch: what is read later fetched before.
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Moves.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Schedule/Rings.h"
#include "tw/Schedule/Strides.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class PrefetchPrimitive : public PrimitiveOf<PrefetchAttr> {
public:
  LogicalResult apply(PlanBuilder &builder, Attribute primitive) const override {
    auto prefetch = cast<PrefetchAttr>(primitive);
    StringAttr name = prefetch.getValue();
    Plan &plan = builder.getPlan();
    Operation *op = builder.findValue("prefetch", name);
    if (!op)
      return failure();
    bool isPanel = llvm::any_of(
        plan.staged, [&](const StagedValue &staged) { return staged.op == op && staged.global; });
    if (!isa<LoadOp>(op) && !isPanel)
      return builder.fail("prefetch '" + name.getValue() +
                          "' is no load: name a load that it is computed from");
    plan.prefetched[name.getValue()] = {prefetch.getAhead(), prefetch.getAhead() ? 0u : 1u};
    return success();
  }

  /// How far ahead the next program reads; that what is fetched ahead is what is read later.
  LogicalResult finish(KernelOp kernel, Plan &plan, std::string &why) const override {
    auto fail = [&](const Twine &reason) {
      why = reason.str();
      return failure();
    };
    for (Operation &op : kernel.getBody().front()) {
      StringAttr name = getValueName(&op);
      auto it = name ? plan.prefetched.find(name.getValue()) : plan.prefetched.end();
      if (it == plan.prefetched.end())
        continue;
      auto *panel = llvm::find_if(plan.staged, [&](const StagedValue &staged) {
        return staged.op == &op && staged.global;
      });
      if (plan.warps && it->second.ahead) {
        if (failed(checkRing(plan, op, it->second.ahead, why)))
          return failure();
        continue;
      }
      auto strideOf = [&](unsigned leaf) -> int64_t {
        // A part that is as long as its axis does not move.
        if (panel != plan.staged.end())
          return leaf == panel->leaves.back() &&
                 plan.leaves[leaf].stride < kernel.getExtents()[plan.leaves[leaf].axis];
        return getStride(cast<LoadOp>(op), plan, leaf).value_or(0);
      };
      if (it->second.ahead) {
        if (plan.warps ||
            llvm::none_of(plan.tile, [&](unsigned leaf) { return strideOf(leaf) == 1; }))
          return fail("prefetch '" + name.getValue() + "' " + Twine(it->second.ahead) +
                      ": no axis of the tile of one thread runs along its memory; put one that "
                      "does there, or leave prefetch out");
        continue;
      }
      if (!plan.grid.empty() && !plan.warps)
        it->second.ahead = strideOf(plan.grid.back());
      if (it->second.ahead == 0)
        return fail("prefetch '" + name.getValue() +
                    "': the next program of one thread does not read at a fixed distance; leave it "
                    "out, or say how far ahead");
    }
    return success();
  }

  /// In a group of threads: the load is staged at a loop, and so many iterations of that are
  /// fetched ahead, in a ring of buffers.
  static LogicalResult checkRing(const Plan &plan, Operation &op, int64_t ahead, std::string &why) {
    auto *staged = llvm::find_if(plan.staged, [&](const StagedValue &own) {
      return own.op == &op && own.loop && !own.isWindow && !own.global;
    });
    auto fail = [&](const Twine &reason) {
      why = ("prefetch '" + getValueName(&op).getValue() + "' " + Twine(ahead) +
             " of a group of threads fetches iterations ahead " + reason)
                .str();
      return failure();
    };
    if (staged == plan.staged.end())
      return fail("of the loop that a load is staged at: stage it at one, or leave prefetch out");
    if (ahead >= kMostSlots)
      return fail("in as many buffers, " + Twine(kMostSlots - 1) + " at most: fetch fewer");
    return success();
  }

  void getNames(Attribute primitive, NameSink &names) const override {
    names.nameValue(cast<PrefetchAttr>(primitive).getValue());
  }

  unsigned getWeight() const override { return 1; }

  /// A hint: this one, or stream.
  void drawMore(Drawing &drawing) const override {
    if (drawing.chance(30))
      drawing.add(StreamAttr::get(drawing.context, drawing.below(drawing.kernel->getNumResults()),
                                  /*from=*/0));
    else if (!drawing.loads.empty() && drawing.chance(70))
      drawing.add(PrefetchAttr::get(drawing.context, drawing.pick(drawing.loads),
                                    drawing.chance(50) ? drawing.below(40) : 0));
    else if (drawing.chance(10)) // A name that no axis has: refused, with a reason.
      drawing.add(UnrollAttr::get(drawing.context, drawing.text("nowhere"), 2));
  }

  void move(Moves &moves) const override {
    for (PrefetchAttr prefetch : moves.getMarks<PrefetchAttr>())
      moves.addWithout(prefetch);
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Prefetch)
