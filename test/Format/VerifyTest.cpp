// The metadata's verifier: one damage for each message.
#include "SampleModules.h"
#include "tw/Format/Commands.h"
#include "tw/Format/Describe.h"
#include "tw/Format/Module.h"
#include "tw/Format/ProgramBuilder.h"

#include <functional>
#include <gtest/gtest.h>

using namespace tw::format;

static std::string verify(const std::vector<uint8_t> &file) {
  std::string text;
  Error error;
  if (describeModule(file, {}, text, error))
    return "accepted";
  EXPECT_STREQ(error.section, "META") << error.message;
  EXPECT_GE(error.offset, sizeof(Header) + sizeof(SectionEntry));
  EXPECT_LT(error.offset, file.size());
  return error.message;
}

static std::string damage(const std::function<void(Metadata &)> &change) {
  Metadata metadata = tw::test::makeAffineMetadata();
  change(metadata);
  return verify(tw::test::assemble(metadata));
}

static std::string damageProgram(const std::function<void(Program &)> &change) {
  return damage([&](Metadata &metadata) { change(metadata.functions[0].programs[0]); });
}

/// The first command with that opcode.
static Command &find(Program &program, Opcode opcode) {
  for (Command &command : program.code)
    if (command.opcode == uint16_t(opcode))
      return command;
  return program.code.back();
}

TEST(Verify, SampleIsSound) {
  EXPECT_EQ(damage([](Metadata &) {}), "accepted");
  EXPECT_EQ(verify(tw::test::makeDerivedModule()), "accepted");
  EXPECT_EQ(verify(tw::test::makeDynamicModule()), "accepted");
  EXPECT_EQ(verify(tw::test::makeControlModule()), "accepted");
  EXPECT_EQ(verify(tw::test::makeManyTargetsModule()), "accepted");
}

TEST(Verify, Files) {
  auto path = [](const char *text) {
    return damage([&](Metadata &m) { m.files = {{text, 1, std::vector<uint8_t>(16)}}; });
  };
  for (const char *bad : {"", "/etc/passwd", "../w", "a/../w", "a//b", "./a", "a/", "a\\b"})
    EXPECT_EQ(path(bad),
              "file path '" + std::string(bad) + "' leaves the weights folder or is not relative");
  EXPECT_EQ(path("a/b..c"), "accepted");
  EXPECT_EQ(damage([](Metadata &m) {
              m.files = {{"w", 1, {1}}};
            }),
            "file 'w' has an identity of 1 bytes, expected 16");
}

TEST(Verify, Constants) {
  auto constant = [](const std::function<void(Constant &)> &change) {
    return damage([&](Metadata &m) { change(m.constants[0]); });
  };
  EXPECT_EQ(constant([](Constant &c) { c.length = 60; }),
            "constant 'w' has 60 bytes, its type takes 64");
  EXPECT_EQ(constant([](Constant &c) { c.type.dims = {-1}; }),
            "a constant has dimension -1, of 0 symbols");
  EXPECT_EQ(constant([](Constant &c) { c.type.element = ElementType::I4; }),
            "a constant has element type 1 (i4), which has no memory layout");
  EXPECT_EQ(constant([](Constant &c) { c.type.element = ElementType(99); }),
            "a constant has element type 99 (?), which has no memory layout");
  EXPECT_EQ(constant([](Constant &c) {
              c.type.dims = {int64_t(1) << 40, int64_t(1) << 40};
            }),
            "the size of a constant overflows");
  EXPECT_EQ(constant([](Constant &c) { c.type.dims.assign(40, 1); }),
            "a constant has rank 40, the most is 32");
  EXPECT_EQ(constant([](Constant &c) { c.alignment = 3; }), "constant 'w' has alignment 3");
  EXPECT_EQ(constant([](Constant &c) { c.digest = {1}; }),
            "constant 'w' has a digest of 1 bytes, expected 16");
  EXPECT_EQ(constant([](Constant &c) { c.section = 2; }),
            "constant 'w' lies in section 2, which is not CONSTANTS");
  EXPECT_EQ(constant([](Constant &c) { c.section = 9; }),
            "constant 'w' lies in section 9, which is not CONSTANTS");
  EXPECT_EQ(constant([](Constant &c) { c.offset = UINT64_MAX; }),
            "constant 'w' ends past its section");
  EXPECT_EQ(constant([](Constant &c) { c.storage = Storage::External; }),
            "constant 'w' lies in file 0 of 0");
  EXPECT_EQ(damage([](Metadata &m) {
              m.files = {{"w", 63, std::vector<uint8_t>(16)}};
              m.constants[0].storage = Storage::External;
            }),
            "constant 'w' ends past its file");
  EXPECT_EQ(constant([](Constant &c) { c.storage = Storage::Splat; }),
            "the splat of constant 'w' has 0 bytes");
  EXPECT_EQ(constant([](Constant &c) { c.storage = Storage(7); }),
            "constant 'w' has unknown storage 7");
}

