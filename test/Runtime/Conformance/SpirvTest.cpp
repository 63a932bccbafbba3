// One kernel taken out of a SPIR-V module of many.
#include "Drivers/Vulkan/Spirv.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <vector>

using namespace tw::runtime;
using namespace tw::runtime::vulkan;

namespace {

constexpr uint32_t opLine = 8, opEntryPoint = 15, opTypeVoid = 19, opTypeInt = 21, opTypeFloat = 22,
                   opTypeImage = 25, opTypePointer = 32, opTypeFunction = 33, opSpecConstant = 50,
                   opFunction = 54, opFunctionEnd = 56, opVariable = 59, opDecorate = 71,
                   opLabel = 248, opReturn = 253, opExecutionModeId = 331;
/// Storage classes.
constexpr uint32_t uniformConstant = 0, workgroup = 4, functionLocal = 7, storageBuffer = 12;

std::vector<uint32_t> readModule() {
  std::ifstream file(TW_CONFORMANCE_DIR "/Kernels.spv", std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<uint32_t> words(bytes.size() / 4);
  memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

/// How often each opcode stands in a module; variables of local memory count as opcode 0.
std::map<uint32_t, int> countOpcodes(std::span<const uint32_t> module) {
  std::map<uint32_t, int> counts;
  for (size_t at = 5; at < module.size(); at += module[at] >> 16) {
    uint32_t opcode = module[at] & 0xffff;
    ++counts[opcode];
    if (opcode == opVariable && module[at + 3] == workgroup)
      ++counts[0];
  }
  return counts;
}

std::vector<uint32_t> extract(const std::vector<uint32_t> &module, const char *name) {
  Allocator allocator = defaultAllocator();
  Array<uint32_t> kernel(allocator);
  EntryPoint entry = findEntryPoint(module, name);
  EXPECT_TRUE(extractKernel(allocator, module, entry.id, kernel));
  return {kernel.begin(), kernel.end()};
}

} // namespace

TEST(Spirv, KernelsAreTakenOut) {
  std::vector<uint32_t> module = readModule();
  ASSERT_GT(module.size(), 5u);
  for (const char *name : {"add", "scale", "ids", "reverse", "many"}) {
    std::vector<uint32_t> kernel = extract(module, name);
    std::map<uint32_t, int> counts = countOpcodes(kernel);
    EXPECT_EQ(counts[opEntryPoint], 1) << name;
    EXPECT_EQ(counts[opFunction], 1) << name;
    EXPECT_EQ(counts[0], strcmp(name, "reverse") == 0 ? 1 : 0) << name;
    EXPECT_LT(kernel.size(), module.size());
    EXPECT_NE(findEntryPoint(kernel, name).id, 0u);
    EXPECT_EQ(extract(kernel, name), kernel) << name;
  }
  EXPECT_EQ(findEntryPoint(module, "reverse").group, 16u);
  EXPECT_EQ(findEntryPoint(module, "reverse").groupConstant, std::nullopt);
  EXPECT_EQ(findEntryPoint(module, "revers").id, 0u);
}

TEST(Spirv, LiteralsAreNoVariables) {
  // Variables of local memory, of which kernel `b` names one. The literals of kernel `a` have the
  // numbers of the others: the execution model 5, the name 97, the storage class 7, line 11.
  constexpr uint32_t a = 1, b = 2, voids = 3, signature = 4, element = 6, local = 8, own = 9;
  std::vector<uint32_t> module = {0x07230203, 0x00010300, 0, 100, 0};
  auto add = [&](uint32_t opcode, std::initializer_list<uint32_t> operands) {
    module.push_back(uint32_t(operands.size() + 1) << 16 | opcode);
    module.insert(module.end(), operands);
  };
  add(opEntryPoint, {5, a, 'a'});
  add(opEntryPoint, {5, b, 'b', 12});
  add(opTypeVoid, {voids});
  add(opTypeFunction, {signature, voids});
  add(opTypeFloat, {element, 32});
  add(opTypePointer, {local, workgroup, element});
  add(opTypePointer, {own, functionLocal, element});
  for (uint32_t variable : {5, 7, 11, 12, 97})
    add(opVariable, {local, variable, workgroup});
  for (uint32_t kernel : {a, b}) {
    add(opFunction, {voids, kernel, 0, signature});
    add(opLabel, {20 + kernel});
    add(opVariable, {own, 30 + kernel, functionLocal});
    add(opLine, {40, 11, 1});
    add(opReturn, {});
    add(opFunctionEnd, {});
  }
  EXPECT_EQ(countOpcodes(module)[0], 5);
  EXPECT_EQ(countOpcodes(extract(module, "a"))[0], 0);
  EXPECT_EQ(countOpcodes(extract(module, "a"))[opVariable], 1);
  EXPECT_EQ(countOpcodes(extract(module, "b"))[0], 1);
}

TEST(Spirv, LocalSizesBecomeLiterals) {
  std::vector<uint32_t> module = readModule(), words = extract(module, "add");
  EntryPoint entry = findEntryPoint(words, "add");
  EXPECT_EQ(entry.group, 16u);
  EXPECT_EQ(entry.groupConstant, 7u);
  EXPECT_EQ(countOpcodes(words)[opExecutionModeId], 1);
  Allocator allocator = defaultAllocator();
  Array<uint32_t> kernel(allocator);
  ASSERT_TRUE(kernel.assign(words));
  setLocalSize(kernel, entry.id, 4);
  entry = findEntryPoint(kernel, "add");
  EXPECT_EQ(entry.group, 4u);
  EXPECT_EQ(entry.groupConstant, std::nullopt);
  EXPECT_EQ(countOpcodes(kernel)[opExecutionModeId], 0);
  EXPECT_EQ(countOpcodes(kernel)[opSpecConstant], 1);
}

TEST(Spirv, TexelBuffersAreFound) {
  // Bindings: texels of floats, of integers, a storage buffer, a sampled buffer, texels of two
  // components, one of two kinds, texels of four floats.
  constexpr uint32_t binding = 33, buffer = 5, sampled = 1, storage = 2, rgba32f = 1, r32f = 3,
                     rg32f = 6, r32ui = 33;
  std::vector<uint32_t> module = {0x07230203, 0x00010300, 0, 100, 0};
  auto add = [&](uint32_t opcode, std::initializer_list<uint32_t> operands) {
    module.push_back(uint32_t(operands.size() + 1) << 16 | opcode);
    module.insert(module.end(), operands);
  };
  constexpr uint32_t places[] = {0, 1, 2, 3, 4, 5, 5, 6};
  for (uint32_t i = 0; i < std::size(places); ++i)
    add(opDecorate, {50 + i, binding, places[i]});
  add(opTypeFloat, {1, 32});
  add(opTypeInt, {2, 32, 0});
  add(opTypeImage, {10, 1, buffer, 0, 0, 0, storage, r32f});
  add(opTypeImage, {11, 2, buffer, 0, 0, 0, storage, r32ui});
  add(opTypeImage, {12, 1, buffer, 0, 0, 0, sampled, r32f});
  add(opTypeImage, {13, 1, buffer, 0, 0, 0, storage, rg32f});
  add(opTypeImage, {14, 1, buffer, 0, 0, 0, storage, rgba32f});
  for (uint32_t i = 0; i < 5; ++i)
    add(opTypePointer, {20 + i, uniformConstant, 10 + i});
  add(opTypePointer, {30, storageBuffer, 1});
  constexpr uint32_t types[] = {20, 21, 30, 22, 23, 20, 30, 24};
  for (uint32_t i = 0; i < std::size(types); ++i)
    add(opVariable, {types[i], 50 + i, types[i] == 30 ? storageBuffer : uniformConstant});
  Allocator allocator = defaultAllocator();
  Texels found[8] = {};
  ASSERT_TRUE(findTexels(allocator, module, found));
  const Texels expected[] = {Texels::Float,   Texels::Uint,    Texels::None,   Texels::Unknown,
                             Texels::Unknown, Texels::Unknown, Texels::Float4, Texels::None};
  for (size_t i = 0; i < std::size(expected); ++i)
    EXPECT_EQ(found[i], expected[i]) << i;
  // Ids beyond the bound of the header are not followed.
  module[3] = 15;
  ASSERT_TRUE(findTexels(allocator, module, found));
  EXPECT_EQ(found[0], Texels::Unknown);
}

TEST(Spirv, DamagedModulesAreWalkedToTheirEnd) {
  std::vector<uint32_t> module = readModule();
  for (size_t size = 5; size < module.size(); ++size)
    extract({module.begin(), module.begin() + long(size)}, "add");
  for (size_t place = 3; place < module.size(); ++place)
    for (uint32_t bit : {0, 1, 4, 7, 15, 16, 17, 20, 31}) {
      std::vector<uint32_t> flipped = module;
      flipped[place] ^= 1u << bit;
      Texels found[16] = {};
      EXPECT_TRUE(findTexels(defaultAllocator(), extract(flipped, "reverse"), found));
    }
}
