// Plans: launches, copies and fills handed in one after the other.
#include "Clock.h"
#include "Stream.h"

#include <algorithm>
#include <iterator>

using namespace tw::runtime;
using namespace tw::runtime::stream;

/// Where a binding lies. Kernels may read at the place of an element that is not there, whose value
/// goes nowhere: where there is none at all, that is memory of the device, and zeros.
static TwrtCode getAddress(Queue &queue, const PlanRange &range, uint64_t *address,
                           TwrtError *error) {
  if (range.bytes) {
    *address = addressOf(range);
    return TWRT_OK;
  }
  Device &device = queue.device;
  std::lock_guard lock(device.emptyMutex);
  if (!device.empty) {
    TWRT_TRY(invoke(device, device.api.allocate, error, address, size_t(Pool::alignment)));
    TWRT_TRY(invoke(device, device.api.set8, error, *address, static_cast<unsigned char>(0),
                    size_t(Pool::alignment), queue.stream));
    device.empty = *address;
  }
  *address = device.empty;
  return TWRT_OK;
}

/// CU_TENSOR_MAP_DATA_TYPE_*, by bytes of integers and by kinds of floats.
static int mapElement(tw::format::ElementType element) {
  switch (element) {
  case tw::format::ElementType::F16:
    return 6;
  case tw::format::ElementType::F32:
    return 7;
  case tw::format::ElementType::F64:
    return 8;
  case tw::format::ElementType::BF16:
    return 9;
  default:
    break;
  }
  constexpr int ofBytes[] = {-1, 0, 1, -1, 2, -1, -1, -1, 4};
  return ofBytes[tw::format::elementBytes(element) % std::size(ofBytes)];
}

/// Makes the maps of a launch whose bindings have moved.
static TwrtCode makeMaps(Queue &queue, const Executable::Kernel &kernel, const uint64_t *addresses,
                         PlanMap *maps, TwrtError *error) {
  // CU_TENSOR_MAP_INTERLEAVE_NONE, _L2_PROMOTION_L2_128B, _FLOAT_OOB_FILL_NONE: zeros.
  constexpr int interleave = 0, promotion = 2, fill = 0;
  constexpr unsigned steps[tw::format::maxMapRank] = {1, 1, 1, 1, 1};
  for (const ImageMap &map : kernel.maps) {
    PlanMap &made = maps[&map - kernel.maps.begin()];
    uint64_t address = addresses[map.binding];
    if (made.isMade && made.address == address)
      continue;
    // CU_TENSOR_MAP_SWIZZLE_NONE, _32B, _64B, _128B.
    int swizzle = map.swizzle == 128 ? 3 : int(map.swizzle / 32);
    TWRT_TRY(invoke(queue.device, queue.device.api.encodeMap, error,
                    static_cast<void *>(made.bytes), mapElement(map.element), map.rank,
                    reinterpret_cast<void *>(address), map.extents, map.strides, map.box, steps,
                    interleave, swizzle, promotion, fill));
    made.address = address;
    made.isMade = true;
  }
  return TWRT_OK;
}

TwrtCode stream::getArguments(Queue &queue, const Plan &plan, const PlanStep &step,
                              LaunchArguments &arguments, TwrtError *error) {
  const Executable::Kernel &kernel =
      static_cast<const Executable *>(step.executable)->kernels[step.entry];
  arguments.kernel = &kernel;
  for (uint32_t i = 0; i < step.rangeCount; ++i)
    TWRT_TRY(getAddress(queue, plan.ranges[step.firstRange + i], &arguments.addresses[i], error));
  uint64_t programs = uint64_t(step.grid[0]) * step.grid[1] * step.grid[2];
  // Kernels know their number as x + y * width, and stop above the number of programs. AMD counts
  // the threads of a row in 32 bits.
  uint64_t most = std::min(queue.device.maxGridX, UINT32_MAX / std::max(kernel.group, 1u));
  uint64_t width = std::min(programs, most);
  arguments.width = uint32_t(width);
  arguments.height = uint32_t(width ? (programs + width - 1) / width : 0);
  return TWRT_OK;
}