TEST(Verify, Kernels) {
  auto kernel = [](const std::function<void(Kernel &)> &change) {
    return damage([&](Metadata &m) { change(m.kernels[0]); });
  };
  EXPECT_EQ(kernel([](Kernel &k) { k.bindings.resize(17, k.bindings[0]); }),
            "kernel 'add' has 17 bindings, the most is 16");
  EXPECT_EQ(kernel([](Kernel &k) { k.scalars = 17; }),
            "kernel 'add' has 17 scalars, the most is 16");
  EXPECT_EQ(kernel([](Kernel &k) { k.bindings[0].access = Access(0); }),
            "kernel 'add' has a binding with access 0");
  EXPECT_EQ(kernel([](Kernel &k) { k.bindings[0].alignment = 0; }),
            "kernel 'add' has a binding with alignment 0");
  EXPECT_EQ(kernel([](Kernel &k) { k.variants.clear(); }),
            "kernel 'add' has 0 variants, expected 1 to 64");
  EXPECT_EQ(kernel([](Kernel &k) { k.variants[0].section = 4; }),
            "kernel 'add' lies in section 4 of 4");
  EXPECT_EQ(kernel([](Kernel &k) { k.variants[0].section = 1; }),
            "kernel 'add' lies in section 1 (CONSTANTS), expected HOST_IMAGE");
  EXPECT_EQ(kernel([](Kernel &k) { k.variants[0].offset = 66304; }),
            "kernel 'add' enters at offset 66304 of an image of 66304 bytes");
  EXPECT_EQ(kernel([](Kernel &k) {
              k.variants[0].group = {1, 1, 1, 1};
            }),
            "kernel 'add' has a group of rank 4");
}

/// The sample with sections for other targets: 4 OPENCL_C, 5 PTX.
static std::string damageVariant(const std::function<void(Kernel &)> &change) {
  Metadata metadata = tw::test::makeAffineMetadata();
  change(metadata.kernels[0]);
  std::vector<uint8_t> text(100, ' ');
  ContainerWriter writer;
  tw::test::addSections(writer);
  writer.addSection(SectionKind::OpenCLC, 6, text);
  writer.addSection(SectionKind::PTX, 6, text);
  return verify(writer.finish(encodeMetadata(metadata)));
}

