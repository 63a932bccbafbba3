// The suite's module, for every target.
#include "Modules.h"
#include "tw/Format/ProgramBuilder.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <iterator>
#include <string>
#include <unistd.h>

using namespace tw;
using namespace tw::format;
using namespace tw::test;

static constexpr const char *kernelNames[] = {"add", "scale", "ids", "reverse", "many", "put"};

/// Sections of the container, as assembleSuite adds them.
enum Section : uint32_t {
  ConstantsSection = 1,
  HostSection,
  OpenCLSection,
  SpirvSection,
  PtxSection,
  HsacoSection
};

static std::vector<uint8_t> readFile(const std::string &path) {
  FILE *file = fopen(path.c_str(), "rb");
  if (!file) {
    fprintf(stderr, "conformance: cannot open %s\n", path.c_str());
    abort();
  }
  std::vector<uint8_t> bytes;
  for (int c; (c = fgetc(file)) != EOF;)
    bytes.push_back(uint8_t(c));
  fclose(file);
  return bytes;
}

/// A file of kernels: beside the program where it was carried to another machine, else in `folder`.
static std::vector<uint8_t> readInput(const std::string &folder, const char *name) {
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof(program));
  std::string beside(program, size_t(std::max<ssize_t>(length, 0)));
  beside = beside.substr(0, beside.rfind('/')) + "/conformance-inputs/" + name;
  return readFile(access(beside.c_str(), R_OK) == 0 ? beside : folder + "/" + name);
}

static std::vector<uint8_t> input(const char *name) {
  return readInput(std::string(TW_TEST_SOURCE_DIR) + "/Runtime/Conformance/Inputs", name);
}

static std::vector<uint8_t> built(const char *name) { return readInput(TW_CONFORMANCE_DIR, name); }

static std::vector<uint8_t> makeObject(uint32_t flags, const std::string &names) {
  Elf64_Ehdr header = {};
  memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_flags = flags;
  header.e_shoff = sizeof(header) + names.size();
  std::vector<uint8_t> bytes(header.e_shoff);
  memcpy(bytes.data(), &header, sizeof(header));
  memcpy(bytes.data() + sizeof(header), names.data(), names.size());
  return bytes;
}

std::vector<uint8_t> test::makeCubin(int chip) {
  std::string names(1, '\0');
  for (const char *name : kernelNames)
    names += std::string(".text.") + name + '\0';
  return makeObject(uint32_t(chip), names);
}

static const char *amdChip = "gfx942";
void test::setAmdChip(const char *chip) { amdChip = chip; }

std::vector<uint8_t> test::makeHsaco(const std::string &chip) {
#ifdef TW_CONFORMANCE_AMD
  return built(("kernels-" + chip + ".hsaco").c_str());
#endif
  std::string names = std::string(1, '\0') + "amdgcn-amd-amdhsa--" + chip + '\0';
  for (const char *name : kernelNames)
    names += std::string(name) + ".kd" + '\0';
  return makeObject(0, names);
}

static TensorType f32(int64_t count) { return {ElementType::F32, {count}}; }

static Variant makeVariant(uint32_t target, uint32_t kernel) {
  static constexpr const char *formats[] = {"host", "opencl-c", "spirv", "ptx", "hsaco"};
  Variant variant;
  variant.format = formats[target];
  variant.section = HostSection + target;
  variant.entry = kernelNames[kernel];
  variant.group = {kernel == Ids ? 1u : 16u, 1, 1};
  if (target == 0) {
    variant.group = {};
    variant.offset = 0x10000 + 0x1000 * kernel;
    if (kernel == Reverse) {
      variant.format = teamFormat;
      variant.scratchBytes = variant.sharedBytes = 64;
    }
  } else {
    variant.localBytes = kernel == Reverse ? 64 : 0;
  }
  variant.divisible = kernel == Add && (target == 1 || target == 2);
  if (target == 3)
    variant.needs = {"sm_70"};
  if (target == 4)
    variant.needs = {amdChip};
  return variant;
}

