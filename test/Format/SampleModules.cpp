// Small modules with hand-made machine code.
#include "SampleModules.h"
#include "tw/Format/ProgramBuilder.h"

#include <cstring>

using namespace tw;
using namespace tw::format;

// x86-64 code with the ABI of HostAbi.h, compiled from the C above each.

// for p in [begin, end), i < 16: y[16 p + i] = x[16 p + i] + w[i]; bindings x, w, y
static constexpr uint8_t addCode[] = {
    0x39, 0xd6, 0x73, 0x55, 0x48, 0x8b, 0x3f, 0x48, 0x8b, 0x07, 0x48, 0x8b, 0x4f, 0x08, 0x48,
    0x8b, 0x7f, 0x10, 0x89, 0xf6, 0x89, 0xd2, 0x49, 0x89, 0xf0, 0x49, 0xc1, 0xe0, 0x04, 0x45,
    0x89, 0xc1, 0x41, 0xc1, 0xe9, 0x04, 0x49, 0xc1, 0xe1, 0x06, 0x4e, 0x8d, 0x14, 0x08, 0x49,
    0x01, 0xf9, 0x45, 0x31, 0xdb, 0xf3, 0x43, 0x0f, 0x10, 0x04, 0x9a, 0xf3, 0x42, 0x0f, 0x58,
    0x04, 0x99, 0xf3, 0x43, 0x0f, 0x11, 0x04, 0x99, 0x49, 0xff, 0xc3, 0x49, 0x83, 0xfb, 0x10,
    0x75, 0xe5, 0x48, 0xff, 0xc6, 0x49, 0x83, 0xc0, 0x10, 0x48, 0x39, 0xd6, 0x75, 0xc4, 0xc3,
};

// for p in [begin, end), i < 16: y[16 p + i] = x[16 p + i] * scalars[0], through 64 bytes of
// scratch; bindings x, y
static constexpr uint8_t scaleCode[] = {
    0x39, 0xd6, 0x73, 0x64, 0x4c, 0x8b, 0x07, 0x4c, 0x8b, 0x4f, 0x08, 0x49, 0x8b, 0x00, 0x49,
    0x8b, 0x78, 0x08, 0xf3, 0x49, 0x0f, 0x2a, 0x01, 0x89, 0xf6, 0x89, 0xd2, 0x49, 0x89, 0xf0,
    0x49, 0xc1, 0xe0, 0x04, 0x45, 0x89, 0xc1, 0x41, 0xc1, 0xe9, 0x04, 0x49, 0xc1, 0xe1, 0x06,
    0x4e, 0x8d, 0x14, 0x08, 0x49, 0x01, 0xf9, 0x45, 0x31, 0xdb, 0xf3, 0x43, 0x0f, 0x10, 0x0c,
    0x9a, 0xf3, 0x42, 0x0f, 0x11, 0x0c, 0x99, 0xf3, 0x42, 0x0f, 0x10, 0x0c, 0x99, 0xf3, 0x0f,
    0x59, 0xc8, 0xf3, 0x43, 0x0f, 0x11, 0x0c, 0x99, 0x49, 0xff, 0xc3, 0x49, 0x83, 0xfb, 0x10,
    0x75, 0xdb, 0x48, 0xff, 0xc6, 0x49, 0x83, 0xc0, 0x10, 0x48, 0x39, 0xd6, 0x75, 0xba, 0xc3,
};

// for p in [begin, end): y[p] = MXCSR; binding y
static constexpr uint8_t controlCode[] = {
    0x29, 0xf2, 0x76, 0x21, 0x48, 0x8b, 0x07, 0x48, 0x8b, 0x00, 0x89, 0xf1, 0x48,
    0x8d, 0x04, 0x88, 0x31, 0xc9, 0x0f, 0xae, 0x5c, 0x24, 0xfc, 0x8b, 0x74, 0x24,
    0xfc, 0x89, 0x34, 0x88, 0x48, 0xff, 0xc1, 0x39, 0xca, 0x75, 0xed, 0xc3,
};