TEST(Verify, KernelsOfThreads) {
  auto variant = [](const std::function<void(Variant &)> &change) {
    return damageVariant([&](Kernel &k) {
      Variant threads;
      threads.format = "opencl-c";
      threads.section = 4;
      threads.entry = "add";
      threads.group = {64, 2};
      threads.localBytes = 4096;
      threads.subgroup = 32;
      k.variants = {threads};
      change(k.variants[0]);
    });
  };
  EXPECT_EQ(variant([](Variant &) {}), "accepted");
  EXPECT_EQ(variant([](Variant &v) { v.section = 5; }),
            "kernel 'add' lies in section 5 (PTX), expected OPENCL_C");
  EXPECT_EQ(variant([](Variant &v) { v.section = 2; }),
            "kernel 'add' lies in section 2 (HOST_IMAGE), expected OPENCL_C");
  EXPECT_EQ(variant([](Variant &v) { v.offset = 8; }),
            "kernel 'add' enters at offset 8 of an image of 100 bytes");
  EXPECT_EQ(variant([](Variant &v) { v.group = {}; }), "kernel 'add' has no group");
  EXPECT_EQ(variant([](Variant &v) {
              v.group = {64, 0};
            }),
            "kernel 'add' has a group of 0 or over 65536 threads");
  EXPECT_EQ(variant([](Variant &v) {
              v.group = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
            }),
            "kernel 'add' has a group of 0 or over 65536 threads");
  EXPECT_EQ(variant([](Variant &v) { v.localBytes = 1u << 25; }),
            "kernel 'add' has 33554432 bytes of local memory, the most is 16777216");
  EXPECT_EQ(variant([](Variant &v) { v.subgroup = 48; }),
            "kernel 'add' has subgroups of 48 threads");
  EXPECT_EQ(variant([](Variant &v) { v.subgroup = 256; }),
            "kernel 'add' has subgroups of 256 threads");
  EXPECT_EQ(variant([](Variant &v) {
              v.divisible = true, v.group = {64, 1}, v.localBytes = 0;
            }),
            "accepted");
  constexpr const char *fixed = "kernel 'add' has a group that can be divided, expected spirv or "
                                "opencl-c, one extent and no local memory";
  EXPECT_EQ(variant([](Variant &v) { v.divisible = true, v.group = {64}; }), fixed);
  EXPECT_EQ(variant([](Variant &v) { v.divisible = true, v.localBytes = 0; }), fixed);
  // A format of a later release is left to the devices that know it.
  EXPECT_EQ(variant([](Variant &v) { v.format = "metal"; }), "accepted");
  for (auto change : {+[](Variant &v) { v.group = {1}; }, +[](Variant &v) { v.localBytes = 1; },
                      +[](Variant &v) { v.subgroup = 32; }})
    EXPECT_EQ(damageVariant([&](Kernel &k) { change(k.variants[0]); }),
              "kernel 'add' has a group or local memory, which host kernels have not");
  EXPECT_EQ(damageVariant([](Kernel &k) { k.variants[0].sharedBytes = 64; }),
            "kernel 'add' has 64 bytes that threads share, which kernels of format host-team alone "
            "have");
  EXPECT_EQ(damageVariant([](Kernel &k) {
              k.variants[0].format = teamFormat;
              k.variants[0].sharedBytes = 64;
            }),
            "accepted");
  EXPECT_EQ(damageVariant([](Kernel &k) {
              k.variants[0].format = teamFormat;
              k.variants[0].group = {1};
            }),
            "kernel 'add' has a group or local memory, which host kernels have not");
}

TEST(Verify, MapsOfTensors) {
  auto maps = [](const std::function<void(Kernel &, TensorMap &)> &change) {
    return damageVariant([&](Kernel &k) {
      Variant threads;
      threads.format = "ptx";
      threads.section = 5;
      threads.entry = "add";
      threads.group = {64};
      threads.needs = {"sm_90a", "tensor-maps"};
      // 16 rows of 16 elements.
      k.bindings[0].type = {ElementType::F32, {16, 16}};
      TensorMap map{0, ElementType::F32, 64, {16, 16}, {64}, {16, 8}};
      k.variants = {threads};
      change(k, map);
      k.variants[0].maps.push_back(map);
    });
  };
  EXPECT_EQ(maps([](Kernel &, TensorMap &) {}), "accepted");
  constexpr const char *place =
      "kernel 'add' has 1 maps of tensors, expected at most 16, in code for "
      "devices that make them, which needs 'tensor-maps'";
  EXPECT_EQ(maps([](Kernel &k, TensorMap &) { k.variants[0].needs = {"sm_90a"}; }), place);
  EXPECT_EQ(maps([](Kernel &k, TensorMap &) {
              k.variants[0].format = "opencl-c";
              k.variants[0].section = 4;
            }),
            place);
  EXPECT_EQ(maps([](Kernel &, TensorMap &m) { m.binding = 9; }),
            "kernel 'add' has a map of rank 2 of binding 9, of elements 18");
  EXPECT_EQ(maps([](Kernel &, TensorMap &m) { m.extents = {}; }),
            "kernel 'add' has a map of rank 0 of binding 0, of elements 18");
  EXPECT_EQ(maps([](Kernel &k, TensorMap &) { k.bindings[0].access = Access::Write; }),
            "kernel 'add' has a map of binding 0, expected one of a fixed size that is read alone");
  EXPECT_EQ(
      maps([](Kernel &, TensorMap &m) { m.extents[1] = 17; }),
      "kernel 'add' has a map whose dimension 1 has 17 points, 64 bytes apart, and a box of 8, "
      "of 1024 bytes");
  EXPECT_EQ(
      maps([](Kernel &, TensorMap &m) { m.strides[0] = 60; }),
      "kernel 'add' has a map whose dimension 1 has 16 points, 60 bytes apart, and a box of 8, "
      "of 1024 bytes");
  EXPECT_EQ(maps([](Kernel &, TensorMap &m) { m.box[1] = 257; }),
            "kernel 'add' has a map whose dimension 1 has 16 points, 64 bytes apart, and a box of "
            "257, of 1024 bytes");
  EXPECT_EQ(maps([](Kernel &, TensorMap &m) { m.swizzle = 32; }),
            "kernel 'add' has a map with rows of 64 bytes in a swizzle of 32");
}

