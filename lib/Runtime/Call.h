// A call: arguments and results of one run of a program, its arena and its plan.
#pragma once

#include "Buffer.h"
#include "Program.h"
#include "Stop.h"

#include <utility>

namespace tw::runtime {

/// An argument or a result as it is set now. `dims` are settled: no symbols.
struct CallValue {
  TwrtBuffer *buffer = nullptr;
  uint64_t offset = 0;
  /// `storage` has the extents in memory of an argument that the module gives some of its own.
  Array<int64_t> dims, storage;
  /// In memory.
  uint64_t bytes = 0;
  /// A result's buffer that the call made itself.
  bool own = false;
  /// Of a result: the argument whose memory it has, or -1.
  int32_t alias = -1;
};

/// A byte range of memory that commands use, before it has an address.
struct MemoryRef {
  enum Kind : uint8_t { Arena, Argument, Result, Constant } kind = Arena;
  /// Interval, argument, result or constant.
  uint32_t index = 0;
  uint64_t offset = 0, bytes = 0;
  /// The number of bytes comes from a late symbol.
  bool isLate = false;
  /// Which of the plan's advances moves it from iteration to iteration; noAdvance: none.
  uint32_t advance = UINT32_MAX;
};
inline constexpr uint32_t noAdvance = UINT32_MAX;

/// Bytes that a range moves on in each iteration of a loop, the outermost one being 0, and what
/// moves it in loops around that one.
struct Advance {
  uint32_t loop = 0, outer = noAdvance;
  int64_t step = 0;
};

/// Two intervals that swap their places behind each iteration.
struct Rotation {
  uint32_t a = 0, b = 0;
};

/// A straight piece of a plan, or a block of it with its nodes behind it.
struct PlanNode {
  enum Kind : uint8_t { Steps, If, Repeat, RepeatRead, While } kind = Steps;
  /// What makes it.
  uint32_t command = 0;
  /// The node behind it; of an `If`, the first of its other side.
  uint32_t end = 0, other = 0;
  uint32_t firstStep = 0, stepCount = 0, firstLaunch = 0;
  uint32_t firstRotation = 0, rotationCount = 0;
  /// What is read to decide.
  MemoryRef data;
  /// How often a `Repeat` runs, other loops at most.
  int64_t limit = 0;
};

/// Steps that are handed to a driver together, as a loop has them.
inline constexpr uint64_t maxPieceSteps = 4096;

/// What a range of the plan is made from, so that it can follow new arguments.
struct Relocation {
  MemoryRef ref;
  /// The binding that the range is for; alignment 0: none.
  uint32_t kernel = 0, alignment = 0;
};

/// Where an interval lies.
struct ArenaPlace {
  uint32_t slab = 0;
  uint64_t offset = 0;
};

/// A command that late symbols change, and the step it made; noStep: none.
struct LateCommand {
  uint32_t command = 0, step = 0;
};
inline constexpr uint32_t noStep = UINT32_MAX;

/// What a driver has recorded of a plan, with which it goes; nothing of it runs then.
class Recording {
public:
  Recording() = default;
  Recording(Recording &&other) noexcept { *this = std::move(other); }
  Recording &operator=(Recording &&other) noexcept {
    std::swap(device, other.device);
    std::swap(handle, other.handle);
    return *this;
  }
  ~Recording();

  void **place(const TwrtDevice &of) {
    device = &of;
    return &handle;
  }

private:
  const TwrtDevice *device = nullptr;
  void *handle = nullptr;
};

/// The plan of a call for the values of its symbols.
struct Prepared {
  Array<int64_t> symbols;
  Array<PlanStep> steps;
  Array<PlanRange> ranges;
  Array<Relocation> relocations;
  Array<int64_t> scalars;
  Array<PlanMap> maps;
  /// By launch, with the command that makes it.
  Array<TwrtSample> samples;
  Array<uint32_t> launchCommands;
  /// By interval.
  Array<ArenaPlace> places;
  Array<uint64_t> slabBytes;
  uint64_t scratchBytes = 0, sharedBytes = 0, arenaBytes = 0;
  /// What other values of late symbols change, in order, and what that is computed from.
  Array<LateCommand> late;
  Array<int64_t> registers;
  Array<MemoryRef> buffers;
  /// `isStale`: its late commands do not agree with each other, since following failed midway.
  bool isMade = false, isStale = false;
  /// Where a call decides about blocks: what is run, and by range whether its place changes. Empty:
  /// all steps, in order.
  Array<PlanNode> nodes;
  Array<Advance> advances;
  Array<Rotation> rotations;
  Array<bool> isMoving;
  /// By launch, of the last run.
  Array<uint64_t> runs;
  /// The most steps of a piece, and ranges of a step.
  uint64_t pieceSteps = 0, stepRanges = 0;
  /// The call's count of changes of plan when this one was left.
  uint64_t lastUsed = 0;
  Recording recording;

  explicit Prepared(const Allocator &allocator)
      : symbols(allocator), steps(allocator), ranges(allocator), relocations(allocator),
        scalars(allocator), maps(allocator), samples(allocator), launchCommands(allocator),
        places(allocator), slabBytes(allocator), late(allocator), registers(allocator),
        buffers(allocator), nodes(allocator), advances(allocator), rotations(allocator),
        isMoving(allocator), runs(allocator) {}
};

/// Steps as a driver gets them.
struct Submission {
  std::span<const PlanStep> steps;
  std::span<const PlanRange> ranges;
  TwrtSample *samples = nullptr;
  /// By launch, which of the plan's it is; null: those from `firstLaunch` on.
  const uint32_t *launches = nullptr;
  uint32_t firstLaunch = 0;
  /// As Plan has it.
  void **recording = nullptr;
};

/// Where steps of a plan with blocks are put together, which grows with the plans of a call.
struct Piece {
  Array<PlanStep> steps;
  Array<PlanRange> ranges;
  Array<TwrtSample> samples;
  Array<uint32_t> launches;
  /// By interval, the one whose place it has.
  Array<uint32_t> places;
  /// Launches whose times are not in the plan's samples yet.
  uint32_t untold = 0;