// y[at + i] = x[i] * factor for i in [16 begin, 16 end), i < n; bindings x, y, scalars n, at,
// factor, and what at and n are together
static constexpr uint8_t putCode[] = {
    0x4c, 0x8b, 0x47, 0x08, 0x4d, 0x8b, 0x08, 0x89, 0xf0, 0x48, 0xc1, 0xe0, 0x04, 0x89, 0xd1,
    0x48, 0xc1, 0xe1, 0x04, 0x4c, 0x39, 0xc9, 0x49, 0x0f, 0x4d, 0xc9, 0x48, 0x39, 0xc8, 0x7d,
    0x37, 0x48, 0x8b, 0x3f, 0x48, 0x8b, 0x17, 0xf3, 0x49, 0x0f, 0x2a, 0x40, 0x10, 0x49, 0x8b,
    0x70, 0x08, 0x48, 0xc1, 0xe6, 0x02, 0x48, 0x03, 0x77, 0x08, 0x66, 0x0f, 0x1f, 0x84, 0x00,
    0x00, 0x00, 0x00, 0x00, 0xf3, 0x0f, 0x10, 0x0c, 0x82, 0xf3, 0x0f, 0x59, 0xc8, 0xf3, 0x0f,
    0x11, 0x0c, 0x86, 0x48, 0xff, 0xc0, 0x48, 0x39, 0xc1, 0x75, 0xea, 0xc3,
};

static constexpr uint64_t textStart = 65536, addEntry = textStart, scaleEntry = textStart + 256,
                          controlEntry = textStart + 512, putEntry = textStart + 640;

static std::vector<uint8_t> makeImage(bool withPut) {
  std::vector<uint8_t> image(textStart + 768);
  memcpy(image.data() + addEntry, addCode, sizeof(addCode));
  memcpy(image.data() + scaleEntry, scaleCode, sizeof(scaleCode));
  memcpy(image.data() + controlEntry, controlCode, sizeof(controlCode));
  if (withPut)
    memcpy(image.data() + putEntry, putCode, sizeof(putCode));
  return image;
}

static std::vector<uint8_t> makeRamp() {
  std::vector<uint8_t> bytes(64);
  for (uint32_t i = 0; i < 16; ++i) {
    float value = float(i);
    memcpy(bytes.data() + 4 * i, &value, 4);
  }
  return bytes;
}

static TensorType f32(std::vector<int64_t> dims) { return {ElementType::F32, std::move(dims)}; }

static Variant hostVariant(const char *entry, uint64_t offset, uint32_t scratch = 0) {
  Variant variant;
  variant.format = "host";
  variant.section = 2;
  variant.entry = entry;
  variant.offset = offset;
  variant.needs = {"sse2", "x86-64"};
  variant.scratchBytes = scratch;
  return variant;
}

void test::addSections(ContainerWriter &writer, bool withPut) {
  static const std::vector<uint8_t> images[] = {makeImage(false), makeImage(true)};
  static const std::vector<uint8_t> debug =
      encodeDebug({"func.func @add() { return }\n", "func.func @scale()\n"});
  static const ConstantPool constants = [] {
    ConstantPool pool;
    pool.add(makeRamp());
    return pool;
  }();
  writer.addSection(SectionKind::Constants, 6, constants.bytes());
  writer.addSection(SectionKind::HostImage, 12, images[withPut]);
  writer.addSection(SectionKind::Debug, 3, debug, 0);
}

std::vector<uint8_t> test::assemble(const Metadata &metadata) {
  ContainerWriter writer;
  addSections(writer, needsFeatures14(metadata));
  return finishModule(writer, metadata);
}

Metadata test::makeAffineMetadata() {
  Metadata metadata;
  metadata.producer = "hand-made";
  metadata.buildId = "0123";
  Constant w;
  w.name = "w";
  w.type = f32({16});
  w.section = 1;
  w.length = 64;
  w.alignment = 64;
  metadata.constants = {w};
  Kernel add{"add", {}, 0, {hostVariant("add", addEntry)}, 64, 576};
  add.bindings = {
      {Access::Read, 4, f32({64})}, {Access::Read, 64, f32({16})}, {Access::Write, 64, f32({64})}};
  Kernel scale{"scale", {}, 1, {hostVariant("scale", scaleEntry, 64)}, 64, 512, 32};
  scale.bindings = {{Access::Read, 64, f32({64})}, {Access::Write, 4, f32({64})}};
  metadata.kernels = {add, scale};
  metadata.locations = {{"model.onnx", 3, 1, "Add_0", -1}, {"model.onnx", 4, 1, "Mul_1", 0}};

  ProgramBuilder builder("host");
  BufferRef x = builder.bindArgument(0), y = builder.bindResult(0), ramp = builder.bindConstant(0);
  BufferRef sum = builder.reserve(256);
  builder.setLocation(0);
  builder.launch(0, {4, 1, 1}, {x, ramp, sum});
  builder.setLocation(1);
  RegisterRef factor = builder.constant(3);
  BufferRef bindings[] = {sum, y};
  builder.launch(1, {4, 1, 1}, bindings, {&factor, 1});

  Function main;
  main.name = "main";
  main.arguments = {{"x", f32({64}), 4, 0, -1}};
  main.results = {{"y", f32({64}), 0}};
  main.programs = {builder.finish()};
  metadata.functions = {main};
  return metadata;
}

