// What strategies ask for while they write a schedule, and the order in which a list holds it.
#include "ListBuilder.h"

#include "tw/Dialect/Kernel/ValueName.h"

using namespace mlir;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

StringAttr ListBuilder::merge(const AxisGroup &run) {
  MLIRContext *context = kernel.getContext();
  SmallVector<StringAttr> parts;
  std::string name;
  for (unsigned axis : run.axes) {
    parts.push_back(StringAttr::get(context, kernel.getAxisName(axis)));
    name += kernel.getAxisName(axis);
  }
  if (parts.size() == 1)
    return parts.front();
  auto isTaken = [&] {
    return llvm::any_of(kernel.getAxisNames().getAsValueRange<StringAttr>(),
                        [&](StringRef other) { return other == name; });
  };
  while (isTaken())
    name += "_";
  merges.push_back(MergeAttr::get(context, StringAttr::get(context, name), parts));
  return StringAttr::get(context, name);
}

SmallVector<StringAttr> ListBuilder::split(StringAttr axis, int64_t extent,
                                           ArrayRef<int64_t> factors) {
  MLIRContext *context = kernel.getContext();
  static constexpr StringLiteral suffixes[] = {"_o", "_m", "_i"};
  SmallVector<StringAttr> parts;
  int64_t inner = 1;
  for (int64_t factor : factors)
    inner *= factor;
  for (size_t i = 0; i <= factors.size(); ++i)
    parts.push_back(StringAttr::get(
        context, axis.getValue() + (i == factors.size() ? suffixes[2] : suffixes[i])));
  splits.push_back(SplitAttr::get(context, axis, parts, factors));
  if (extent % inner)
    edges.push_back(EdgeAttr::get(context, axis, EdgeMode::Peel));
  return parts;
}

void ListBuilder::tileBy(StringAttr axis, int64_t extent, int64_t width) {
  if (width == extent) {
    tile.push_back(axis);
    return;
  }
  SmallVector<StringAttr> parts = split(axis, extent, {width});
  order.push_back(parts[0]);
  tile.push_back(parts[1]);
}

StringAttr ListBuilder::name(unsigned axis) const {
  auto names = const_cast<KernelOp &>(kernel).getAxisNames();
  return cast<StringAttr>(names[axis]);
}

SmallVector<StringAttr>
ListBuilder::divide(unsigned axis, ArrayRef<std::pair<StringRef, int64_t>> inner, EdgeMode edge) {
  StringAttr whole = name(axis);
  int64_t extent = kernel.getExtents()[axis], points = 1;
  SmallVector<int64_t> factors;
  SmallVector<StringAttr> parts;
  auto add = [&](StringRef suffix) {
    parts.push_back(StringAttr::get(kernel.getContext(), whole.getValue() + suffix));
  };
  add("_o");
  for (auto [suffix, factor] : inner) {
    add(suffix);
    factors.push_back(factor);
    points *= factor;
  }
  bool covers = points == extent || (points > extent && edge != EdgeMode::Pad);
  if (inner.empty() || (inner.size() == 1 && covers))
    return {whole};
  splits.push_back(SplitAttr::get(kernel.getContext(), whole, parts, factors));
  if (extent % points || extent % factors.back())
    edges.push_back(EdgeAttr::get(kernel.getContext(), whole, edge));
  return parts;
}

StringAttr ListBuilder::makeName(StringRef base) {
  std::string text = base.str();
  auto isTaken = [&](StringAttr name) { return name && name.getValue() == text; };
  while (llvm::any_of(given, isTaken) || llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
           return isTaken(getValueName(&op));
         }))
    text += "_";
  return StringAttr::get(kernel.getContext(), text);
}

StringAttr ListBuilder::nameValue(Operation *op, StringRef base) {
  if (StringAttr name = getValueName(op))
    return name;
  StringAttr name = makeName(base);
  setValueName(op, name);
  return name;
}

void ListBuilder::keep(Operation *op, KeepPlace place, StringRef base) {
  rest.push_back(KeepAttr::get(kernel.getContext(), nameValue(op, base), place));
}

void ListBuilder::stage(Operation *op, StringRef base, ArrayRef<StringAttr> dims, bool global,
                        bool window, StringAttr loop) {
  rest.push_back(
      StageAttr::get(kernel.getContext(), nameValue(op, base), dims, loop, global, window));
}

void ListBuilder::widen(ContractOp contract) {
  StringAttr value = nameValue(contract, "sum");
  for (StringRef base : {"lhs_wide", "rhs_wide"})
    given.push_back(makeName(base));
  merges.push_back(WidenAttr::get(kernel.getContext(), value, given.end()[-2], given.end()[-1]));
}

void ListBuilder::contract(StringAttr group) {
  rest.push_back(ContractAttr::get(kernel.getContext(), group));
}

void ListBuilder::online(StringAttr loop) {
  rest.push_back(OnlineAttr::get(kernel.getContext(), loop));
}

void ListBuilder::skip(StringAttr axis) {
  rest.push_back(SkipAttr::get(kernel.getContext(), axis));
}

void ListBuilder::prefetch(Operation *load, int64_t ahead) {
  rest.push_back(PrefetchAttr::get(kernel.getContext(), nameValue(load, "fetched"), ahead));
}

void ListBuilder::factor(Operation *reduction, StringAttr axis, int64_t length) {
  auto part = [&](StringRef suffix) {
    return StringAttr::get(kernel.getContext(), axis.getValue() + suffix);
  };
  merges.push_back(RfactorAttr::get(kernel.getContext(), nameValue(reduction, "sum"), axis,
                                    part("_p"), part("_i"), length));
}

void ListBuilder::stream(StreamAttr stream) { rest.push_back(stream); }

void ListBuilder::unroll(StringAttr loop) {
  rest.push_back(UnrollAttr::get(kernel.getContext(), loop, /*factor=*/0));
}

ScheduleAttr ListBuilder::finish() {
  MLIRContext *context = kernel.getContext();
  SmallVector<Attribute> list(merges);
  list.append(splits);
  if (!grid.empty())
    list.push_back(GridAttr::get(context, grid));
  if (!order.empty())
    list.push_back(OrderAttr::get(context, order));
  if (!tile.empty())
    list.push_back(TileAttr::get(context, tile));
  list.append(rest);
  list.append(edges);
  return ScheduleAttr::get(context, list);
}
