// merge: one axis of several, by rewriting the kernel.
#include "tw/Schedule/Primitive.h"

#include "tw/Dialect/Kernel/Transforms/MergeAxes.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class MergePrimitive : public PrimitiveOf<MergeAttr> {
public:
  Phase getPhase() const override { return Phase::Rewrite; }

  LogicalResult rewrite(KernelOp kernel, Attribute primitive, std::string &why) const override {
    auto merge = cast<MergeAttr>(primitive);
    StringRef name = merge.getAxis().getValue();
    if (merge.getParts().size() < 2) {
      why = ("merge '" + name + "': expected at least two axes to merge").str();
      return failure();
    }
    SmallVector<unsigned> axes;
    for (StringAttr part : merge.getParts()) {
      auto *it = llvm::find(kernel.getAxisNames().getValue(), Attribute(part));
      if (it == kernel.getAxisNames().end()) {
        why = ("merge '" + name + "': expected axes of the kernel, " +
               join(kernel.getAxisNames().getAsValueRange<StringAttr>(), ", ") + ", found '" +
               part.getValue() + "'")
                  .str();
        return failure();
      }
      unsigned axis = it - kernel.getAxisNames().begin();
      if (llvm::is_contained(axes, axis)) {
        why = ("merge '" + name + "' names '" + part.getValue() + "' twice: leave one of them out")
                  .str();
        return failure();
      }
      axes.push_back(axis);
    }
    if (llvm::is_contained(kernel.getAxisNames(), Attribute(merge.getAxis())) &&
        !llvm::is_contained(merge.getParts(), merge.getAxis())) {
      why =
          ("merge gives the name '" + name + "', which another axis has: choose another one").str();
      return failure();
    }
    std::string reason;
    if (!canMergeAxes(kernel, axes, reason)) {
      why = ("merge '" + name + "': " + reason).str();
      return failure();
    }
    mergeAxes(kernel, axes, name);
    return success();
  }

  void getNames(Attribute primitive, NameSink &names) const override {
    auto merge = cast<MergeAttr>(primitive);
    names.nameAxes(merge.getParts());
    names.makeAxes(merge.getAxis());
  }

  Exactness classify(Attribute primitive, AxisHistory &axes) const override {
    auto merge = cast<MergeAttr>(primitive);
    axes.replace(merge.getParts(), merge.getAxis());
    return Exactness::Exact;
  }

  void draw(Drawing &drawing) const override {
    if (drawing.leaves.size() < 2 || !drawing.chance(25))
      return;
    unsigned count = 2 + drawing.below(2), first = drawing.below(drawing.leaves.size());
    SmallVector<StringAttr> parts;
    for (unsigned i = first; i < drawing.leaves.size() && parts.size() < count; ++i)
      parts.push_back(drawing.leaves[i].name);
    if (drawing.chance(10))
      std::swap(parts.front(), parts.back());
    drawing.add(MergeAttr::get(drawing.context, drawing.text("merged"), parts));
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Merge)