std::vector<uint8_t> test::makeAffineModule() { return assemble(makeAffineMetadata()); }

Metadata test::makeDerivedMetadata() {
  Metadata metadata = makeAffineMetadata();
  Constant d;
  d.name = "d";
  d.type = f32({64});
  d.storage = Storage::Derived;
  d.length = 256;
  d.alignment = 64;
  metadata.constants.push_back(d);

  float one = 1;
  int32_t pattern;
  memcpy(&pattern, &one, 4);
  ProgramBuilder initializer("host");
  BufferRef w = initializer.bindConstant(0), derived = initializer.bindConstant(1);
  BufferRef ones = initializer.reserve(256);
  initializer.setLocation(0);
  initializer.fill(ones, pattern, 4);
  initializer.launch(0, {4, 1, 1}, {ones, w, derived});

  ProgramBuilder builder("host");
  BufferRef x = builder.bindArgument(0), y = builder.bindResult(0);
  BufferRef sum = builder.reserve(256);
  builder.launch(0, {4, 1, 1}, {x, builder.bindConstant(1), sum});
  RegisterRef factor = builder.constant(3);
  BufferRef bindings[] = {sum, y};
  builder.launch(1, {4, 1, 1}, bindings, {&factor, 1});
  builder.setInitializer(initializer.finish());
  metadata.functions[0].programs = {builder.finish()};
  return metadata;
}

std::vector<uint8_t> test::makeDerivedModule() { return assemble(makeDerivedMetadata()); }

/// The variant of a kernel of threads.
static Variant threadVariant(const char *format, uint32_t section, const char *entry,
                             std::vector<std::string> needs) {
  Variant variant;
  variant.format = format;
  variant.section = section;
  variant.entry = entry;
  variant.needs = std::move(needs);
  variant.group = {16, 1, 1};
  variant.localBytes = 64;
  variant.subgroup = 32;
  variant.registers = 24;
  variant.spills = 8;
  return variant;
}

std::vector<uint8_t> test::makeManyTargetsModule(bool host) {
  Metadata metadata = makeAffineMetadata();
  std::vector<Program> programs = metadata.functions[0].programs;
  for (const char *target : {"opencl", "cuda"}) {
    uint32_t first = uint32_t(metadata.kernels.size());
    for (uint32_t i = 0; i < 2; ++i) {
      Kernel kernel = metadata.kernels[i];
      const char *entry = i == 0 ? "add" : "scale";
      if (std::string(target) == "opencl")
        kernel.variants = {threadVariant("opencl-c", 4, entry, {})};
      else
        kernel.variants = {threadVariant("cubin", 6, entry, {"cubin_sm_90"}),
                           threadVariant("ptx", 5, entry, {"sm_80"})};
      metadata.kernels.push_back(kernel);
    }
    Program program = programs[0];
    program.target = target;
    program.slots[0] = {"device", 1u << 27, 256, program.slots[0].slabs};
    for (Command &command : program.code)
      if (command.opcode == uint16_t(Opcode::Launch))
        command.target += first;
    metadata.functions[0].programs.push_back(program);
  }
  if (!host)
    metadata.functions[0].programs.erase(metadata.functions[0].programs.begin());
  std::string source = "__kernel void add() {}\n", ptx = ".version 8.0\n",
              cubin = "\x7f"
                      "ELF";
  auto bytes = [](const std::string &text) {
    return std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size());
  };
  ContainerWriter writer;
  addSections(writer);
  writer.addSection(SectionKind::OpenCLC, 6, bytes(source));
  writer.addSection(SectionKind::PTX, 6, bytes(ptx));
  writer.addSection(SectionKind::Cubin, 6, bytes(cubin));
  return writer.finish(encodeMetadata(metadata));
}

