// Plans a call's arena, gets its memory, and gives ranges their addresses.
#include "Preparer.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Planner.h"

#include <algorithm>
#include <cinttypes>

using namespace tw::runtime;
using namespace tw::format;

/// Plans one slot whose places the module leaves to us; its slabs come after those there are.
TwrtCode Preparer::planSlot(uint32_t slotIndex) {
  const fb::Slot *slot = program->slots()->Get(slotIndex);
  size_t count = plan.places.size(), members = 0;
  Array<PlanInterval> intervals(allocator);
  Array<uint32_t> which(allocator);
  Array<Placement> placements(allocator);
  Array<uint64_t> slabs(allocator), all(allocator);
  if (!intervals.reset(count) || !which.reset(count) || !placements.reset(count) ||
      !slabs.reset(count))
    return failMemory(error, "an arena plan");
  for (uint32_t i = 0; i < count; ++i) {
    const fb::Interval *interval = program->intervals()->Get(i);
    if (interval->slot() != slotIndex)
      continue;
    which[members] = i;
    intervals[members++] = {intervalBytes[i],
                            std::max({interval->alignment(), slot->offset_alignment(),
                                      call.program->device->info.offsetAlignment}),
                            interval->first(), interval->last()};
  }
  PlanLimits limits;
  limits.maxSlabBytes = call.program->device->info.maxSlabBytes;
  if (slot->max_slab())
    limits.maxSlabBytes = std::min<uint64_t>(limits.maxSlabBytes, slot->max_slab());
  PlanSummary summary;
  uint32_t bad = 0;
  PlanResult result = planArena({intervals.data(), members}, limits, {placements.data(), members},
                                {slabs.data(), members}, summary, bad);
  if (result == PlanResult::OutOfMemory)
    return failMemory(error, "an arena plan");
  if (result == PlanResult::BadInterval)
    return fail(error, TWRT_OUT_OF_MEMORY, "interval %u of %" PRIu64 " bytes is larger than a slab",
                which[bad], intervals[bad].bytes);
  size_t before = plan.slabBytes.size();
  if (!all.reset(before + summary.slabCount))
    return failMemory(error, "an arena plan");
  std::copy(plan.slabBytes.begin(), plan.slabBytes.end(), all.begin());
  std::copy_n(slabs.begin(), summary.slabCount, all.begin() + before);
  plan.slabBytes = std::move(all);
  for (size_t i = 0; i < members; ++i)
    plan.places[which[i]] = {nullptr, placements[i].offset, before + placements[i].slab};
  return TWRT_OK;
}