static void addKernels(Metadata &metadata, uint32_t target) {
  Binding x{Access::Read, 4, f32(16)}, y{Access::Write, 4, f32(16)};
  for (uint32_t kernel = 0; kernel < KernelCount; ++kernel) {
    Kernel made;
    made.name = kernelNames[kernel];
    made.variants = {makeVariant(target, kernel)};
    made.flops = 16;
    made.bytes = 128;
    switch (kernel) {
    case Add:
      made.bindings = {x, x, y};
      break;
    case Scale:
      made.bindings = {x, y};
      made.scalars = 1;
      break;
    case Ids:
      made.bindings = {{Access::Write, 4, {ElementType::I32, {70000}}}};
      break;
    case Reverse:
      made.bindings = {x, y};
      break;
    case Many:
      made.bindings.assign(15, x);
      made.bindings.push_back(y);
      made.scalars = 16;
      break;
    case Put:
      made.bindings = {x, y};
      made.bindings[0].type.dims = {symbolicDim(0)};
      made.bindings[1].type.dims = {symbolicDim(3)};
      made.scalars = 4;
      break;
    }
    metadata.kernels.push_back(std::move(made));
  }
}

static Argument argument(const char *name, int64_t count, int32_t aliases = -1) {
  return {name, f32(count), 4, 0, aliases};
}

/// The runtime plans, with the device's alignment.
static void leavePlanning(Program &program) {
  program.slots[0].kind = "device";
  for (Interval &interval : program.intervals)
    interval.offset = -1;
  program.slots[0].slabs.clear();
}

using Build = void (*)(ProgramBuilder &, uint32_t kernels);

static void addFunction(Metadata &metadata, const char *name, std::vector<Argument> arguments,
                        TensorType result, Build build, std::vector<Symbol> symbols = {}) {
  Function made;
  made.name = name;
  made.symbols = std::move(symbols);
  made.arguments = std::move(arguments);
  made.results = {{"y", std::move(result), 0}};
  for (uint32_t target = 0; target < std::size(suiteTargets); ++target) {
    ProgramBuilder builder(suiteTargets[target]);
    build(builder, target * KernelCount);
    made.programs.push_back(builder.finish());
    if (target != 0) {
      leavePlanning(made.programs.back());
      for (Program &initializer : made.programs.back().initializer)
        leavePlanning(initializer);
    }
  }
  metadata.functions.push_back(std::move(made));
}

static void launchScaled(ProgramBuilder &p, uint32_t kernel, ProgramBuilder::Grid grid, BufferRef x,
                         BufferRef y, int64_t factor) {
  BufferRef bindings[] = {x, y};
  RegisterRef scalar = p.constant(factor);
  p.launch(kernel, grid, bindings, {&scalar, 1});
}

static void buildAffine(ProgramBuilder &p, uint32_t kernels) {
  BufferRef x = p.bindArgument(0), y = p.bindResult(0), w = p.bindConstant(0);
  BufferRef sum = p.reserve(256);
  p.launch(kernels + Add, {4, 1, 1}, {x, w, sum});
  launchScaled(p, kernels + Scale, {4, 1, 1}, sum, y, 3);
}

static void buildMany(ProgramBuilder &p, uint32_t kernels) {
  std::vector<BufferRef> bindings;
  std::vector<RegisterRef> scalars;
  for (uint32_t k = 0; k < 15; ++k) {
    bindings.push_back(p.bindArgument(k));
    scalars.push_back(p.constant(k + 1));
  }
  bindings.push_back(p.bindResult(0));
  scalars.push_back(p.constant(-100));
  p.launch(kernels + Many, {1, 1, 1}, bindings, scalars);
}

static void buildMoves(ProgramBuilder &p, uint32_t) {
  BufferRef x = p.bindArgument(0), y = p.bindResult(0);
  RegisterRef s = p.dim(0, 0), four = p.constant(4);
  RegisterRef bytes = p.arith(Opcode::Mul, s, four);
  RegisterRef quarter = p.arith(Opcode::FloorDiv, bytes, four);
  BufferRef a = p.reserve(bytes), b = p.reserve(bytes);
  p.copy(a, x);
  p.copy(b, a);
  float seven = 7;
  int32_t pattern;
  memcpy(&pattern, &seven, sizeof(pattern));
  p.fill(p.slice(b, p.arith(Opcode::Sub, bytes, quarter), quarter), pattern, 4);
  p.copy(y, b);
}

static void buildChain(ProgramBuilder &p, uint32_t kernels) {
  BufferRef x = p.bindArgument(0), y = p.bindResult(0), w = p.bindConstant(0);
  BufferRef buffers[] = {p.reserve(256), p.reserve(256)};
  for (uint32_t i = 0; i < 100; ++i)
    p.launch(kernels + Add, {4, 1, 1},
             {i == 0 ? x : buffers[i % 2], w, i == 99 ? y : buffers[(i + 1) % 2]});
}

static void buildConstants(ProgramBuilder &p, uint32_t) {
  BufferRef y = p.bindResult(0);
  RegisterRef bytes = p.constant(64);
  for (uint32_t i = 0; i < 4; ++i)
    p.copy(p.slice(y, p.constant(64 * int64_t(i)), bytes), p.bindConstant(i));
}