std::vector<uint8_t> test::makeDynamicModule() {
  ProgramBuilder builder("host");
  BufferRef x = builder.bindArgument(0), y = builder.bindResult(0);
  RegisterRef s = builder.dim(0, 0), four = builder.constant(4), zero = builder.constant(0);
  RegisterRef bytes = builder.arith(Opcode::Mul, s, four);
  builder.guard(builder.compare(Predicate::Ne, s, builder.constant(8)));
  RegisterRef quarter = builder.arith(Opcode::FloorDiv, bytes, four);
  RegisterRef rest = builder.arith(Opcode::Sub, bytes, quarter);
  RegisterRef same = builder.select(builder.compare(Predicate::Gt, s, zero), bytes, zero);
  BufferRef a = builder.reserve(bytes), b = builder.reserve(same);
  builder.copy(a, x);
  builder.copy(b, a);
  int32_t seven;
  float pattern = 7;
  memcpy(&seven, &pattern, 4);
  builder.fill(builder.slice(b, rest, quarter), seven, 4);
  builder.copy(y, b);

  Function main;
  main.name = "main";
  main.symbols = {{"S", 0, 1024, 4}};
  main.arguments = {{"x", f32({-1}), 4, 0, -1}};
  main.results = {{"y", f32({-1}), 0}};
  main.programs = {builder.finish()};
  Metadata metadata;
  metadata.producer = "hand-made";
  metadata.functions = {main};
  ContainerWriter writer;
  return writer.finish(encodeMetadata(metadata));
}

std::vector<uint8_t> test::makeExternalModule(const std::string &file,
                                              const std::vector<uint8_t> &contents,
                                              uint64_t offset) {
  Metadata metadata;
  Digest identity = computeFileIdentity(contents);
  metadata.files = {{file, contents.size(), {identity.begin(), identity.end()}}};
  Constant external;
  external.name = "external";
  external.type = f32({16});
  external.storage = Storage::External;
  external.offset = offset;
  external.length = 64;
  external.alignment = 4;
  Digest digest = computeDigest(std::span(contents).subspan(offset, 64));
  external.digest = {digest.begin(), digest.end()};
  Constant splat = external;
  splat.name = "splat";
  splat.storage = Storage::Splat;
  splat.digest = {};
  splat.offset = 0;
  float value = 2.5;
  splat.splat.resize(4);
  memcpy(splat.splat.data(), &value, 4);
  Constant embedded;
  embedded.name = "embedded";
  embedded.type = f32({16});
  embedded.section = 1;
  embedded.offset = 2;
  embedded.length = 64;
  embedded.alignment = 64;
  metadata.constants = {external, splat, embedded};

  ProgramBuilder builder("host");
  BufferRef y = builder.bindResult(0);
  RegisterRef bytes = builder.constant(64);
  for (uint32_t i = 0; i < 3; ++i)
    builder.copy(builder.slice(y, builder.constant(64 * int64_t(i)), bytes),
                 builder.bindConstant(i));
  Function main;
  main.name = "main";
  main.results = {{"y", f32({48}), 0}};
  main.programs = {builder.finish()};
  metadata.functions = {main};

  std::vector<uint8_t> constants(2), ramp = makeRamp();
  constants.insert(constants.end(), ramp.begin(), ramp.end());
  ContainerWriter writer;
  writer.addSection(SectionKind::Constants, 6, constants);
  return writer.finish(encodeMetadata(metadata));
}

std::vector<uint8_t> test::makeControlModule() {
  Metadata metadata;
  Kernel control{"control", {}, 0, {hostVariant("control", controlEntry)}, 0, 256};
  control.bindings = {{Access::Write, 4, {ElementType::I32, {64}}}};
  metadata.kernels = {control};
  ProgramBuilder builder("host");
  builder.launch(0, {64, 1, 1}, {builder.bindResult(0)});
  Function main;
  main.name = "main";
  main.results = {{"y", {ElementType::I32, {64}}, 0}};
  main.programs = {builder.finish()};
  metadata.functions = {main};
  return assemble(metadata);
}

static constexpr uint32_t sizesS = 0, sizesT = 1;

/// What the samples of changing sizes share: the kernel `put`, and two locations.
static Metadata makePutMetadata() {
  Metadata metadata;
  metadata.producer = "hand-made";
  Kernel put{"put", {}, 4, {hostVariant("put", putEntry)}, 0, 0};
  put.bindings = {{Access::Read, 4, f32({symbolicDim(0)})},
                  {Access::Write, 4, f32({symbolicDim(3)})}};
  metadata.kernels = {put};
  metadata.locations = {{"model.onnx", 3, 1, "Add_0", -1}, {"model.onnx", 4, 1, "Mul_1", 0}};
  return metadata;
}

