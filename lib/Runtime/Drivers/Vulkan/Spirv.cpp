// Walks SPIR-V: entry points, and one kernel of many.
#include "Spirv.h"

#include <algorithm>
#include <cstring>

using namespace tw::runtime;
using namespace tw::runtime::vulkan;

namespace {

/// Numbers of the SPIR-V specification.
enum Opcode : uint32_t {
  OpName = 5,
  OpLine = 8,
  OpExtInst = 12,
  OpEntryPoint = 15,
  OpExecutionMode = 16,
  OpTypeImage = 25,
  OpTypePointer = 32,
  OpConstant = 43,
  OpSpecConstant = 50,
  OpFunction = 54,
  OpFunctionEnd = 56,
  OpFunctionCall = 57,
  OpVariable = 59,
  OpLoad = 61,
  OpStore = 62,
  OpCopyMemory = 63,
  OpCopyMemorySized = 64,
  OpDecorate = 71,
  OpDecorationGroup = 73,
  OpGroupMemberDecorate = 75,
  OpCompositeExtract = 81,
  OpCompositeInsert = 82,
  OpControlBarrier = 224,
  OpMemoryBarrier = 225,
  OpAtomicStore = 228,
  OpLoopMerge = 246,
  OpLabel = 248,
  OpUnreachable = 255,
  OpNoLine = 317,
  OpExecutionModeId = 331,
  OpDecorateId = 332,
  OpDecorateString = 5632,
};
constexpr uint32_t glCompute = 5, localSize = 17, localSizeId = 38, specId = 1,
                   bindingDecoration = 33, dimBuffer = 5, formatRgba32f = 1, formatR32f = 3,
                   formatRgba32ui = 30, formatR32ui = 33, uniformConstant = 0;

/// Where the words of the header end, and which of them bounds the ids.
constexpr size_t headerWords = 5, boundWord = 3;
/// Ids of a module that is looked into: memory is taken for each.
constexpr uint32_t mostIds = 1u << 22;

struct Instruction {
  uint32_t opcode;
  /// All of its words; the operands are those behind the first.
  std::span<const uint32_t> words;

  uint32_t operand(size_t index) const { return index + 1 < words.size() ? words[index + 1] : 0; }
};

/// Calls `visit` with each instruction in turn. False if the module ends within one.
template <typename Visit> bool visitInstructions(std::span<const uint32_t> module, Visit visit) {
  for (size_t at = headerWords; at < module.size();) {
    uint32_t length = module[at] >> 16;
    if (length == 0 || length > module.size() - at)
      return false;
    visit(Instruction{module[at] & 0xffff, module.subspan(at, length)});
    at += length;
  }
  return true;
}

/// OpExecutionMode with literals or OpExecutionModeId with constants, of as many words.
bool isLocalSize(const Instruction &instruction, uint32_t entry, uint32_t opcode, uint32_t mode) {
  return instruction.opcode == opcode && instruction.words.size() == 6 &&
         instruction.operand(0) == entry && instruction.operand(1) == mode;
}

/// The word of an OpEntryPoint with the first variable, behind the name and the zero that ends it.
size_t findInterface(const Instruction &entry) {
  size_t at = std::min<size_t>(3, entry.words.size());
  while (at < entry.words.size()) {
    uint32_t word = entry.words[at++];
    if ((word - 0x01010101u) & ~word & 0x80808080u) // One of its bytes is 0.
      break;
  }
  return at;
}

/// The id that an instruction of a function makes; 0: none.
uint32_t resultOf(const Instruction &instruction) {
  switch (instruction.opcode) {
  case OpLabel:
    return instruction.operand(0);
  case OpLine:
  case OpNoLine:
  case OpFunctionEnd:
  case OpStore:
  case OpCopyMemory:
  case OpCopyMemorySized:
  case OpControlBarrier:
  case OpMemoryBarrier:
  case OpAtomicStore:
    return 0;
  default:
    bool ends = instruction.opcode >= OpLoopMerge && instruction.opcode <= OpUnreachable;
    return ends ? 0 : instruction.operand(1);
  }
}

/// Calls `visit` with what may be a variable among the operands. Literals are visited too where the
/// instruction is none of those that networks are made of.
template <typename Visit> void visitUses(const Instruction &instruction, Visit visit) {
  size_t count = instruction.words.size() - 1, first = 0;
  switch (instruction.opcode) {
  case OpLine:
  case OpFunction:
    return;
  case OpVariable:
    first = 3; // Behind the storage class.
    break;
  case OpLoad:
  case OpCompositeExtract:
    first = 2, count = std::min<size_t>(count, 3);
    break;
  case OpStore:
    count = std::min<size_t>(count, 2);
    break;
  case OpCompositeInsert:
    first = 2, count = std::min<size_t>(count, 4);
    break;
  case OpExtInst:
    first = 4;
    break;
  default:
    if (instruction.opcode >= OpLoopMerge && instruction.opcode <= OpUnreachable)
      return;
  }
  for (size_t i = first; i < count; ++i)
    visit(instruction.operand(i));
}

/// What is known of each id of a module.
class Extraction {
public:
  Extraction(const Allocator &allocator, std::span<const uint32_t> module, uint32_t root)
      : module(module), root(root), states(allocator) {}