static TwrtCode launch(Queue &queue, void *stream, const Plan &plan, const PlanStep &step,
                       TwrtError *error) {
  LaunchArguments arguments;
  TWRT_TRY(getArguments(queue, plan, step, arguments, error));
  if (arguments.width == 0)
    return TWRT_OK;
  const Executable::Kernel &kernel = *arguments.kernel;
  void *parameters[32 + tw::format::maxKernelMaps];
  for (uint32_t i = 0; i < step.rangeCount; ++i)
    parameters[i] = &arguments.addresses[i];
  for (uint32_t i = 0; i < kernel.scalars; ++i)
    parameters[step.rangeCount + i] = const_cast<int64_t *>(&plan.scalars[step.firstScalar + i]);
  TWRT_TRY(makeMaps(queue, kernel, arguments.addresses, step.maps, error));
  for (uint32_t i = 0; i < kernel.maps.size(); ++i)
    parameters[step.rangeCount + kernel.scalars + i] = step.maps[i].bytes;
  return invoke(queue.device, queue.device.api.launch, error, kernel.function, arguments.width,
                arguments.height, 1u, kernel.group, 1u, 1u, kernel.dynamicBytes, stream, parameters,
                static_cast<void **>(nullptr));
}

/// Marks the time after a launch, or before the first. Times are a service: without an event the
/// launch has none.
static void mark(Queue &queue, Flight &flight, size_t index) {
  void *event = takeEvent(queue);
  if (event &&
      invoke(queue.device, queue.device.api.eventRecord, nullptr, event, queue.stream) != TWRT_OK) {
    queue.device.api.eventDestroy.function(event);
    event = nullptr;
  }
  flight.events[index] = event;
}

TwrtCode stream::runSteps(Queue &queue, void *stream, const Plan &plan, Flight *flight,
                          TwrtError *error) {
  uint32_t launches = 0;
  for (const PlanStep &step : plan.steps) {
    switch (step.kind) {
    case PlanStep::Launch:
      if (plan.launching)
        *plan.launching = launches;
      TWRT_TRY(launch(queue, stream, plan, step, error));
      if (plan.launching)
        *plan.launching = UINT32_MAX;
      ++launches;
      if (flight)
        mark(queue, *flight, launches);
      break;
    case PlanStep::Copy:
      TWRT_TRY(addCopy(queue, stream, plan.ranges[step.firstRange],
                       plan.ranges[step.firstRange + 1], error));
      break;
    case PlanStep::Fill:
      TWRT_TRY(
          addFill(queue, stream, plan.ranges[step.firstRange], step.pattern, step.width, error));
      break;
    }
  }
  return TWRT_OK;
}

/// Begins to note times for the plan that ends at the next point, if it launches anything.
static TwrtCode beginFlight(Queue &queue, const Plan &plan, Flight **begun, TwrtError *error) {
  const Allocator &allocator = queue.device.allocator;
  size_t launches = 0;
  for (const PlanStep &step : plan.steps)
    launches += step.kind == PlanStep::Launch;
  if (!launches)
    return TWRT_OK;
  Flight *flight = create<Flight>(allocator, allocator);
  if (!flight || !flight->events.reset(launches + 1)) {
    destroy(allocator, flight);
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory to submit a plan");
  }
  flight->submittedNs = now();
  flight->samples = plan.samples;
  {
    std::lock_guard lock(queue.mutex);
    flight->point = queue.last + 1;
    flight->next = queue.flights;
    queue.flights = flight;
  }
  mark(queue, *flight, 0);
  *begun = flight;
  return TWRT_OK;
}

TwrtCode stream::submitPlan(void *handle, const Plan &plan, uint64_t *point, TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  Submission submission(queue);
  TWRT_TRY(submission.check(error));
  Flight *flight = nullptr;
  if (plan.samples)
    TWRT_TRY(beginFlight(queue, plan, &flight, error));
  TwrtCode code = plan.recording && !plan.steps.empty()
                      ? runRecorded(queue, plan, error)
                      : runSteps(queue, queue.stream, plan, flight, error);
  if (code == TWRT_OK)
    code = advance(queue, point, error);
  if (code != TWRT_OK && flight) {
    // What was handed in before the failure still runs; nobody gets its times.
    std::lock_guard lock(queue.mutex);
    flight->samples = nullptr;
  }
  return code;
}