/// y[at + i] = x[i] * factor for i < n, where y has `end` elements.
static void launchPut(ProgramBuilder &p, BufferRef x, BufferRef y, RegisterRef n, RegisterRef at,
                      int64_t factor, RegisterRef end) {
  BufferRef bindings[] = {x, y};
  RegisterRef scalars[] = {n, at, p.constant(factor), end}, one = p.constant(1);
  p.launch(0, {p.arith(Opcode::CeilDiv, n, p.constant(16)), one, one}, bindings, scalars);
}

Metadata test::makeSizesMetadata() {
  Metadata metadata = makePutMetadata();
  SymbolTable symbols;
  symbols.add({"S", 0, 512, 1});
  symbols.add({"T", 0, 512, 2});
  uint32_t sum = symbols.derive(Opcode::Add, sizesS, sizesT, "U", {0, 768});
  uint32_t two = symbols.constant(2), rest = symbols.derive(Opcode::Mod, sizesS, two);
  uint32_t other = symbols.derive(Opcode::Mod, sizesT, two);
  ProgramBuilder p("host");
  p.setLocation(0);
  p.check(rest, other);
  BufferRef x = p.bindArgument(0), z = p.bindArgument(1), y = p.bindResult(0);
  RegisterRef s = p.symbol(sizesS, 256), t = p.symbol(sizesT, 128), u = p.symbol(sum, 384);
  RegisterRef four = p.constant(4), zero = p.constant(0);
  BufferRef a = p.reserve(p.arith(Opcode::Mul, s, four));
  BufferRef b = p.reserve(p.arith(Opcode::Mul, t, four));
  p.guard(p.compare(Predicate::Ne, s, p.constant(500)));
  launchPut(p, x, a, s, zero, 3, s);
  p.setLocation(1);
  launchPut(p, z, b, t, zero, 5, t);
  launchPut(p, a, y, s, zero, 1, s);
  launchPut(p, b, y, t, s, 1, u);
  Function main;
  main.name = "main";
  main.symbols = symbols.list();
  main.arguments = {{"x", f32({symbolicDim(sizesS)}), 4, 0, -1},
                    {"z", f32({symbolicDim(sizesT)}), 4, 0, -1}};
  main.results = {{"y", f32({symbolicDim(sum)}), 0}};
  main.programs = {p.finish()};
  metadata.functions = {main};
  return metadata;
}

Metadata test::makeChoiceMetadata() {
  Metadata metadata = makePutMetadata();
  ProgramBuilder p("host");
  BufferRef x = p.bindArgument(0), y = p.bindResult(0);
  RegisterRef s = p.symbol(0), zero = p.constant(0), four = p.constant(4);
  RegisterRef isSmall = p.compare(Predicate::Lt, s, p.constant(16));
  RegisterRef isOne = p.compare(Predicate::Eq, s, p.constant(1));
  RegisterRef bytes = p.arith(Opcode::Mul, s, four);
  p.when(isSmall);
  p.when(isOne);
  launchPut(p, x, y, s, zero, 7, s);
  p.otherwise();
  BufferRef small = p.reserve(bytes);
  launchPut(p, x, small, s, zero, 5, s);
  launchPut(p, small, y, s, zero, 1, s);
  p.endWhen();
  p.otherwise();
  BufferRef large = p.reserve(bytes), other = p.reserve(bytes);
  launchPut(p, x, large, s, zero, 3, s);
  p.copy(other, large);
  launchPut(p, other, y, s, zero, 1, s);
  p.endWhen();
  Function main;
  main.name = "main";
  main.symbols = {{"S", 0, 1024, 1}};
  main.arguments = {{"x", f32({symbolicDim(0)}), 4, 0, -1}};
  main.results = {{"y", f32({symbolicDim(0)}), 0}};
  main.programs = {p.finish()};
  metadata.functions = {main};
  return metadata;
}