/// Once: d = 2 + w, e = 3 * d. A call: (x + d) + e.
static void buildDerived(ProgramBuilder &p, uint32_t kernels) {
  ProgramBuilder once(suiteTargets[kernels / KernelCount]);
  BufferRef w = once.bindConstant(0), d = once.bindConstant(4), e = once.bindConstant(5);
  BufferRef twos = once.reserve(64);
  float two = 2;
  int32_t pattern;
  memcpy(&pattern, &two, sizeof(pattern));
  once.fill(twos, pattern, 4);
  once.launch(kernels + Add, {1, 1, 1}, {twos, w, d});
  launchScaled(once, kernels + Scale, {1, 1, 1}, d, e, 3);
  p.setInitializer(once.finish());
  BufferRef x = p.bindArgument(0), y = p.bindResult(0), sum = p.reserve(256);
  p.launch(kernels + Add, {4, 1, 1}, {x, p.bindConstant(4), sum});
  p.launch(kernels + Add, {4, 1, 1}, {sum, p.bindConstant(5), y});
}

/// y[at + i] = x[i] * factor for i < n.
static void launchPut(ProgramBuilder &p, uint32_t kernels, BufferRef x, BufferRef y, RegisterRef n,
                      RegisterRef at, RegisterRef factor, RegisterRef end) {
  BufferRef bindings[] = {x, y};
  RegisterRef scalars[] = {n, at, factor, end}, one = p.constant(1);
  RegisterRef groups = p.arith(Opcode::CeilDiv, n, p.constant(16));
  p.launch(kernels + Put, {groups, one, one}, bindings, scalars);
}

enum JoinedSymbol : uint32_t { JoinedS, JoinedT, JoinedOne, JoinedMore, JoinedU };

static SymbolTable joinedSymbols() {
  SymbolTable table;
  table.add({"S", 0, 1000});
  table.add({"T", 0, 2000});
  uint32_t one = table.constant(1);
  table.derive(Opcode::Add, JoinedS, one);
  table.derive(Opcode::Add, JoinedS, JoinedT, "U", {0, 1500});
  return table;
}

static void buildJoined(ProgramBuilder &p, uint32_t kernels) {
  p.check(JoinedMore, JoinedT);
  BufferRef y = p.bindResult(0);
  RegisterRef s = p.symbol(JoinedS, 300), t = p.symbol(JoinedT, 301), u = p.symbol(JoinedU, 601);
  RegisterRef zero = p.constant(0), one = p.constant(1), four = p.constant(4);
  BufferRef a = p.reserve(p.arith(Opcode::Mul, s, four));
  BufferRef b = p.reserve(p.arith(Opcode::Mul, t, four));
  for (bool isOne : {true, false}) {
    if (isOne)
      p.when(p.compare(Predicate::Eq, s, one));
    else
      p.otherwise();
    RegisterRef factor = p.constant(isOne ? 5 : 3);
    launchPut(p, kernels, p.bindArgument(0), a, s, zero, factor, s);
    launchPut(p, kernels, p.bindArgument(1), b, t, zero, factor, t);
  }
  p.endWhen();
  launchPut(p, kernels, a, y, s, zero, one, s);
  launchPut(p, kernels, b, y, t, s, one, u);
}

enum AppendSymbol : uint32_t { AppendS, AppendP, AppendL, AppendStep, AppendParts, AppendC };

static SymbolTable appendSymbols() {
  SymbolTable table;
  table.add({"S", 1, 64});
  Symbol p{"P", 0, 255};
  p.late = true;
  table.add(p);
  table.derive(Opcode::Add, AppendP, AppendS, "L", {1, 256});
  uint32_t step = table.constant(64);
  uint32_t parts = table.derive(Opcode::CeilDiv, AppendP, step);
  uint32_t whole = table.derive(Opcode::Mul, parts, step, "C", {0, 256});
  table[whole].late = false;
  return table;
}

static void buildAppend(ProgramBuilder &p, uint32_t kernels) {
  BufferRef x = p.bindArgument(0), y = p.bindResult(0);
  RegisterRef s = p.symbol(AppendS), at = p.symbol(AppendP), end = p.symbol(AppendL);
  RegisterRef four = p.constant(4), zero = p.constant(0), one = p.constant(1);
  BufferRef old = p.reserve(p.arith(Opcode::Mul, p.symbol(AppendC), four));
  BufferRef copy = p.reserve(p.arith(Opcode::Mul, s, four));
  launchPut(p, kernels, p.bindArgument(1), old, at, zero, one, at);
  p.copy(copy, x);
  launchPut(p, kernels, copy, y, s, at, one, end);
  launchPut(p, kernels, old, y, at, zero, one, at);
}

