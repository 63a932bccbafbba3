// Times of preparing a call: sizes that come again, that are new, late symbols. Runs no kernel.
//
//   bench-prepare [launches [repeats]]
//
// The program is shaped like a decoder: per layer a norm, a product, heads, a cache that grows in
// place, attention over it, and a residual; the sizes are rows S and the late position P.
#include "tw/Format/Planner.h"
#include "tw/Format/ProgramBuilder.h"
#include "twrt/twrt.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace tw::format;

namespace {

constexpr int64_t width = 512, wide = 1408, positions = 4096;
enum Size : uint32_t { S, P, L, Tile, Tiles };

SymbolTable makeSymbols() {
  SymbolTable table;
  table.add({"S", 1, 2048});
  Symbol rows{"P", 0, positions - 1};
  rows.late = true;
  table.add(rows);
  table.derive(Opcode::Add, P, S, "L", {1, positions});
  table.constant(8);
  table.derive(Opcode::CeilDiv, S, Tile);
  return table;
}

TensorType f32(std::vector<int64_t> dims) { return {ElementType::F32, std::move(dims)}; }

/// Kernels of one and of two inputs, whose rows are scalar 0, and one that takes P too.
void addKernels(Metadata &metadata) {
  Variant variant;
  variant.format = "host";
  variant.section = 1;
  variant.entry = "none";
  Binding read{Access::Read, 4, f32({symbolicDim(0), width})}, write = read;
  write.access = Access::Write;
  Binding cache{Access::Read, 4, f32({positions, width})}, grown = cache;
  grown.access = Access::Write;
  metadata.kernels = {{"map", {read, write}, 2, {variant}, 0, 0},
                      {"join", {read, read, write}, 2, {variant}, 0, 0},
                      {"append", {read, grown}, 3, {variant}, 0, 0},
                      {"attend", {read, cache, write}, 3, {variant}, 0, 0}};
}

struct Writer {
  ProgramBuilder p{"host"};
  RegisterRef rows = p.symbol(S, 128), at = p.symbol(P, 256), end = p.symbol(L, 384);
  RegisterRef tiles = p.symbol(Tiles, 16), one = p.constant(1);
  uint32_t launches = 0;

  BufferRef reserve(int64_t columns) {
    return p.reserve(p.arith(Opcode::Mul, rows, p.constant(4 * columns)));
  }
  void launch(uint32_t kernel, std::initializer_list<BufferRef> buffers, bool late = false) {
    RegisterRef scalars[] = {rows, tiles, late ? end : one};
    p.launch(kernel, {tiles, p.constant(4), one}, {buffers.begin(), buffers.size()},
             {scalars, late ? 3u : 2u});
    ++launches;
  }
  BufferRef map(BufferRef from, int64_t columns) {
    BufferRef made = reserve(columns);
    launch(0, {from, made});
    return made;
  }
  BufferRef addLayer(BufferRef x, uint32_t cache) {
    BufferRef normed = map(x, width), joined = map(normed, 3 * width), heads = map(joined, width);
    launch(2, {joined, p.bindResult(cache)}, true);
    BufferRef seen = reserve(width);
    launch(3, {heads, p.bindResult(cache), seen}, true);
    BufferRef added = reserve(width);
    launch(1, {x, seen, added});
    BufferRef hidden = map(map(added, width), wide), out = reserve(width);
    launch(1, {added, hidden, out});
    return out;
  }
};

Metadata makeModule(uint32_t launches) {
  Metadata metadata;
  addKernels(metadata);
  Function main;
  main.name = "main";
  main.symbols = makeSymbols().list();
  main.arguments = {{"x", f32({symbolicDim(S), width}), 4, 0, -1}};
  main.results = {{"y", f32({symbolicDim(S), width}), 0}};
  Writer writer;
  BufferRef x = writer.p.bindArgument(0);
  while (writer.launches + 9 <= launches) {
    uint32_t cache = uint32_t(main.results.size());
    std::string name = std::to_string(cache);
    main.arguments.push_back({"past_" + name, f32({symbolicDim(P), width}), 4, 0, int32_t(cache),
                              f32({positions, width})});
    main.results.push_back({"present_" + name, f32({symbolicDim(L), width}), 0});
    x = writer.addLayer(x, cache);
  }
  while (writer.launches + 1 < launches)
    x = writer.map(x, width);
  writer.launch(0, {x, writer.p.bindResult(0)});
  main.programs = {writer.p.finish()};
  metadata.functions = {main};
  return metadata;
}

TwrtError error = {sizeof(TwrtError), TWRT_OK, 0, "", ""};

void check(TwrtCode code) {
  if (code == TWRT_OK)
    return;
  fprintf(stderr, "bench-prepare: %s\n", error.message);
  exit(1);
}

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) * 1e6 + double(time.tv_nsec) * 1e-3;
}

struct Bench {
  Metadata metadata;
  std::vector<uint8_t> bytes;
  TwrtInstance *instance = nullptr;
  TwrtDevice *device = nullptr;
  TwrtModule *module = nullptr;
  TwrtProgram *program = nullptr;
  TwrtCall *call = nullptr;
  TwrtBuffer *input = nullptr;