Metadata test::makeCacheMetadata() {
  Metadata metadata = makePutMetadata();
  SymbolTable symbols;
  symbols.add({"S", 1, 64, 1});
  Symbol rows{"P", 0, 255, 1};
  rows.late = true;
  symbols.add(rows);
  uint32_t length = symbols.derive(Opcode::Add, 1, 0, "L", {1, 256}), part = symbols.constant(64);
  uint32_t parts = symbols.derive(Opcode::CeilDiv, 1, part);
  uint32_t grown = symbols.derive(Opcode::Mul, parts, part, "C", {0, 256});
  symbols[grown].late = false;
  ProgramBuilder p("host");
  BufferRef x = p.bindArgument(0), mask = p.bindArgument(2), y = p.bindResult(0);
  BufferRef sum = p.bindResult(1);
  RegisterRef s = p.symbol(0), at = p.symbol(1), end = p.symbol(length);
  RegisterRef zero = p.constant(0), four = p.constant(4);
  p.guard(p.compare(Predicate::Ne, at, p.constant(100)));
  BufferRef old = p.reserve(p.arith(Opcode::Mul, p.symbol(grown), four));
  launchPut(p, p.bindArgument(1), old, at, zero, 2, at);
  launchPut(p, x, y, s, at, 1, end);
  launchPut(p, mask, sum, s, zero, 1, s);
  Function main;
  main.name = "main";
  main.symbols = symbols.list();
  main.arguments = {{"x", f32({symbolicDim(0)}), 4, 0, -1},
                    {"past", f32({symbolicDim(1)}), 4, 0, 0, f32({256})},
                    {"mask", f32({symbolicDim(length)}), 4, 0, -1}};
  main.results = {{"present", f32({symbolicDim(length)}), 0}, {"y", f32({symbolicDim(0)}), 0}};
  main.programs = {p.finish()};
  metadata.functions = {main};
  return metadata;
}

Metadata test::makeLoopsMetadata() {
  Metadata metadata = makePutMetadata();
  metadata.locations.push_back({"", 0, 0, "Loop_2", -1});
  ProgramBuilder p("host");
  BufferRef x = p.bindArgument(0), flags = p.bindArgument(1);
  BufferRef y = p.bindResult(0), z = p.bindResult(1);
  RegisterRef zero = p.constant(0), one = p.constant(1), three = p.constant(3);
  RegisterRef row = p.constant(16), bytes = p.constant(64), limit = p.constant(4);
  BufferRef a = p.reserve(bytes), b = p.reserve(bytes), going = p.reserve(one);
  BufferRef amount = p.reserve(p.constant(8));
  p.copy(a, p.slice(x, zero, bytes));
  p.fill(amount, 3, 8);
  p.fill(z, 0, 4);
  p.setLocation(0);
  p.repeat(three);
  launchPut(p, a, b, row, zero, 2, row);
  p.rotate(a, b);
  p.endLoop();
  p.setLocation(2);
  p.repeatRead(amount, limit);
  BufferRef from = p.advance(x, zero, bytes, bytes);
  BufferRef to = p.advance(z, p.constant(192), p.constant(-64), bytes), t = p.reserve(bytes);
  launchPut(p, from, t, row, zero, 3, row);
  launchPut(p, t, to, row, zero, 1, row);
  p.endLoop();
  p.copy(going, p.slice(flags, three, one));
  p.beginWhile(going, limit);
  launchPut(p, a, b, row, zero, 2, row);
  p.copy(going, p.advance(flags, three, p.constant(-1), one));
  p.rotate(a, b);
  p.endLoop();
  p.setLocation(1);
  p.beginIf(p.slice(flags, p.constant(2), one));
  launchPut(p, a, y, row, zero, 1, row);
  p.beginElse();
  launchPut(p, a, y, row, zero, 5, row);
  p.endIf();
  Function main;
  main.name = "main";
  main.arguments = {{"x", f32({64}), 4, 0, -1}, {"flags", f32({1}), 4, 0, -1}};
  main.results = {{"y", f32({16}), 0}, {"z", f32({64}), 0}};
  main.programs = {p.finish()};
  metadata.functions = {main};
  return metadata;
}

Metadata test::makeCountedMetadata(int64_t columns, int64_t elements) {
  Metadata metadata = makePutMetadata();
  ProgramBuilder p("host");
  BufferRef x = p.bindArgument(0);
  p.copy(p.bindResult(0), x);
  p.copy(p.bindResult(1), x);
  p.fill(p.bindResult(2), columns, 8);
  p.fill(p.bindResult(3), elements, 8);
  TensorType count = {ElementType::I64, {}};
  Function main;
  main.name = "main";
  main.arguments = {{"x", f32({64}), 4, 0, -1}};
  main.results = {{"y", f32({4, 16}), 0, 0, {-1, 2}},
                  {"z", f32({64}), 0, 0, {3}},
                  {"columns", count, 0},
                  {"elements", count, 0}};
  main.programs = {p.finish()};
  metadata.functions = {main};
  return metadata;
}