TEST(Verify, Functions) {
  auto function = [](const std::function<void(Function &)> &change) {
    return damage([&](Metadata &m) { change(m.functions[0]); });
  };
  EXPECT_EQ(damage([](Metadata &m) { m.functions.clear(); }), "the module has no function");
  EXPECT_EQ(function([](Function &f) { f.programs.clear(); }), "function 'main' has no program");
  EXPECT_EQ(function([](Function &f) { f.programs.push_back(f.programs[0]); }),
            "function 'main' has two programs for target 'host'");
  EXPECT_EQ(function([](Function &f) { f.programs.resize(65, f.programs[0]); }),
            "function 'main' has 65 programs, the most is 64");
  EXPECT_EQ(function([](Function &f) {
              f.programs.push_back(f.programs[0]);
              f.programs[1].target = "vulkan";
            }),
            "accepted");
  EXPECT_EQ(function([](Function &f) {
              f.symbols = {{"S", 5, 4, 1}};
            }),
            "symbol 'S' has range 5 to 4 step 1");
  EXPECT_EQ(function([](Function &f) {
              f.symbols = {{"S", 0, -1, 0}};
            }),
            "symbol 'S' has range 0 to -1 step 0");
  EXPECT_EQ(function([](Function &f) {
              f.symbols.resize(1025, {"S", 0, -1, 1});
            }),
            "a function has 1025 symbols, the most is 1024");
  EXPECT_EQ(function([](Function &f) { f.arguments[0].alignment = 5; }),
            "argument 'x' has alignment 5");
  EXPECT_EQ(function([](Function &f) { f.arguments[0].aliasesResult = 1; }),
            "argument 'x' shares the memory of result 1 of 1");
  EXPECT_EQ(function([](Function &f) {
              f.results[0].type.dims = {32};
              f.arguments[0].aliasesResult = 0;
            }),
            "argument 'x' shares the memory of result 0, which has another type");
  EXPECT_EQ(function([](Function &f) { f.results[0].type.dims = {-3}; }),
            "a result has dimension -3, of 0 symbols");
  EXPECT_EQ(damage([](Metadata &m) { m.locations[1].parent = 1; }),
            "location 1 has parent 1, expected an earlier one");
}

TEST(Verify, SlotsAndIntervals) {
  EXPECT_EQ(damageProgram([](Program &p) { p.slots.clear(); }),
            "a program has 0 slots, expected 1 to 16");
  EXPECT_EQ(damageProgram([](Program &p) { p.slots[0].offsetAlignment = 6; }),
            "a slot has offset alignment 6");
  EXPECT_EQ(damageProgram([](Program &p) {
              p.slots[0].slabs = {UINT64_MAX, 1};
            }),
            "the slabs' sizes overflow");
  EXPECT_EQ(damageProgram([](Program &p) { p.slots[0].maxSlab = 255; }),
            "a slab of 256 bytes is larger than its slot's limit, 255");
  EXPECT_EQ(damageProgram([](Program &p) {
              p.slots[0].offsetAlignment = 256;
              p.slots[0].slabs = {512};
              p.intervals[0].offset = 64;
            }),
            "interval 0 at offset 64 is not aligned to 256");
  auto interval = [](const std::function<void(Interval &)> &change) {
    return damageProgram([&](Program &p) { change(p.intervals[0]); });
  };
  EXPECT_EQ(interval([](Interval &i) { i.slot = 3; }), "interval 0 lies in slot 3 of 1");
  EXPECT_EQ(interval([](Interval &i) { i.last = 99; }),
            "interval 0 lives from command 7 to 99 of 11");
  EXPECT_EQ(interval([](Interval &i) { i.alignment = 8192; }), "interval 0 has alignment 8192");
  EXPECT_EQ(interval([](Interval &i) { i.offset = -2; }), "interval 0 lies at offset -2");
  EXPECT_EQ(interval([](Interval &i) { i.offset = 32; }),
            "interval 0 (offset 32, 256 bytes) lies outside slab 0");
  EXPECT_EQ(damageProgram([](Program &p) {
              p.slots[0].slabs = {512};
              p.intervals[0].offset = 32;
            }),
            "interval 0 at offset 32 is not aligned to 64");
  EXPECT_EQ(interval([](Interval &i) { i.slab = 1; }),
            "interval 0 (offset 0, 256 bytes) lies outside slab 1");
  EXPECT_EQ(interval([](Interval &i) { i.size = 1; }),
            "interval 0 has its size in register 1, of 1 made so far");
  // Longer than needed does no harm.
  EXPECT_EQ(interval([](Interval &i) { i.first = 0; }), "accepted");
  EXPECT_EQ(interval([](Interval &i) { i.last = 8; }),
            "command 9 uses interval 0, which lives from command 7 to 8");
  EXPECT_EQ(damageProgram([](Program &p) { p.intervals.push_back(p.intervals[0]); }),
            "interval 1 is never reserved");
}

