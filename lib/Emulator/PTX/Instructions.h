// Which instructions there are: what runs them and what operands they take.
#pragma once

#include "Program.h"

#include <string_view>
#include <unordered_map>

namespace tw::emulator::ptx {

/// An instruction that does the same in each lane. `signature` names the operands, results before
/// '=': p predicate, b 8 bits in a row of 32, h 16 bits, w 32 bits, d 64 bits.
struct Instruction {
  Handler run = nullptr;
  const char *signature = "";
};

/// Loads and stores: by space (0 global, 1 local, 2 generic), the element's bytes as a power of
/// two, its sign (0 none, 1 signed, 2 signed into registers of 16 bits), and whether registers have
/// 64 bits.
struct Accesses {
  Handler load[3][4][3][2];
  Handler store[3][4][2];
};

/// One build of the instructions, for one instruction set of the host.
struct InstructionSet {
  /// By the full name. Sources wider than the type have "@64" behind it.
  std::unordered_map<std::string_view, Instruction> lanewise;
  Accesses accesses = {};
  /// Those whose operands the decoder lays out itself.
  std::unordered_map<std::string_view, Handler> special;

  Handler find(std::string_view name) const {
    auto found = special.find(name);
    return found == special.end() ? nullptr : found->second;
  }
};

/// The build for this machine.
const InstructionSet &instructions();

} // namespace tw::emulator::ptx
