// Local sizes that are specialisation constants: what the spirv dialect has no operation for.
#include "tw/Target/SPIRV/Pipeline.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cstring>

using namespace mlir;
using spirv::Opcode;

namespace {

constexpr size_t headerWords = 5, versionWord = 1, boundWord = 3;
/// OpExecutionModeId came with 1.2.
constexpr uint32_t version1_2 = 0x00010200;

constexpr uint32_t makeHead(uint32_t opcode, uint32_t length) { return length << 16 | opcode; }
constexpr uint32_t opExecutionModeId = 331;

void visitInstructions(MutableArrayRef<uint32_t> words,
                       llvm::function_ref<void(Opcode, MutableArrayRef<uint32_t>)> visit) {
  for (size_t at = headerWords, length; at < words.size(); at += length) {
    length = words[at] >> 16;
    visit(Opcode(words[at] & 0xffff), words.slice(at, length));
  }
}

} // namespace

std::string tw::spv::getGroupConstant(StringRef kernel) { return (kernel + "_group").str(); }

bool tw::spv::specialiseLocalSizes(spirv::ModuleOp module, SmallVectorImpl<uint32_t> &words) {
  // What the binary calls kernels and constants.
  llvm::StringMap<uint32_t> functions;
  llvm::DenseMap<uint32_t, uint32_t> constants;
  size_t end = 0;
  uint32_t type = 0;
  visitInstructions(words, [&](Opcode opcode, MutableArrayRef<uint32_t> instruction) {
    if (opcode == Opcode::OpEntryPoint) {
      functions[reinterpret_cast<const char *>(&instruction[3])] = instruction[2];
    } else if (opcode == Opcode::OpDecorate &&
               instruction[2] == uint32_t(spirv::Decoration::SpecId)) {
      constants[instruction[3]] = instruction[1];
    } else if (opcode == Opcode::OpSpecConstant) {
      type = instruction[1];
      end = instruction.end() - words.begin();
    }
  });
  llvm::DenseMap<uint32_t, uint32_t> sizes;
  for (const auto &kernel : functions)
    if (auto constant =
            module.lookupSymbol<spirv::SpecConstantOp>(getGroupConstant(kernel.getKey())))
      sizes[kernel.getValue()] = constants.lookup(
          constant->getAttrOfType<IntegerAttr>("spec_id").getValue().getZExtValue());
  if (sizes.empty())
    return false;

  // OpExecutionMode %k LocalSize 64 1 1 -> OpExecutionModeId %k LocalSizeId %k_group %one %one
  uint32_t one = words[boundWord]++;
  visitInstructions(words, [&](Opcode opcode, MutableArrayRef<uint32_t> instruction) {
    if (opcode != Opcode::OpExecutionMode ||
        instruction[2] != uint32_t(spirv::ExecutionMode::LocalSize))
      return;
    if (uint32_t size = sizes.lookup(instruction[1])) {
      instruction[0] = makeHead(opExecutionModeId, instruction.size());
      instruction[2] = uint32_t(spirv::ExecutionMode::LocalSizeId);
      instruction[3] = size;
      instruction[4] = instruction[5] = one;
    }
  });
  const uint32_t constant[] = {makeHead(uint32_t(Opcode::OpConstant), 4), type, one, 1};
  words.insert(words.begin() + end, std::begin(constant), std::end(constant));
  words[versionWord] = std::max(words[versionWord], version1_2);
  return true;
}