/// Copies through one interval after the other, each `[offset, offset + bytes)` of a slab, alive in
/// its own command and `longer` more.
static std::string placeIntervals(std::initializer_list<std::array<uint32_t, 4>> places) {
  return damage([&](Metadata &m) {
    ProgramBuilder builder("host");
    BufferRef x = builder.bindArgument(0), y = builder.bindResult(0);
    std::vector<BufferRef> buffers;
    for (auto [slab, offset, bytes, longer] : places)
      buffers.push_back(builder.reserve(bytes, 64, Placement{slab, offset}));
    for (BufferRef buffer : buffers)
      builder.fill(buffer, 0, 1);
    builder.copy(y, x);
    builder.copy(y, x);
    Program program = builder.finish();
    for (size_t i = 0; i < places.size(); ++i)
      program.intervals[i].last += places.begin()[i][3];
    m.functions[0].programs = {program};
  });
}

TEST(Verify, OverlappingIntervals) {
  EXPECT_EQ(placeIntervals({{0, 0, 256, 0}, {0, 0, 256, 0}}), "accepted");
  EXPECT_EQ(placeIntervals({{0, 0, 256, 1}, {0, 256, 64, 0}, {1, 0, 256, 0}}), "accepted");
  EXPECT_EQ(placeIntervals({{0, 0, 256, 1}, {0, 0, 0, 1}, {0, 0, 64, 0}}), "accepted");
  EXPECT_EQ(placeIntervals({{0, 0, 256, 1}, {0, 192, 256, 0}}),
            "intervals 0 and 1 share bytes 192 to 256 of slab 0 at command 6");
  EXPECT_EQ(placeIntervals({{0, 64, 64, 2}, {0, 256, 64, 0}, {0, 0, 512, 0}}),
            "intervals 0 and 2 share bytes 64 to 128 of slab 0 at command 9");
  EXPECT_EQ(placeIntervals({{0, 0, 512, 3}, {0, 0, 64, 0}}),
            "intervals 0 and 1 share bytes 0 to 64 of slab 0 at command 7");
}

TEST(Verify, ManyIntervalsAreCheckedInTime) {
  constexpr uint32_t count = 20000;
  for (uint64_t overlap : {0, 1}) {
    ProgramBuilder builder("host");
    std::vector<BufferRef> buffers;
    for (uint32_t i = 0; i < count; ++i)
      buffers.push_back(builder.reserve(
          uint64_t(64), 64, Placement{0, 64 * uint64_t(i == count - 1 ? i - overlap : i)}));
    for (BufferRef buffer : buffers)
      builder.fill(buffer, 0, 1);
    for (BufferRef buffer : buffers)
      builder.fill(buffer, 0, 1);
    builder.copy(builder.bindResult(0), builder.bindArgument(0));
    EXPECT_EQ(damage([&](Metadata &m) { m.functions[0].programs = {builder.finish()}; }) ==
                  "accepted",
              overlap == 0);
  }
}

