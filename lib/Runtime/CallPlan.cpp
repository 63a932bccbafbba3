// Plans a call's arena, gets its memory, and gives ranges their addresses.
#include "Preparer.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Planner.h"

#include <algorithm>
#include <cinttypes>

using namespace tw::runtime;
using namespace tw::format;

/// A plan this many percent above what lives at once is good enough, and this many pairs of
/// intervals are compared to find it: a pair takes about a nanosecond.
static constexpr unsigned planSlack = 1;
static constexpr uint64_t planPairs = 200000;

namespace {

/// The slabs of one plan, slot by slot.
struct SlabPlanner {
  TwrtCall &call;
  Prepared &plan;
  std::span<const uint64_t> intervalBytes;
  TwrtError *error;
  const Allocator &allocator = call.program->module->instance->allocator;
  const fb::Program *program = call.commands;
  /// Of the slot at hand: its intervals, which of the program's they are, and the order to try
  /// first.
  Array<PlanInterval> intervals{allocator};
  Array<uint32_t> which{allocator}, order{allocator};
  size_t members = 0;

  bool isPlanned(uint32_t slot) const;
  TwrtCode collect(uint32_t slot);
  TwrtCode planSlot(uint32_t slot);
  TwrtCode takeSlot(uint32_t slot);
  TwrtCode addSlabs(std::span<const uint64_t> slabs, size_t &first);
};

} // namespace

/// The slot's intervals, and where its order lists them.
TwrtCode SlabPlanner::collect(uint32_t slotIndex) {
  const fb::Slot *slot = program->slots()->Get(slotIndex);
  size_t count = plan.places.size(), ordered = slot->order() ? slot->order()->size() : 0;
  Array<uint32_t> indices(allocator);
  if (!intervals.reset(count) || !which.reset(count) || !indices.reset(count) ||
      !order.reset(ordered))
    return failMemory(error, "an arena plan");
  members = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const fb::Interval *interval = program->intervals()->Get(i);
    if (interval->slot() != slotIndex)
      continue;
    which[members] = i;
    indices[i] = uint32_t(members);
    intervals[members++] = {intervalBytes[i],
                            std::max({interval->alignment(), slot->offset_alignment(),
                                      call.program->device->info.offsetAlignment}),
                            interval->first(), interval->last()};
  }
  for (uint32_t i = 0; i < ordered; ++i)
    order[i] = indices[slot->order()->Get(i)];
  return TWRT_OK;
}

/// Slabs that come after those there are; `first` is the index of the first.
TwrtCode SlabPlanner::addSlabs(std::span<const uint64_t> slabs, size_t &first) {
  Array<uint64_t> all(allocator);
  first = plan.slabBytes.size();
  if (!all.reset(first + slabs.size()))
    return failMemory(error, "an arena plan");
  std::copy(plan.slabBytes.begin(), plan.slabBytes.end(), all.begin());
  std::copy(slabs.begin(), slabs.end(), all.begin() + first);
  plan.slabBytes = std::move(all);
  return TWRT_OK;
}

/// Plans one slot whose places the module leaves to us.
TwrtCode SlabPlanner::planSlot(uint32_t slotIndex) {
  TWRT_TRY(collect(slotIndex));
  Array<Placement> placements(allocator);
  Array<uint64_t> slabs(allocator);
  if (!placements.reset(members) || !slabs.reset(members))
    return failMemory(error, "an arena plan");
  PlanLimits limits;
  limits.maxSlabBytes = call.program->device->info.maxSlabBytes;
  if (uint64_t most = program->slots()->Get(slotIndex)->max_slab())
    limits.maxSlabBytes = std::min<uint64_t>(limits.maxSlabBytes, most);
  limits.order = order;
  limits.slack = planSlack;
  limits.maxPairs = planPairs;
  PlanSummary summary;
  uint32_t bad = 0;
  PlanResult result = planArena({intervals.data(), members}, limits, {placements.data(), members},
                                {slabs.data(), members}, summary, bad);
  if (result == PlanResult::OutOfMemory)
    return failMemory(error, "an arena plan");
  if (result == PlanResult::BadInterval)
    return fail(error, TWRT_OUT_OF_MEMORY, "interval %u of %" PRIu64 " bytes is larger than a slab",
                which[bad], intervals[bad].bytes);
  ++call.arenasPlanned;
  size_t first;
  TWRT_TRY(addSlabs({slabs.data(), summary.slabCount}, first));
  for (size_t i = 0; i < members; ++i)
    plan.places[which[i]] = {uint32_t(first + placements[i].slab), placements[i].offset};
  return TWRT_OK;
}

/// A plan in the module is taken as it is where it suits the device.
bool SlabPlanner::isPlanned(uint32_t slotIndex) const {
  const fb::Slot *slot = program->slots()->Get(slotIndex);
  const DeviceInfo &info = call.program->device->info;
  for (uint32_t i = 0; i < plan.places.size(); ++i) {
    const fb::Interval *interval = program->intervals()->Get(i);
    if (interval->slot() == slotIndex &&
        (interval->offset() < 0 || uint64_t(interval->offset()) % info.offsetAlignment != 0))
      return false;
  }
  for (uint32_t i = 0; slot->slabs() && i < slot->slabs()->size(); ++i)
    if (slot->slabs()->Get(i) > info.maxSlabBytes)
      return false;
  return true;
}