  explicit Piece(const Allocator &allocator)
      : steps(allocator), ranges(allocator), samples(allocator), launches(allocator),
        places(allocator) {}
};

/// Steps of a submission by default.
inline constexpr uint64_t defaultStepLimit = uint64_t(1) << 24;

/// Plans that a call keeps beside the current one.
inline constexpr uint32_t maxOtherPlans = 7;

} // namespace tw::runtime

struct TwrtCall {
  TwrtProgram *program;
  /// The commands: the program's own, or those of its initializer.
  const tw::format::fb::Program *commands;
  tw::runtime::Array<tw::runtime::CallValue> arguments, results;
  /// The current plan, and those of earlier sizes, of which the one left longest ago goes first.
  tw::runtime::Prepared plan;
  tw::runtime::Prepared *otherPlans[tw::runtime::maxOtherPlans] = {};
  /// How often the plan changed, and how often an arena was planned.
  uint64_t planChanges = 0, arenasPlanned = 0;
  /// Shared by all plans: as large as the largest needs.
  tw::runtime::Array<tw::runtime::DriverMemory> slabs;
  bool prepared = false;
  /// Nothing else that is set lies in memory which a result takes over.
  bool isApart = false;
  bool ran = false;
  /// Submissions are timed, and the last one was.
  bool timed, wasTimed = false;
  /// Submissions are recorded, where they can be.
  bool captured = false;
  /// What runs the last submitted plan, up to `lastPoint`.
  TwrtQueue *lastQueue = nullptr;
  uint64_t lastPoint = 0;
  TwrtLaunchHook hook = nullptr;
  void *hookUser = nullptr;
  tw::runtime::Piece piece;
  uint64_t stepLimit = tw::runtime::defaultStepLimit;
  /// The most threads of the host, 0 for all; nanoseconds of a submission, 0 for any number.
  uint32_t threads = 0;
  uint64_t timeLimit = 0;
  tw::runtime::Stop stop;
  /// Copies of bindings for the hook: from before a launch, and from after it where the host does
  /// not see the device's memory.
  tw::runtime::Array<uint8_t> kept[tw::format::maxKernelBindings],
      shown[tw::format::maxKernelBindings];
  /// What reads counts there.
  void *countQueue = nullptr;

  TwrtCall(TwrtProgram *program, const tw::format::fb::Program *commands);
  ~TwrtCall();
};

namespace tw::runtime {

/// Settles symbols and result shapes; finds the plan for them or makes it; gets the arena and the
/// missing results.
TwrtCode prepareCall(TwrtCall &call, TwrtError *error);

/// Gives the function's symbols, of which there are as many as `values`, what the arguments and the
/// equations make of them, and checks ranges and what must be equal.
TwrtCode settleSymbols(const TwrtCall &call, std::span<int64_t> values, TwrtError *error);

/// Hands steps of the call's plan to a queue of the driver. A launch that it refuses is named.
TwrtCode submitSteps(TwrtCall &call, void *queue, const Submission &submission, uint64_t *point,
                     TwrtError *error);
/// The same without a name, for who has one.
TwrtCode handInSteps(TwrtCall &call, void *queue, const Submission &submission, uint32_t *launching,
                     uint64_t *point, TwrtError *error);

/// The same without regard to the hook.
TwrtCode handInPlan(TwrtCall &call, void *queue, const Submission &submission, uint32_t *launching,
                    uint64_t *point, TwrtError *error);
/// The same step by step, each launch shown to the hook when it has run.
TwrtCode watchSteps(TwrtCall &call, void *queue, const Submission &submission, uint32_t *launching,
                    uint64_t *point, TwrtError *error);

/// Runs a plan that has nodes: reads what decides, hands over the steps piece by piece. `point` is
/// that of the last one. Nothing runs on where it fails.
TwrtCode walkPlan(TwrtCall &call, void *queue, uint64_t *point, TwrtError *error);

/// Waits for a piece whose times nobody has asked for: it will be filled anew, for another plan.
void freePiece(TwrtCall &call);

/// Adds the times of the last piece, which has run, to the plan's samples.
void tellTimes(TwrtCall &call);

/// Room for the pieces of a plan.
TwrtCode growPiece(TwrtCall &call, const Prepared &plan, TwrtError *error);

/// Waits until the last plan has run and lets go of its queue: before its memory goes.
TwrtCode settle(TwrtCall &call, TwrtError *error);

/// That arguments hold the values which the program was made for. Reads them through the queue, of
/// the driver, if there are any.
TwrtCode checkAssumed(TwrtCall &call, void *queue, TwrtError *error);

/// The argument whose memory a result shares, or NULL.
const CallValue *findAlias(const TwrtCall &call, size_t result);

/// Gives the plan's ranges the addresses of the buffers set now.
TwrtCode relocate(TwrtCall &call, TwrtError *error);

/// The memory of a reference, in the first iteration of all loops. Where places have been swapped,
/// an interval has that of the interval that `places` says.
PlanRange locate(const TwrtCall &call, const MemoryRef &ref, std::span<const uint32_t> places = {});

/// That a range lies where its kernel needs it.
TwrtCode checkPlace(const TwrtCall &call, const Relocation &relocation, const PlanRange &range,
                    TwrtError *error);

} // namespace tw::runtime