TEST(Verify, Commands) {
  EXPECT_EQ(damageProgram([](Program &p) { p.code.clear(); }),
            "a program has 0 commands, expected 1 to 1048576");
  EXPECT_EQ(damageProgram([](Program &p) { p.registers = 99; }),
            "11 commands cannot make 99 registers, 4 buffers and 1 intervals");
  EXPECT_EQ(damageProgram([](Program &p) { p.registers = 5; }),
            "commands make 4 registers and 4 buffers, the program says 5 and 4");
  EXPECT_EQ(damageProgram([](Program &p) { p.registers = 3; }),
            "command 8 makes register 3, expected 3 of 3");
  EXPECT_EQ(damageProgram([](Program &p) { p.locations.pop_back(); }),
            "11 commands have 10 locations");
  EXPECT_EQ(damageProgram([](Program &p) { p.locations[2] = 2; }), "command 2 has location 2 of 2");
  auto command = [](Opcode opcode, const std::function<void(Command &)> &change) {
    return damageProgram([&](Program &p) { change(find(p, opcode)); });
  };
  EXPECT_EQ(command(Opcode::Bind, [](Command &c) { c.opcode = 99; }),
            "command 0 has unknown opcode 99");
  EXPECT_EQ(command(Opcode::Bind, [](Command &c) { c.queue = 1; }),
            "command 0 runs on queue 1 of 1");
  EXPECT_EQ(command(Opcode::Bind, [](Command &c) { c.first = 4000; }),
            "command 0 has operands 4000 + 2 of 23");
  EXPECT_EQ(command(Opcode::Bind, [](Command &c) { c.count = 1; }),
            "command 0 (bind) has 1 operands, expected 2");
  EXPECT_EQ(command(Opcode::Bind, [](Command &c) { c.target = 1; }),
            "command 0 makes buffer 1, expected 0 of 4");
  EXPECT_EQ(command(Opcode::Return, [](Command &c) { c.target = 1; }),
            "command 10 (return) has target 1, expected 0");
  EXPECT_EQ(damageProgram([](Program &p) {
              p.code.pop_back();
              p.locations.pop_back();
            }),
            "the last command is not a return");
  EXPECT_EQ(damageProgram([](Program &p) {
              p.code.push_back(p.code.back());
              p.locations.push_back(UINT32_MAX);
            }),
            "command 10 returns before the end");
}

TEST(Verify, Operands) {
  auto operand = [](Opcode opcode, uint32_t index, uint32_t value) {
    return damageProgram([&](Program &p) { p.operands[find(p, opcode).first + index] = value; });
  };
  EXPECT_EQ(operand(Opcode::Const, 0, 9), "command 3 uses literal 9, of 4 there");
  EXPECT_EQ(operand(Opcode::Bind, 0, 3), "command 0 uses kind of binding 3, of 3 there");
  EXPECT_EQ(operand(Opcode::Bind, 1, 1), "command 0 binds value 1 of 1");
  EXPECT_EQ(operand(Opcode::Reserve, 0, 1), "command 4 uses interval 1, of 1 there");
  EXPECT_EQ(operand(Opcode::Launch, 0, 7), "command 7 uses register 7, of 3 there");
  EXPECT_EQ(operand(Opcode::Launch, 3, 4), "command 7 uses buffer 4, of 4 there");
  EXPECT_EQ(operand(Opcode::Launch, 5, 0), "command 7 writes to an argument");
  EXPECT_EQ(operand(Opcode::Launch, 5, 2), "command 7 writes to a constant");
  EXPECT_EQ(damageProgram([](Program &p) { find(p, Opcode::Launch).target = 2; }),
            "command 7 launches kernel 2 of 2");
  EXPECT_EQ(damageProgram([](Program &p) { find(p, Opcode::Launch).count = 5; }),
            "command 7 has 5 operands, kernel 'add' takes 6");
  // A fill of the argument in place of the second constant's register.
  EXPECT_EQ(damageProgram([](Program &p) {
              p.code[9].opcode = uint16_t(Opcode::Fill);
              p.code[9].target = 0;
              p.code[9].count = 3;
              p.operands[p.code[9].first] = 0;
              p.operands[p.code[9].first + 2] = 3;
            }),
            "command 9 fills with a width of 3");
  EXPECT_EQ(damageProgram([](Program &p) {
              p.code[9].opcode = uint16_t(Opcode::Dim);
              p.code[9].target = 4;
              p.registers = 5;
              p.code[9].count = 2;
              p.operands[p.code[9].first] = 0;
              p.operands[p.code[9].first + 1] = 1;
            }),
            "command 9 asks for dimension 1 of an argument of rank 1");
}

static std::string damageDerived(const std::function<void(Metadata &, Program &)> &change) {
  Metadata metadata = tw::test::makeDerivedMetadata();
  change(metadata, metadata.functions[0].programs[0]);
  return verify(tw::test::assemble(metadata));
}

