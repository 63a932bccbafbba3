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

constexpr uint32_t opEntryPoint = 15, opFunction = 54, opVariable = 59, workgroup = 4,
                   opSpecConstant = 50, opExecutionModeId = 331;

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

TEST(Spirv, DamagedModulesAreWalkedToTheirEnd) {
  std::vector<uint32_t> module = readModule();
  for (size_t size = 5; size < module.size(); ++size)
    extract({module.begin(), module.begin() + long(size)}, "add");
  for (size_t place = 3; place < module.size(); ++place)
    for (uint32_t bit : {0, 1, 4, 7, 15, 16, 17, 20, 31}) {
      std::vector<uint32_t> flipped = module;
      flipped[place] ^= 1u << bit;
      extract(flipped, "reverse");
    }
}