/// Parts are copied: devices bind no memory at every offset.
static void buildLoops(ProgramBuilder &p, uint32_t kernels) {
  BufferRef x = p.bindArgument(0), control = p.bindArgument(1), y = p.bindResult(0);
  RegisterRef zero = p.constant(0), one = p.constant(1), eight = p.constant(8);
  RegisterRef bytes = p.constant(64), limit = p.constant(4);
  BufferRef a = p.reserve(bytes), b = p.reserve(bytes), t = p.reserve(bytes);
  BufferRef going = p.reserve(one);
  p.copy(a, p.slice(x, zero, bytes));
  p.fill(y, 0, 4);
  p.repeatRead(p.slice(control, zero, eight), limit);
  p.copy(t, p.advance(x, bytes, bytes, bytes));
  p.launch(kernels + Add, {1, 1, 1}, {a, t, b});
  p.copy(p.advance(y, p.constant(192), p.constant(-64), bytes), b);
  p.rotate(a, b);
  p.endLoop();
  p.copy(going, p.slice(control, eight, one));
  p.beginWhile(going, limit);
  launchScaled(p, kernels + Scale, {1, 1, 1}, a, b, 2);
  p.copy(going, p.advance(control, p.constant(9), one, one));
  p.rotate(a, b);
  p.endLoop();
  p.beginIf(p.slice(control, p.constant(15), one));
  p.repeat(p.constant(3));
  launchScaled(p, kernels + Scale, {1, 1, 1}, a, b, 3);
  p.rotate(a, b);
  p.endLoop();
  p.beginElse();
  p.fill(a, 0, 4);
  p.endIf();
  p.copy(p.slice(y, p.constant(256), bytes), a);
}

/// What decides is in the arena: two times, one time, not at all.
static void buildCounted(ProgramBuilder &p, uint32_t kernels) {
  BufferRef a = p.reserve(256), b = p.reserve(256), amount = p.reserve(8);
  BufferRef w = p.bindConstant(0), y = p.bindResult(0);
  RegisterRef limit = p.constant(3);
  p.copy(a, p.bindArgument(0));
  p.fill(amount, 2, 8);
  p.repeatRead(amount, limit);
  p.launch(kernels + Add, {4, 1, 1}, {a, w, b});
  p.rotate(a, b);
  p.endLoop();
  p.beginWhile(amount, limit);
  p.launch(kernels + Add, {4, 1, 1}, {a, w, b});
  p.fill(amount, 0, 8);
  p.rotate(a, b);
  p.endLoop();
  p.beginIf(amount);
  p.fill(y, 0, 8);
  p.beginElse();
  p.copy(y, a);
  p.endIf();
}

static void buildLong(ProgramBuilder &p, uint32_t kernels) {
  BufferRef a = p.reserve(64), b = p.reserve(64);
  p.copy(a, p.bindArgument(0));
  p.repeatRead(p.bindArgument(1), p.constant(10000));
  p.launch(kernels + Add, {1, 1, 1}, {a, p.bindConstant(0), b});
  p.rotate(a, b);
  p.endLoop();
  p.copy(p.bindResult(0), a);
}