  /// False: no memory.
  bool allocate() { return states.reset(module[boundWord]); }
  /// False if the module holds what this cannot take apart.
  bool analyse();
  /// Writes what is needed to `out`, if it is not NULL; the number of words.
  size_t write(uint32_t *out) const;

private:
  enum State : uint8_t { Function = 1, Kept = 2, Used = 4, Dropped = 8 };

  bool has(uint32_t id, State state) const { return id < states.size() && states[id] & state; }
  bool set(uint32_t id, State state) {
    if (id >= states.size() || states[id] & state)
      return false;
    states[id] |= state;
    return true;
  }
  bool isKept(const Instruction &instruction) const;

  std::span<const uint32_t> module;
  uint32_t root;
  Array<uint8_t> states;
};

} // namespace

EntryPoint vulkan::findEntryPoint(std::span<const uint32_t> module, std::string_view name) {
  EntryPoint entry;
  // The constants of a local size, and what they are.
  uint32_t constants[3] = {}, values[3] = {};
  std::optional<uint32_t> number;
  bool whole = visitInstructions(module, [&](const Instruction &instruction) {
    if (instruction.opcode == OpEntryPoint && instruction.words.size() > 3 &&
        instruction.operand(0) == glCompute) {
      const char *text = reinterpret_cast<const char *>(instruction.words.data() + 3);
      size_t most = (instruction.words.size() - 3) * 4;
      if (std::string_view(text, strnlen(text, most)) == name)
        entry.id = instruction.operand(1);
    }
    if (!entry.id)
      return;
    if (isLocalSize(instruction, entry.id, OpExecutionMode, localSize))
      entry.group =
          uint64_t(instruction.operand(2)) * instruction.operand(3) * instruction.operand(4);
    if (isLocalSize(instruction, entry.id, OpExecutionModeId, localSizeId))
      std::copy_n(instruction.words.begin() + 3, 3, constants);
    if (instruction.opcode == OpDecorate && instruction.operand(1) == specId && constants[0] &&
        instruction.operand(0) == constants[0])
      number = instruction.operand(2);
    if (instruction.opcode == OpConstant || instruction.opcode == OpSpecConstant)
      for (int i = 0; i < 3; ++i)
        if (constants[i] && instruction.operand(1) == constants[i])
          values[i] = instruction.operand(2);
  });
  if (constants[0])
    entry.group = uint64_t(values[0]) * values[1] * values[2];
  if (values[1] == 1 && values[2] == 1)
    entry.groupConstant = number;
  return whole ? entry : EntryPoint();
}

bool Extraction::analyse() {
  bool known = true;
  uint32_t function = 0;
  // Runs `visit` for the instructions of functions, which then know `function`.
  auto visitFunctions = [&](auto visit) {
    visitInstructions(module, [&](const Instruction &instruction) {
      if (instruction.opcode == OpFunction)
        function = instruction.operand(1);
      if (function)
        visit(instruction);
      if (instruction.opcode == OpFunctionEnd)
        function = 0;
    });
  };
  visitInstructions(module, [&](const Instruction &instruction) {
    if (instruction.opcode == OpFunction)
      function = instruction.operand(1);
    known &= instruction.opcode < OpDecorationGroup || instruction.opcode > OpGroupMemberDecorate;
    // Other instruction sets may speak of functions from outside.
    known &= function || instruction.opcode != OpExtInst;
    if (instruction.opcode == OpEntryPoint && instruction.operand(1) == root)
      for (uint32_t id : instruction.words.subspan(findInterface(instruction)))
        set(id, Used);
    if (!function && instruction.opcode == OpVariable)
      set(instruction.operand(3), Used); // What it begins with.
    if (instruction.opcode == OpFunctionEnd)
      function = 0;
  });
  set(root, Kept);
  for (bool grows = true; grows;) {
    grows = false;
    visitFunctions([&](const Instruction &instruction) {
      if (has(function, Kept) && instruction.opcode == OpFunctionCall)
        grows |= set(instruction.operand(2), Kept);
    });
  }
  visitFunctions([&](const Instruction &instruction) {
    if (has(function, Kept))
      visitUses(instruction, [&](uint32_t id) { set(id, Used); });
    else
      set(resultOf(instruction), Dropped);
  });
  visitInstructions(module, [&](const Instruction &instruction) {
    if (instruction.opcode == OpFunction)
      function = instruction.operand(1);
    if (!function && instruction.opcode == OpVariable && !has(instruction.operand(1), Used))
      set(instruction.operand(1), Dropped);
    if (instruction.opcode == OpFunctionEnd)
      function = 0;
  });
  return known && !has(root, Dropped);
}