  explicit Bench(uint32_t launches) : metadata(makeModule(launches)) {
    std::vector<uint8_t> image(64);
    ContainerWriter writer;
    writer.addSection(SectionKind::HostImage, 12, image);
    bytes = finishModule(writer, metadata);
    TwrtModuleOptions options = {
        sizeof(options), TWRT_MODULE_ALLOW_NATIVE, nullptr, nullptr, nullptr, nullptr};
    check(twrtInstanceCreate(nullptr, TWRT_ABI, &instance, &error));
    check(twrtInstanceOpenDevice(instance, "host", &device, &error));
    check(twrtModuleFromMemory(instance, {bytes.data(), bytes.size()}, &options, &module, &error));
    check(twrtProgramCreate(module, nullptr, &device, 1, &program, &error));
    check(twrtBufferCreate(device, 2048 * width * 4, 0, &input, &error));
    makeCall();
  }
  ~Bench() {
    twrtCallRelease(call);
    twrtBufferRelease(input);
    twrtProgramRelease(program);
    twrtModuleRelease(module);
    twrtDeviceRelease(device);
    twrtInstanceRelease(instance);
  }
  void makeCall() {
    twrtCallRelease(call);
    check(twrtCallCreate(program, &call, &error));
    for (size_t i = 1; i < twrtProgramArgumentCount(program); ++i) {
      TwrtBuffer *cache = nullptr;
      check(twrtBufferCreate(device, positions * width * 4, 0, &cache, &error));
      int64_t dims[] = {0, width}, storage[] = {positions, width};
      TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 2, 0, cache, 0, dims, storage};
      check(twrtCallSetArgument(call, i, &tensor, &error));
      twrtBufferRelease(cache);
    }
  }
  /// Microseconds.
  double prepare(int64_t rows, int64_t position) {
    double start = now();
    int64_t dims[] = {rows, width}, past[] = {position, width};
    TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 2, 0, input, 0, dims, nullptr};
    check(twrtCallSetArgument(call, 0, &tensor, &error));
    for (size_t i = 1; i < twrtProgramArgumentCount(program); ++i)
      check(twrtCallSetDims(call, i, past, 2, &error));
    check(twrtCallPrepare(call, nullptr, &error));
    return now() - start;
  }
  /// The arena against what lives at once.
  double tightness(int64_t rows) const {
    uint64_t arena = 0;
    check(twrtCallPrepare(call, &arena, &error));
    const Program &commands = metadata.functions[0].programs[0];
    auto reserved = [&](size_t interval) {
      // The register of the size is the product of S and a constant, made by the command before.
      const Interval &at = commands.intervals[interval];
      for (const Command &command : commands.code)
        if (command.opcode == uint16_t(Opcode::Mul) && command.target == at.size)
          for (const Command &made : commands.code)
            if (made.opcode == uint16_t(Opcode::Const) &&
                made.target == commands.operands[command.first + 1])
              return uint64_t(commands.literals[commands.operands[made.first]] * rows);
      return uint64_t(0);
    };
    std::vector<PlanInterval> intervals;
    for (size_t i = 0; i < commands.intervals.size(); ++i)
      intervals.push_back(
          {reserved(i), 64, commands.intervals[i].first, commands.intervals[i].last});
    std::vector<Placement> places(intervals.size());
    std::vector<uint64_t> slabs(intervals.size());
    PlanSummary summary;
    uint32_t bad = 0;
    planArena(intervals, {}, places, slabs, summary, bad);
    return double(arena) / double(summary.peakLiveBytes);
  }
};

/// Least and median.
void print(const char *what, std::vector<double> times, const char *note) {
  std::sort(times.begin(), times.end());
  printf("%-34s %8.1f %8.1f   %s\n", what, times.front(), times[times.size() / 2], note);
}

} // namespace

int main(int count, char **arguments) {
  uint32_t launches = count > 1 ? uint32_t(atoi(arguments[1])) : 100;
  int repeats = count > 2 ? atoi(arguments[2]) : 200;
  Bench bench(launches);
  printf("%u launches, %zu buffers of the arena, %zu arguments\n\n%-34s %8s %8s\n", launches,
         bench.metadata.functions[0].programs[0].intervals.size(),
         bench.metadata.functions[0].arguments.size(), "microseconds", "least", "median");
  std::vector<double> times;
  bench.prepare(2048, 0);
  for (int i = 0; i < repeats; ++i)
    times.push_back(bench.prepare(2040 - i, 0));
  print("a new size", times, "the arena is large enough");
  times.clear();
  bench.makeCall();
  for (int i = 0; i < 16; ++i)
    times.push_back(bench.prepare(8 + i, 0));
  print("a new size that needs more memory", times, "S from 8 to 23");
  times.clear();
  for (int i = 0; i < 8 + repeats; ++i)
    if (double time = bench.prepare(100 + i % 8, 0); i >= 8)
      times.push_back(time);
  print("one of eight sizes in turn", times, "kept");
  times.clear();
  bench.prepare(1, 0);
  for (int i = 0; i < repeats; ++i)
    times.push_back(bench.prepare(1, 1 + i));
  print("the next position", times, "late: followed");
  double worst = 0;
  for (int64_t rows : {1, 2, 3, 7, 16, 100, 127, 128, 500, 1000, 2000, 2048}) {
    bench.prepare(rows, 0);
    worst = std::max(worst, bench.tightness(rows));
  }
  printf("\narena against what lives at once, worst of 12 sizes: %.3f\n", worst);
  return 0;
}