static void addFunctions(Metadata &metadata) {
  addFunction(metadata, "affine", {argument("x", 64)}, f32(64), buildAffine);
  addFunction(metadata, "ids", {}, {ElementType::I32, {70000}},
              [](ProgramBuilder &p, uint32_t kernels) {
                p.launch(kernels + Ids, {70000, 1, 1}, {p.bindResult(0)});
              });
  addFunction(metadata, "reverse", {argument("x", 64)}, f32(64),
              [](ProgramBuilder &p, uint32_t kernels) {
                p.launch(kernels + Reverse, {4, 1, 1}, {p.bindArgument(0), p.bindResult(0)});
              });
  std::vector<Argument> inputs;
  for (int k = 0; k < 15; ++k)
    inputs.push_back(argument(("x" + std::to_string(k)).c_str(), 16));
  addFunction(metadata, "many", inputs, f32(16), buildMany);
  addFunction(metadata, "grid", {argument("x", 384)}, f32(384),
              [](ProgramBuilder &p, uint32_t kernels) {
                launchScaled(p, kernels + Scale, {3, 2, 4}, p.bindArgument(0), p.bindResult(0), 2);
              });
  addFunction(metadata, "empty", {argument("x", 16)}, f32(16),
              [](ProgramBuilder &p, uint32_t kernels) {
                launchScaled(p, kernels + Scale, {0, 1, 1}, p.bindArgument(0), p.bindResult(0), 2);
                p.copy(p.bindResult(0), p.bindArgument(0));
              });
  addFunction(metadata, "moves", {argument("x", -1)}, f32(-1), buildMoves, {{"S", 0, 4096, 4}});
  addFunction(metadata, "twice", {argument("x", 64, 0)}, f32(64),
              [](ProgramBuilder &p, uint32_t kernels) {
                launchScaled(p, kernels + Scale, {4, 1, 1}, p.bindArgument(0), p.bindResult(0), 3);
              });
  addFunction(metadata, "chain", {argument("x", 64)}, f32(64), buildChain);
  addFunction(metadata, "loops", {argument("x", 80), argument("control", 4)}, f32(80), buildLoops);
  addFunction(metadata, "counted", {argument("x", 64)}, f32(64), buildCounted);
  addFunction(metadata, "long", {argument("x", 16), argument("n", 2)}, f32(16), buildLong);
  addFunction(metadata, "constants", {}, f32(64), buildConstants);
  addFunction(metadata, "derived", {argument("x", 64)}, f32(64), buildDerived);
  addFunction(metadata, "joined",
              {argument("x", symbolicDim(JoinedS)), argument("z", symbolicDim(JoinedT))},
              f32(symbolicDim(JoinedU)), buildJoined, joinedSymbols().list());
  Argument past = argument("past", symbolicDim(AppendP), 0);
  past.storage = f32(256);
  addFunction(metadata, "append", {argument("x", symbolicDim(AppendS)), past},
              f32(symbolicDim(AppendL)), buildAppend, appendSymbols().list());
}

static void addConstants(Metadata &metadata) {
  Constant w;
  w.name = "w";
  w.type = f32(16);
  w.section = ConstantsSection;
  w.length = 64;
  w.alignment = 64;
  Constant unaligned = w;
  unaligned.name = "unaligned";
  unaligned.offset = 66;
  Constant splat;
  splat.name = "splat";
  splat.type = f32(16);
  splat.storage = Storage::Splat;
  splat.length = 64;
  splat.alignment = 4;
  float value = 2.5;
  splat.splat.resize(4);
  memcpy(splat.splat.data(), &value, 4);
  Constant wide = splat;
  wide.name = "wide";
  wide.type = {ElementType::F64, {8}};
  double third = 1.0 / 3;
  wide.splat.resize(8);
  memcpy(wide.splat.data(), &third, 8);
  Constant derived;
  derived.name = "derived";
  derived.type = f32(16);
  derived.storage = Storage::Derived;
  derived.length = 64;
  derived.alignment = 64;
  metadata.constants = {w, unaligned, splat, wide, derived, derived};
}

Metadata test::makeSuiteMetadata() {
  Metadata metadata;
  metadata.producer = "conformance";
  addConstants(metadata);
  for (uint32_t target = 0; target < std::size(suiteTargets); ++target)
    addKernels(metadata, target);
  addFunctions(metadata);
  return metadata;
}

std::vector<uint8_t> test::assembleSuite(const Metadata &metadata, int cubin) {
  std::vector<uint8_t> constants(66 + 64);
  for (uint32_t i = 0; i < 16; ++i) {
    float value = float(i);
    memcpy(constants.data() + 4 * i, &value, 4);
    memcpy(constants.data() + 66 + 4 * i, &value, 4);
  }
  std::vector<uint8_t> host = built("Kernels.image"), opencl = input("Kernels.cl"),
                       spirv = built("Kernels.spv"), ptx = input("Kernels.ptx"),
                       hsaco = makeHsaco(amdChip), object = makeCubin(cubin);
  ContainerWriter writer;
  writer.addSection(SectionKind::Constants, 6, constants);
  writer.addSection(SectionKind::HostImage, 12, host);
  writer.addSection(SectionKind::OpenCLC, 6, opencl);
  writer.addSection(SectionKind::SPIRV, 6, spirv);
  writer.addSection(SectionKind::PTX, 6, ptx);
  writer.addSection(SectionKind::HSACO, 6, hsaco);
  if (cubin)
    writer.addSection(SectionKind::Cubin, 6, object);
  return finishModule(writer, metadata);
}

std::vector<uint8_t> test::makeSuiteModule() { return assembleSuite(makeSuiteMetadata()); }