bool Extraction::isKept(const Instruction &instruction) const {
  switch (instruction.opcode) {
  case OpEntryPoint:
    return instruction.operand(1) == root;
  case OpExecutionMode:
  case OpExecutionModeId:
    return instruction.operand(0) == root;
  case OpName:
  case OpDecorate:
  case OpDecorateId:
  case OpDecorateString:
    return !has(instruction.operand(0), Dropped);
  case OpVariable:
    return !has(instruction.operand(1), Dropped);
  default:
    return true;
  }
}

size_t Extraction::write(uint32_t *out) const {
  size_t count = headerWords;
  if (out)
    std::copy_n(module.begin(), headerWords, out);
  bool inside = false, kept = true;
  visitInstructions(module, [&](const Instruction &instruction) {
    if (instruction.opcode == OpFunction) {
      inside = true;
      kept = has(instruction.operand(1), Kept);
    }
    if (inside ? kept : isKept(instruction)) {
      if (out)
        std::copy(instruction.words.begin(), instruction.words.end(), out + count);
      count += instruction.words.size();
    }
    inside &= instruction.opcode != OpFunctionEnd;
  });
  return count;
}

bool vulkan::extractKernel(const Allocator &allocator, std::span<const uint32_t> module,
                           uint32_t id, Array<uint32_t> &kernel) {
  if (module[boundWord] > mostIds)
    return kernel.assign(module);
  Extraction extraction(allocator, module, id);
  if (!extraction.allocate())
    return false;
  if (!extraction.analyse())
    return kernel.assign(module);
  if (!kernel.reset(extraction.write(nullptr)))
    return false;
  extraction.write(kernel.data());
  return true;
}

/// What a variable of an image type is.
static Texels getTexels(const Instruction &image) {
  constexpr uint32_t storage = 2;
  if (image.operand(2) != dimBuffer || image.operand(6) != storage)
    return Texels::Unknown;
  switch (image.operand(7)) {
  case formatR32f:
    return Texels::Float;
  case formatR32ui:
    return Texels::Uint;
  case formatRgba32f:
    return Texels::Float4;
  case formatRgba32ui:
    return Texels::Uint4;
  default:
    return Texels::Unknown;
  }
}

bool vulkan::findTexels(const Allocator &allocator, std::span<const uint32_t> kernel,
                        std::span<Texels> bindings) {
  // Of image types, pointers to them, and variables; and which bindings have variables.
  Array<Texels> kinds(allocator);
  if (!kinds.reset(std::min(kernel[boundWord], mostIds)))
    return false;
  bool tooMany = false;
  auto kindOf = [&](uint32_t id) { return id < kinds.size() ? kinds[id] : Texels::None; };
  auto note = [&](uint32_t id, Texels kind) {
    if (id < kinds.size())
      kinds[id] = kind;
    tooMany |= id >= kinds.size() && kind != Texels::None;
  };
  visitInstructions(kernel, [&](const Instruction &instruction) {
    if (instruction.opcode == OpTypeImage)
      note(instruction.operand(0), getTexels(instruction));
    else if (instruction.opcode == OpTypePointer && instruction.operand(1) == uniformConstant)
      note(instruction.operand(0), kindOf(instruction.operand(2)));
    else if (instruction.opcode == OpVariable)
      note(instruction.operand(1), kindOf(instruction.operand(0)));
  });
  uint32_t seen = 0;
  visitInstructions(kernel, [&](const Instruction &instruction) {
    uint32_t binding = instruction.operand(2);
    if (instruction.opcode != OpDecorate || instruction.operand(1) != bindingDecoration ||
        binding >= bindings.size())
      return;
    Texels kind = kindOf(instruction.operand(0));
    bool differs = seen >> binding & 1 && bindings[binding] != kind;
    bindings[binding] = differs ? Texels::Unknown : kind;
    seen |= 1u << binding;
  });
  if (tooMany)
    std::fill(bindings.begin(), bindings.end(), Texels::Unknown);
  return true;
}

void vulkan::setLocalSize(std::span<uint32_t> module, uint32_t id, uint32_t group) {
  visitInstructions(module, [&](const Instruction &instruction) {
    if (!isLocalSize(instruction, id, OpExecutionModeId, localSizeId))
      return;
    const uint32_t literal[] = {6u << 16 | OpExecutionMode, id, localSize, group, 1, 1};
    std::copy_n(literal, 6, module.begin() + (instruction.words.data() - module.data()));
  });
}
