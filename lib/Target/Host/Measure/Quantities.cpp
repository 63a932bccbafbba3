// What is timed: each loop on memory of the size that shows one thing.
#include "Quantities.h"

#include "Threads.h"

#include "tw/Format/HostAbi.h"

#include "llvm/Support/MathExtras.h"

#include <chrono>
#include <unistd.h>

using namespace tw::host;
using namespace tw::host::measure;

/// Steps of a loop of a few cycles: some ten microseconds, less than what else happens takes.
static constexpr int64_t shortSteps = 8000, chaseSteps = 4000;

static TWRT_CALLS_KERNELS void call(Loop *loop, void *data, int64_t steps, int64_t mask) {
  loop(data, steps, mask);
}

static double timeOf(Loop *loop, void *data, int64_t steps, int64_t mask) {
  auto start = std::chrono::steady_clock::now();
  call(loop, data, steps, mask);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Of a ring that takes `share` of `bytes` at most.
static int64_t ringOf(int64_t bytes) { return int64_t(llvm::bit_floor(uint64_t(bytes))); }

/// A memory is four times as large as the last cache, and at most a quarter of what there is.
static int64_t getMemoryBytes(const tw::schedule::HostTraits &traits) {
  int64_t there = int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  return ringOf(std::min(4 * traits.l3Bytes, std::max<int64_t>(there / 4, 16 << 20)));
}

Quantities::Quantities(const Description &machine, const Loops &loops)
    : traits(machine.traits), loops(loops) {
  small = &allocate(ringOf(traits.l1Bytes / 2), Buffer::Pages::Small);
  memory = &allocate(getMemoryBytes(traits), Buffer::Pages::Large);
  if (!hasMemory())
    return;
  addCore();
  addCaches();
  addPages();
  addAhead();
  addThreads();
}

bool Quantities::hasMemory() const {
  return llvm::all_of(buffers, [](const auto &buffer) { return buffer->data() != nullptr; });
}

Buffer &Quantities::allocate(int64_t bytes, Buffer::Pages pages) {
  buffers.push_back(std::make_unique<Buffer>(bytes, pages));
  return *buffers.back();
}

double Quantities::getSecondsOfCycle() const {
  constexpr int64_t steps = 100;
  Loop *chain = loops.find("chain");
  // Its code comes from memory first, after loops over much of it.
  timeOf(chain, small->data(), 1, 0);
  return timeOf(chain, small->data(), steps, 0) / double(steps * Loops::chainCycles);
}

void Quantities::add(const std::string &name, llvm::StringRef loop, Buffer &buffer, int64_t steps,
                     int64_t mask, double unitsOfStep) {
  Loop *found = loops.find(loop);
  if (!found)
    return;
  all.push_back({name, double(steps) * unitsOfStep, [found, &buffer, steps, mask] {
                   return timeOf(found, buffer.data(), steps, mask);
                 }});
}

/// Once around first, so that all is where it has room.
void Quantities::addChase(const std::string &name, char *data, int64_t places) {
  Loop *chase = loops.find("chase");
  all.push_back({name, double(chaseSteps), [=] {
                   call(chase, data, places, 0);
                   return timeOf(chase, data, chaseSteps, 0);
                 }});
}

/// From another place in each run: the last one's are in the caches.
void Quantities::addMemoryChase(const std::string &name, llvm::StringRef loop, int64_t steps) {
  Loop *chase = loops.find(loop);
  int64_t line = traits.lineBytes, places = memory->bytes() / line;
  auto draw = [=, this] { return int64_t(random() % uint64_t(places / 2)) * line; };
  all.push_back({name, double(steps), [=, this] {
                   char *first = memory->data() + draw();
                   return timeOf(chase, first, steps, draw());
                 }});
}

void Quantities::addCore() {
  double independent = double(loops.independent());
  int64_t mask = small->bytes() - 1;
  for (const char *name : {"fma", "shuffle", "divide", "bf16Dot", "int8Dot"})
    add(name, name, *small, shortSteps, 0, independent);
  for (const char *name : {"fmaChain", "reload"})
    add(name, name, *small, shortSteps, 0, 1);
  for (const char *name : {"load", "store", "masked"})
    add(name, name, *small, shortSteps, mask, Loops::accesses);
  add("issue", "issue", *small, shortSteps, 0, Loops::mixed);
  add("branchAtRandom", "branch", *small, shortSteps, -1, 1);
  add("branchForetold", "branch", *small, shortSteps, 0, 1);
}

void Quantities::addCaches() {
  int64_t line = traits.lineBytes;
  double bytesOfStep = double(Loops::accesses * traits.lanes * 4);
  Loop *load = loops.find("load");
  auto addLevel = [&](const std::string &name, int64_t bytes) {
    char *data = allocate(bytes, Buffer::Pages::Large).data();
    if (!data)
      return;
    // Once around first, so that all is where it has room; then a part.
    int64_t around = bytes / int64_t(bytesOfStep);
    int64_t steps = std::min<int64_t>(around, (1 << 20) / int64_t(bytesOfStep));
    all.push_back({name + "Read", double(steps) * bytesOfStep, [=] {
                     call(load, data, around, bytes - 1);
                     return timeOf(load, data, steps, bytes - 1);
                   }});
    makeChase(data, bytes / line, line);
    addChase(name + "Chase", data, bytes / line);
  };
  addLevel("l2", ringOf(traits.l2Bytes / 2));
  if (traits.l3Bytes > 2 * traits.l2Bytes)
    addLevel("l3", std::min(ringOf(traits.l3Bytes / 2), ringOf(8 * traits.l2Bytes)));
  // Of memory the parts of a ring in turn, for which there is room nowhere else.
  int64_t part = std::min<int64_t>(memory->bytes(), 2 << 20);
  auto at = std::make_shared<int64_t>(0);
  all.push_back({"memoryRead", double(part), [=, this] {
                   *at = (*at + part) % memory->bytes();
                   return timeOf(load, memory->data() + *at, part / int64_t(bytesOfStep), part - 1);
                 }});
  if (Loop *apart = loops.find("loadApart"); apart && part == Loops::places * Loops::placeBytes)
    all.push_back({"memoryReadApart", double(part), [=, this] {
                     *at = (*at + part) % memory->bytes();
                     return timeOf(apart, memory->data() + *at, part / int64_t(bytesOfStep),
                                   Loops::placeBytes - 1);
                   }});
  makeChase(memory->data(), memory->bytes() / line, line);
  addMemoryChase("memoryChase", "chase", chaseSteps / 2);
  add("memoryLines", "lines", *memory, chaseSteps, memory->bytes() - 1, 1);
}

void Quantities::addPages() {
  constexpr int64_t page = 4096;
  int64_t most = *std::max_element(std::begin(pageCounts), std::end(pageCounts));
  Buffer &apart = allocate(most * page, Buffer::Pages::Small);
  Buffer &dense = allocate(most * traits.lineBytes * 2, Buffer::Pages::Large);
  if (!hasMemory())
    return;
  int64_t shift = 0;
  for (int64_t count : pageCounts) {
    // Lines of their own for each count, so that one does not tear another's ring.
    makeChase(apart.data(), count, page, shift);
    addChase("pages" + std::to_string(count), apart.data() + shift * 64, count);
    shift += 3;
  }
  // The same lines close together: what is left of the difference is due to pages.
  makeChase(dense.data(), most, traits.lineBytes);
  for (int64_t count : pageCounts) {
    Buffer &lines = allocate(count * traits.lineBytes + page, Buffer::Pages::Large);
    makeChase(lines.data(), count, traits.lineBytes);
    addChase("lines" + std::to_string(count), lines.data(), count);
  }
  add("pagesAtRandom", "pages", apart, chaseSteps, most * page - 1, 1);
  add("linesAtRandom", "lines", dense, chaseSteps, most * traits.lineBytes - 1, 1);
}

void Quantities::addAhead() {
  for (int64_t count : fillers)
    addMemoryChase("ahead" + std::to_string(count), "ahead" + std::to_string(count),
                   chaseSteps / 8);
}

void Quantities::addThreads() {
  auto threads = unsigned(traits.threads);
  if (threads < 2)
    return;
  double bytesOfStep = double(Loops::accesses * traits.lanes * 4);
  auto addRings = [&](const std::string &name, int64_t bytes, int64_t passes) {
    auto rings = std::make_shared<std::vector<ThreadTask>>();
    int64_t steps = passes * bytes / int64_t(bytesOfStep);
    for (unsigned i = 0; i < threads; ++i) {
      char *data = allocate(bytes, Buffer::Pages::Large).data();
      rings->push_back([=, load = loops.find("load")] { call(load, data, steps, bytes - 1); });
    }
    if (!hasMemory())
      return;
    all.push_back(
        {name, double(steps) * bytesOfStep * threads, [rings] { return timeTogether(*rings); }});
  };
  addRings("allMemoryRead", std::max<int64_t>(ringOf(memory->bytes() / threads), 1 << 21), 1);
  int64_t share = ringOf(traits.l3Bytes / 2 / threads);
  if (share >= 2 * traits.l2Bytes)
    addRings("l3AllRead", share, 2);
  all.push_back({"launch", 1, [threads] { return timeLaunch(threads); }});
}
