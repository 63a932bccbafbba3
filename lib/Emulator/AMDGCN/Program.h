// Kernels of a code object as the emulator runs them: what a disassembler says, decoded once.
#pragma once

#include "../Common/Code.h"
#include "../Common/Counters.h"

#include <map>
#include <string_view>

namespace tw::emulator::amdgcn {

struct Wave;
struct Op;
using Handler = void (*)(Wave &, const Op &);

/// Scalar registers beyond s105. "null" reads as 0.
enum : uint16_t { Vcc = 106, M0 = 108, Exec = 110, Null = 112, Ttmp = 114, ScalarCount = 132 };
inline constexpr uint32_t lanes = 64, vectorCount = 512;

/// What part of a register an operand is.
enum class Part : uint8_t { All, Low, High, Byte0, Byte1, Byte2, Byte3 };
/// What becomes of the bits beside the part that a result goes to.
enum class Beside : uint8_t { Zero, Sign, Kept };

struct Operand {
  enum Kind : uint8_t { None, Vector, Scalar, Integer, Float, Literal } kind = None;
  uint16_t index = 0, count = 1;
  Part part = Part::All;
  bool negated = false, absolute = false, extended = false, negatedHigh = false;
  /// Packed operations: the element that the low and the high result take.
  bool low = false, high = true;
  int64_t integer = 0;
  double number = 0;
};

enum class Counter : uint8_t { Vector, Store, Local, Scalar, Count };

/// Registers that an operation touches, to be compared with those that loads have yet to fill.
struct Registers {
  bool vector;
  uint16_t first, count;
};

struct Op {
  Handler run = nullptr;
  Operand to[2], from[5];
  uint8_t results = 0, sources = 0;
  int64_t offset = 0, offset2 = 0;
  /// bitop3: the result for each value of the three bits.
  uint8_t table = 0;
  uint32_t target = 0, bytes = 4, unit = 4;
  /// Results are clamped to [0, 1].
  bool clamped = false;
  /// Results of 16 bits leave the other half as it is, or go to the high half.
  bool keepsHalf = false, toHigh = false;
  /// Results go to a part of their register, whose other bits are `beside`.
  bool partly = false;
  Beside beside = Beside::Zero;
  /// Waits: how many operations of each counter may be under way; -1: any number.
  int16_t waits[size_t(Counter::Count)] = {-1, -1, -1, -1};
  /// Matrix units: m (and n), k.
  uint16_t extent = 0, depth = 0;
  uint32_t line = 0;
  std::vector<Registers> touched;
  /// The halves of a dual operation.
  std::shared_ptr<Op> first, second;
};

/// What differs between generations.
struct Chip {
  std::string name;
  uint32_t generation = 9;
  uint32_t waveLanes = 64;
};

struct Kernel final : KernelCode {
  Chip chip;
  std::vector<Op> ops;
  std::vector<std::string> text;
  /// Where the instructions lie, which is what branches count in.
  std::vector<uint64_t> addresses;
  uint32_t localBytes = 0, privateBytes = 0, cellBytes = 4;
  /// Scalar registers that hold the address of the parameters, and the number of the group.
  uint32_t parametersAt = 0, groupAt = 0;
  uint32_t groupParts = 1;

  std::string run(const LaunchShape &shape) const override;
  /// The same; `counters`, if not NULL, get an element for each operation.
  std::string run(const LaunchShape &shape, std::vector<Counters> *counters) const;
};

/// Makes the operations of the kernel's text, which is as LLVM's disassembler prints it. False,
/// with `error` naming line and mnemonic, if an instruction is not known.
bool decode(Kernel &kernel, std::string &error);

/// One build of the instructions, for one instruction set of the host.
struct Instruction {
  Handler run = nullptr;
  /// Results, and whether the first is a source, behind the others.
  uint8_t results = 1;
  bool accumulates = false;
  /// Its operands mean nothing here.
  bool ignored = false;
  /// The result is a float, which may be clamped.
  bool clamps = false;
  /// A result of 16 bits leaves the other half as it is on gfx9 too.
  bool keepsHalf = false;
  /// Matrix units: elements of a and b in a register, and whether there are copies of them.
  uint8_t elements = 0;
  bool copies = false;
};
using InstructionSet = std::map<std::string_view, Instruction>;
const InstructionSet &instructions();

} // namespace tw::emulator::amdgcn