/// A plan in the module is taken as it is where it suits the device.
bool Preparer::plannedFor(uint32_t slotIndex) const {
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

/// places[i].bytes holds the index of the interval's slab until there are slabs to point to.
TwrtCode Preparer::planSlots() {
  for (uint32_t s = 0; s < program->slots()->size(); ++s) {
    const fb::Slot *slot = program->slots()->Get(s);
    if (!plannedFor(s)) {
      TWRT_TRY(planSlot(s));
      continue;
    }
    size_t before = plan.slabBytes.size(), count = slot->slabs() ? slot->slabs()->size() : 0;
    Array<uint64_t> all(allocator);
    if (!all.reset(before + count))
      return failMemory(error, "an arena plan");
    std::copy(plan.slabBytes.begin(), plan.slabBytes.end(), all.begin());
    for (uint32_t i = 0; i < count; ++i)
      all[before + i] = slot->slabs()->Get(i);
    plan.slabBytes = std::move(all);
    for (uint32_t i = 0; i < plan.places.size(); ++i)
      if (const fb::Interval *interval = program->intervals()->Get(i); interval->slot() == s)
        plan.places[i] = {nullptr, uint64_t(interval->offset()), before + interval->slab()};
  }
  for (uint64_t bytes : plan.slabBytes)
    if (!checkedAdd(plan.arenaBytes, bytes, plan.arenaBytes))
      return fail(error, TWRT_OUT_OF_MEMORY, "the size of the arena overflows");
  return TWRT_OK;
}

/// Gets slabs and the results that the caller left to the call, then makes the new plan current.
TwrtCode Preparer::getMemory() {
  TwrtDevice &device = *call.program->device;
  settle(call, nullptr);
  bool keep = call.slabs.size() == plan.slabBytes.size();
  for (size_t i = 0; keep && i < call.slabs.size(); ++i)
    keep = call.slabs[i].bytes >= plan.slabBytes[i];
  Array<DriverMemory> slabs(allocator);
  Array<TwrtBuffer *> made(allocator);
  TwrtCode code = TWRT_OK;
  if (!made.reset(call.results.size()) || (!keep && !slabs.reset(plan.slabBytes.size())))
    code = failMemory(error, "an arena");
  for (size_t i = 0; code == TWRT_OK && i < slabs.size(); ++i)
    code = allocateMemory(device, plan.slabBytes[i], "the arena", &slabs[i], error);
  for (size_t r = 0; code == TWRT_OK && r < call.results.size(); ++r) {
    const CallValue &value = call.results[r];
    if (!findAlias(call, r) && (!value.buffer || (value.own && value.bytes < resultBytes[r])))
      code = twrtBufferCreate(&device, resultBytes[r], 0, &made[r], error);
  }
  if (code != TWRT_OK) {
    for (DriverMemory &slab : slabs)
      freeMemory(device, &slab, true);
    for (TwrtBuffer *buffer : made)
      twrtBufferRelease(buffer);
    return code;
  }
  if (!keep) {
    for (DriverMemory &slab : call.slabs)
      freeMemory(device, &slab, true);
    call.slabs = std::move(slabs);
  }
  for (size_t r = 0; r < call.results.size(); ++r) {
    CallValue &value = call.results[r];
    if (made[r]) {
      twrtBufferRelease(value.buffer);
      value.buffer = made[r];
      value.offset = 0;
      value.own = true;
    }
    value.dims = std::move(resultDims[r]);
    value.bytes = resultBytes[r];
  }
  for (PlanRange &place : plan.places)
    place.memory = &call.slabs[place.bytes];
  call.plan = std::move(plan);
  return TWRT_OK;
}

const CallValue *tw::runtime::findAlias(const TwrtCall &call, size_t result) {
  const fb::Function *function = call.program->function;
  for (uint32_t i = 0; i < call.arguments.size(); ++i)
    if (function->arguments()->Get(i)->aliases_result() == int64_t(result))
      return &call.arguments[i];
  return nullptr;
}

static const CallValue &resultValue(const TwrtCall &call, uint32_t result) {
  const CallValue *alias = findAlias(call, result);
  return alias ? *alias : call.results[result];
}

TwrtCode tw::runtime::relocate(TwrtCall &call, TwrtError *error) {
  Prepared &plan = call.plan;
  for (size_t i = 0; i < plan.ranges.size(); ++i) {
    const Relocation &relocation = plan.relocations[i];
    const MemoryRef &ref = relocation.ref;
    PlanRange &range = plan.ranges[i];
    switch (ref.kind) {
    case MemoryRef::Arena:
      range = {plan.places[ref.index].memory, plan.places[ref.index].offset, ref.bytes};
      break;
    case MemoryRef::Argument:
    case MemoryRef::Result: {
      const CallValue &value = ref.kind == MemoryRef::Argument ? call.arguments[ref.index]
                                                               : resultValue(call, ref.index);
      range = {&value.buffer->memory, value.offset, ref.bytes};
      break;
    }
    case MemoryRef::Constant: {
      const ConstantPlace &place = call.program->constants[ref.index];
      range = {place.memory, place.offset, ref.bytes};
      break;
    }
    }
    range.offset += ref.offset;
    if (relocation.alignment == 0)
      continue;
    const TwrtDevice &device = *call.program->device;
    if (!isAligned(device, *range.memory, range.offset, relocation.alignment))
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
  return TWRT_OK;
}
