// The launch program's commands: opcodes, operands and their encoding.
//
// A program is a list of 16-byte commands that run in order, without jumps. It works on
//   registers  r0, r1 ...  64-bit signed integers; each is written by exactly one command, before
//                          its uses; arithmetic that overflows or divides by zero stops the call
//   buffers    b0, b1 ...  byte ranges of memory; each is made by exactly one command
// A command's operands are `count` words of the program's operand list from `first` on; what each
// word means is given by the table below. `target` is the register or buffer it makes, or the
// kernel it launches, or 0. `queue` is 0: there is one in-order queue.
//
//   opcode     target    operands
//   const      register  literal                    the literal's value
//   dim        register  argument axis              extent of an argument's dimension
//   add sub mul floordiv ceildiv mod min max
//              register  register register
//   cmp        register  predicate register register   1 or 0
//   select     register  register register register    second if the first is not 0, else third
//   guard      0         register                   stops the call with "unsupported" if it is 0
//   reserve    buffer    interval                   arena memory, alive from the interval's first
//                                                   to its last command
//   slice      buffer    buffer register register   byte offset and length within another buffer
//   bind       buffer    bind-kind index            an argument, a result or a constant, whole
//   launch     kernel    grid-x grid-y grid-z (registers) buffer... register...
//                                                   as many buffers and scalars as the kernel takes
//   copy       0         buffer buffer              to, from; equal lengths
//   fill       0         buffer literal width       repeats the low 1, 2, 4 or 8 bytes
//   return     0                                    the last command of every program, nowhere else
//
// Commands at which memory is used are launch, copy and fill. Constants are not written, but for
// derived ones by the commands of an initializer, which binds constants only.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tw::format {

inline constexpr uint32_t maxKernelBindings = 16;
inline constexpr uint32_t maxKernelScalars = 16;
/// A program may have this many commands; the step limit, as there are no jumps.
inline constexpr uint32_t maxCommands = 1u << 20;

enum class Opcode : uint16_t {
  Const = 1,
  Dim = 2,
  Add = 3,
  Sub = 4,
  Mul = 5,
  FloorDiv = 6,
  CeilDiv = 7,
  Mod = 8,
  Min = 9,
  Max = 10,
  Cmp = 11,
  Select = 12,
  Guard = 13,
  Reserve = 32,
  Slice = 33,
  Bind = 34,
  Launch = 48,
  Copy = 49,
  Fill = 50,
  Return = 63,
};

enum class Predicate : uint32_t { Eq = 0, Ne = 1, Lt = 2, Le = 3, Gt = 4, Ge = 5 };

enum class BindKind : uint32_t { Argument = 0, Result = 1, Constant = 2 };

/// What a word of the operand list means.
enum class OperandKind : uint8_t {
  Register,
  Buffer,
  Literal,
  Argument,
  Axis,
  Predicate,
  Interval,
  BindKind,
  BindIndex,
  Width,
};

/// What a command's `target` means.
enum class TargetKind : uint8_t { None, Register, Buffer, Kernel };

struct OpcodeInfo {
  Opcode opcode;
  std::string_view name;
  TargetKind target;
  /// Fixed operands; launch has buffers and scalars after them.
  uint8_t operandCount;
  OperandKind operands[4];
};

/// NULL for a number that is not an opcode.
const OpcodeInfo *findOpcode(uint16_t opcode);

/// One row for each opcode, in the order of their numbers.
std::span<const OpcodeInfo> opcodeTable();

std::string_view predicateName(Predicate predicate);

} // namespace tw::format