TEST(Verify, Initializers) {
  EXPECT_EQ(damageDerived(
                [](Metadata &, Program &p) { p.initializer[0].initializer = {p.initializer[0]}; }),
            "an initializer has an initializer");
  EXPECT_EQ(damageDerived([](Metadata &, Program &p) { p.initializer[0].target = "cuda"; }),
            "an initializer is for target 'cuda', its program for 'host'");
  EXPECT_EQ(damageDerived([](Metadata &, Program &p) { p.initializer.clear(); }),
            "command 4 binds derived constant 'd', which the program's initializer does not write");
  EXPECT_EQ(damageDerived([](Metadata &m, Program &p) {
              m.constants.push_back(m.constants[1]);
              p.operands[p.code[4].first + 1] = 2;
            }),
            "command 4 binds derived constant 'd', which the program's initializer does not write");
  // A program of another target has an initializer of its own.
  EXPECT_EQ(damageDerived([](Metadata &m, Program &p) {
              Program other = p;
              other.target = "cuda";
              other.initializer.clear();
              m.functions[0].programs.push_back(other);
            }),
            "command 4 binds derived constant 'd', which the program's initializer does not write");
  EXPECT_EQ(damageDerived(
                [](Metadata &, Program &p) { p.operands[find(p, Opcode::Launch).first + 5] = 3; }),
            "command 7 writes to a constant");
  auto operand = [](Opcode opcode, uint32_t index, uint32_t value) {
    return damageDerived([&](Metadata &, Program &p) {
      Program &first = p.initializer[0];
      first.operands[find(first, opcode).first + index] = value;
    });
  };
  EXPECT_EQ(operand(Opcode::Bind, 0, 0), "initializer: command 0 binds value 0 of 0");
  EXPECT_EQ(operand(Opcode::Bind, 0, 1), "initializer: command 0 binds value 0 of 0");
  EXPECT_EQ(operand(Opcode::Bind, 1, 2), "initializer: command 0 binds value 2 of 2");
  EXPECT_EQ(operand(Opcode::Launch, 5, 0), "initializer: command 7 writes to a constant");
  EXPECT_EQ(operand(Opcode::Launch, 3, 1),
            "initializer: command 7 reads derived constant 'd' before it is written");
  EXPECT_EQ(damageDerived([](Metadata &, Program &p) {
              Program &first = p.initializer[0];
              find(first, Opcode::Const).opcode = uint16_t(Opcode::Dim);
            }),
            "initializer: command 2 (dim) has 1 operands, expected 2");
  EXPECT_EQ(damageDerived([](Metadata &, Program &p) {
              Program &first = p.initializer[0];
              Command &command = find(first, Opcode::Const);
              command.opcode = uint16_t(Opcode::Dim);
              command.count = 2;
            }),
            "initializer: command 2 uses argument 0, of 0 there");
}

TEST(Verify, InitializersAreDescribed) {
  std::string text;
  Error error;
  ASSERT_TRUE(describeModule(tw::test::makeDerivedModule(), {}, text, error)) << error.message;
  EXPECT_NE(text.find("\n  1 d: f32[64], derived, 256 bytes, alignment 64\n"), text.npos) << text;
  EXPECT_NE(
      text.find("\n    initializer: 9 commands, 1 launches, 3 registers, 3 buffers, 1 "
                "intervals\n      slot host, slab of 256 bytes\n      0: b0 = bind constant 0"),
      text.npos)
      << text;
}

/// Derived constants take no bytes, and modules without them none for the possibility.
TEST(Verify, InitializersCostNothingWhereThereAreNone) {
  Metadata metadata = tw::test::makeDerivedMetadata();
  size_t with = encodeMetadata(metadata).size();
  Program &program = metadata.functions[0].programs[0];
  size_t commands = 16 * program.initializer[0].code.size();
  program.initializer.clear();
  EXPECT_LT(encodeMetadata(metadata).size() + commands, with);
  EXPECT_LT(tw::test::makeDerivedModule().size(), tw::test::makeAffineModule().size() + 1024);
}

TEST(Verify, NotAFlatBuffer) {
  ContainerWriter writer;
  EXPECT_EQ(verify(writer.finish(std::vector<uint8_t>(64, 0xff))),
            "the section is not a well-formed FlatBuffer of kind TWM1");
}
