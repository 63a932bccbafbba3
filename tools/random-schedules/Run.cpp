// Runs code as threads of the runtime would, each launch in memory of its own.
#include "Run.h"

#include "Guarded.h"

#include "tw/Dialect/View/View.h"

#include <barrier>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <thread>

using namespace mlir;
using namespace tw;
using namespace tw::fuzz;

/// Where to go on when code under test crashes.
static sigjmp_buf afterCrash;
static volatile sig_atomic_t inKernel = 0;

Loaded::Loaded(const Artefact &artefact) : artefact(artefact), size(artefact.bytes.size()) {
  void *pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    abort();
  base = static_cast<uint8_t *>(pages);
  memcpy(base, artefact.bytes.data(), size);
  mprotect(base, size, PROT_READ | PROT_EXEC);
}

Loaded::~Loaded() { munmap(base, size); }

/// Runs a kernel as threads would: in ranges, none of which may count on what another one left.
/// Says what happened if it crashes.
TWRT_CALLS_KERNELS static std::string
launch(TwrtHostKernel *kernel, const TwrtHostLaunch &arguments, Guarded &scratch, Random &random) {
  uint32_t programs = arguments.grid[0];
  uint32_t middle = programs ? uint32_t(random() % (programs + 1)) : 0;
  if (int signal = sigsetjmp(afterCrash, /*savemask=*/1))
    return "crashes with signal " + std::to_string(signal);
  inKernel = 1;
  kernel(&arguments, middle, programs, scratch.data());
  scratch.poison();
  kernel(&arguments, 0, middle, scratch.data());
  inKernel = 0;
  return "";
}

/// Threads of a team that run a kernel together, each with scratch memory of its own.
namespace {
struct Team {
  TwrtHostKernel *kernel;
  TwrtHostLaunch arguments;
  uint32_t programs;
  std::barrier<> together;
  Guarded &shared;

  static void wait(void *state) { static_cast<Team *>(state)->together.arrive_and_wait(); }
  TWRT_CALLS_KERNELS void run(uint32_t member, uint32_t members, Guarded &own) {
    TwrtHostTeam team = {member, members, wait, this, shared.data()};
    TwrtHostLaunch launch = arguments;
    launch.team = &team;
    kernel(&launch, 0, programs, own.data());
  }
};
} // namespace

/// A crash of one of the threads ends the process: its trials are then run alone.
static std::string launchTeam(TwrtHostKernel *kernel, const ArtefactEntry &entry,
                              const TwrtHostLaunch &arguments, Random &random) {
  uint32_t programs = arguments.grid[0], members = uint32_t(1 + random() % 4);
  Guarded shared(entry.sharedBytes, /*atEnd=*/false);
  Team team{kernel, arguments, programs, std::barrier<>(members), shared};
  std::vector<std::unique_ptr<Guarded>> own;
  for (uint32_t i = 0; i < members; ++i)
    own.push_back(std::make_unique<Guarded>(entry.scratchBytes, /*atEnd=*/false));
  std::vector<std::thread> others;
  for (uint32_t i = 1; i < members; ++i)
    others.emplace_back([&, i] { team.run(i, members, *own[i]); });
  team.run(0, members, *own[0]);
  for (std::thread &other : others)
    other.join();
  for (const auto &memory : own)
    if (!memory->isIntact())
      return "writes beyond the end of a thread's scratch memory";
  return shared.isIntact() ? "" : "writes beyond the end of its team's scratch memory";
}

int64_t Call::evaluate(const Dim &size) const {
  std::optional<int64_t> value = size.evaluate([&](StringAttr name) {
    auto it = sizes.find(name.getValue());
    return it == sizes.end() ? std::nullopt : std::optional<int64_t>(it->second);
  });
  return value.value_or(0);
}

static int64_t countPrograms(const Step &step, const ArtefactEntry &entry, const Call &call) {
  int64_t programs = step.grid.empty() ? int64_t(entry.programs) : 1;
  for (auto [size, points] : llvm::zip(step.grid, step.gridSteps))
    programs *= (call.evaluate(size) + points - 1) / points;
  return programs;
}

static RankedTensorType settle(RankedTensorType type, const Call &call) {
  SmallVector<int64_t> shape;
  for (const Dim &size : view::getSizes(type))
    shape.push_back(call.evaluate(size));
  return RankedTensorType::get(shape, type.getElementType());
}

std::string fuzz::run(const Call &call, const Loaded &loaded, size_t first, ArrayRef<Step> steps,
                      std::vector<interp::Tensor> &results, Random &random) {
  using Memory = std::vector<std::unique_ptr<Guarded>>;
  Memory inputs;
  std::vector<Memory> made(steps.size());
  for (const interp::Tensor &input : call.inputs) {
    inputs.push_back(std::make_unique<Guarded>(input.getBytes(), random() % 2));
    memcpy(inputs.back()->data(), input.bytes(), input.getBytes());
  }
  for (auto [i, step] : llvm::enumerate(steps)) {
    std::vector<void *> bindings;
    for (Step::Source source : step.operands)
      bindings.push_back((source.step ? made[*source.step] : inputs)[source.number]->data());
    for (Type type : step.results) {
      size_t bytes =
          interp::Tensor::allocate(settle(cast<RankedTensorType>(type), call)).getBytes();
      made[i].push_back(std::make_unique<Guarded>(bytes, random() % 2));
      bindings.push_back(made[i].back()->data());
    }
    const ArtefactEntry &entry = loaded.entry(first + i);
    Guarded scratch(entry.scratchBytes, /*atEnd=*/false);
    TwrtHostKernel *kernel = loaded.kernel(first + i);
    SmallVector<int64_t> scalars;
    for (const Dim &size : step.scalars)
      scalars.push_back(call.evaluate(size));
    uint32_t programs = uint32_t(countPrograms(step, entry, call));
    TwrtHostLaunch arguments{bindings.data(), scalars.data(), {programs, 1, 1}, nullptr};
    std::string wrong = entry.together ? launchTeam(kernel, entry, arguments, random)
                                       : launch(kernel, arguments, scratch, random);
    if (!wrong.empty())
      return wrong;
    if (!scratch.isIntact())
      return "writes beyond the end of its scratch memory";
    for (const Memory *memory : {&inputs, &made[i]})
      for (auto [number, own] : llvm::enumerate(*memory))
        if (!own->isIntact())
          return "writes beyond the ends of " +
                 std::string(memory == &inputs ? "input " : "result ") + std::to_string(number);
  }
  for (auto [input, own] : llvm::zip(call.inputs, inputs))
    if (memcmp(own->data(), input.bytes(), input.getBytes()) != 0)
      return "writes to an input";
  for (auto [own, type] : llvm::zip(made.back(), steps.back().results)) {
    interp::Tensor result = interp::Tensor::allocate(settle(cast<RankedTensorType>(type), call));
    memcpy(result.bytes(), own->data(), result.getBytes());
    results.push_back(result);
  }
  return "";
}

bool fuzz::recoverFrom(int signal) {
  if (!inKernel)
    return false;
  inKernel = 0;
  siglongjmp(afterCrash, signal);
}