/// Takes the module's plan of a slot.
TwrtCode SlabPlanner::takeSlot(uint32_t slotIndex) {
  const fb::Slot *slot = program->slots()->Get(slotIndex);
  std::span<const uint64_t> slabs;
  if (slot->slabs())
    slabs = {slot->slabs()->data(), slot->slabs()->size()};
  size_t first;
  TWRT_TRY(addSlabs(slabs, first));
  for (uint32_t i = 0; i < plan.places.size(); ++i)
    if (const fb::Interval *interval = program->intervals()->Get(i); interval->slot() == slotIndex)
      plan.places[i] = {uint32_t(first + interval->slab()), uint64_t(interval->offset())};
  return TWRT_OK;
}

TwrtCode tw::runtime::planSlabs(TwrtCall &call, Prepared &plan,
                                std::span<const uint64_t> intervalBytes, TwrtError *error) {
  SlabPlanner planner{call, plan, intervalBytes, error};
  for (uint32_t s = 0; s < call.commands->slots()->size(); ++s)
    TWRT_TRY(planner.isPlanned(s) ? planner.takeSlot(s) : planner.planSlot(s));
  for (uint64_t bytes : plan.slabBytes)
    if (!checkedAdd(plan.arenaBytes, bytes, plan.arenaBytes))
      return fail(error, TWRT_OUT_OF_MEMORY, "the size of the arena overflows");
  return TWRT_OK;
}

TwrtCode tw::runtime::growSlabs(TwrtCall &call, const Prepared &plan, TwrtError *error) {
  TwrtDevice &device = *call.program->device;
  const Array<uint64_t> &wanted = plan.slabBytes;
  auto isLargeEnough = [&](size_t i) {
    return i >= wanted.size() || (i < call.slabs.size() && call.slabs[i].bytes >= wanted[i]);
  };
  size_t count = std::max(call.slabs.size(), wanted.size()), i = 0;
  while (i < count && isLargeEnough(i))
    ++i;
  if (i == count && count == call.slabs.size())
    return TWRT_OK;
  Array<DriverMemory> slabs(call.program->module->instance->allocator);
  TwrtCode code = slabs.reset(count) ? TWRT_OK : failMemory(error, "an arena");
  for (i = 0; code == TWRT_OK && i < count; ++i)
    if (!isLargeEnough(i))
      code = allocateMemory(device, wanted[i], "the arena", &slabs[i], error);
  bool worked = code == TWRT_OK;
  for (i = 0; i < slabs.size(); ++i) {
    bool isNew = !isLargeEnough(i);
    if (isNew && worked && i < call.slabs.size())
      freeMemory(device, &call.slabs[i], true);
    else if (isNew && !worked)
      freeMemory(device, &slabs[i], true);
    else if (!isNew)
      slabs[i] = call.slabs[i];
  }
  if (worked)
    call.slabs = std::move(slabs);
  return code;
}

const CallValue *tw::runtime::findAlias(const TwrtCall &call, size_t result) {
  int32_t alias = call.results[result].alias;
  return alias < 0 ? nullptr : &call.arguments[size_t(alias)];
}

static const CallValue &resultValue(const TwrtCall &call, uint32_t result) {
  const CallValue *alias = findAlias(call, result);
  return alias ? *alias : call.results[result];
}

PlanRange tw::runtime::locate(const TwrtCall &call, const MemoryRef &ref,
                              std::span<const uint32_t> places) {
  switch (ref.kind) {
  case MemoryRef::Arena: {
    const ArenaPlace &place = call.plan.places[places.empty() ? ref.index : places[ref.index]];
    return {&call.slabs[place.slab], place.offset + ref.offset, ref.bytes};
  }
  case MemoryRef::Argument:
  case MemoryRef::Result: {
    const CallValue &value =
        ref.kind == MemoryRef::Argument ? call.arguments[ref.index] : resultValue(call, ref.index);
    return {&value.buffer->memory, value.offset + ref.offset, ref.bytes};
  }
  case MemoryRef::Constant:
    break;
  }
  const ConstantPlace &place = call.program->constants[ref.index];
  return {place.memory, place.offset + ref.offset, ref.bytes};
}

TwrtCode tw::runtime::checkPlace(const TwrtCall &call, const Relocation &relocation,
                                 const PlanRange &range, TwrtError *error) {
  const TwrtDevice &device = *call.program->device;
  const MemoryRef &ref = relocation.ref;
  if (relocation.alignment == 0 ||
      isAligned(device, *range.memory, range.offset, relocation.alignment))
    return TWRT_OK;
  return fail(error, TWRT_INVALID_ARGUMENT,
              "kernel '%.80s' needs a binding aligned to %u bytes, %s %u is not",
              call.program->module->root->kernels()->Get(relocation.kernel)->name()->c_str(),
              std::max(relocation.alignment, device.info.offsetAlignment),
              ref.kind == MemoryRef::Argument   ? "argument"
              : ref.kind == MemoryRef::Result   ? "result"
              : ref.kind == MemoryRef::Constant ? "constant"
                                                : "interval",
              ref.index);
}

TwrtCode tw::runtime::relocate(TwrtCall &call, TwrtError *error) {
  Prepared &plan = call.plan;
  for (size_t i = 0; i < plan.ranges.size(); ++i) {
    plan.ranges[i] = locate(call, plan.relocations[i].ref);
    TWRT_TRY(checkPlace(call, plan.relocations[i], plan.ranges[i], error));
  }
  return TWRT_OK;
}
