// The launch program's commands: opcodes, operands and their encoding.
//
// A program is a list of 16-byte commands that run in order, without jumps back. It works on
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
//   symbol     register  symbol                     the value of a symbol of the function
//   when       0         register                   the commands up to `otherwise` or `end-when`
//   run
//                                                   if it is not 0
//   otherwise  0                                    else those from here to `end-when`
//   end-when   0
//   if         0         buffer                     the commands up to `else` or `end-if` run if
//   its
//                                                   byte is not 0 when they are reached
//   else       0                                    else those from here to `end-if`
//   end-if     0
//   repeat     0         register                   the commands up to `end-loop` run that often
//   repeat-read 0        buffer register            as often as the 64 bits in the buffer say when
//                                                   the loop is reached, to a limit
//   while      0         buffer register            as long as its byte is not 0 before each time,
//                                                   to a limit
//   rotate     0         buffer buffer              the two have each other's memory from the next
//                                                   time on, and behind the loop
//   end-loop   0
//   advance    buffer    buffer register register register   whole, offset, step, length: in
//                                                   iteration i of the innermost loop, from 0 on,
//                                                   the bytes of the whole from offset + i * step
//                                                   on
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
// Sides of a `when` are chosen when a call is prepared; the other side makes no steps, and its
// arena memory takes no bytes. What `if`, `repeat-read` and `while` read decides while a call runs:
// registers, sizes and guards in all of their commands hold when it is prepared. Blocks may lie in
// each other, up to maxBlockDepth; a register or buffer that is made in a side or a loop is seen in
// that one only. An initializer has no blocks.
//
// A number below 0 repeats nothing, one above the limit stops the call, as does a condition that
// holds after as many times. Memory that is reserved outside of a loop and used in it is alive from
// the loop's first to its last command. What rotates is two reserved buffers of one size (the same
// register), alignment, slot and lifetime, made in the same side outside of the loop; `rotate`
// commands are the last ones of the loop that they lie in.
//
// A register is late if it comes from a late symbol. Grids, scalars and guards may be late; sizes
// of arena memory, places and lengths of slices, the conditions of `when` and how often a loop runs
// are not, so that
// another value of a late symbol moves no memory. For the same reason an argument whose size in
// memory is late is only bound to launches.
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
/// A program may have this many commands; the step limit, as there are no jumps back.
inline constexpr uint32_t maxCommands = 1u << 20;
/// Blocks that a command may lie in.
inline constexpr uint32_t maxBlockDepth = 16;

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
  Symbol = 14,
  When = 16,
  Otherwise = 17,
  EndWhen = 18,
  Reserve = 32,
  Slice = 33,
  Bind = 34,
  Launch = 48,
  Copy = 49,
  Fill = 50,
  Return = 63,
  If = 64,
  Else = 65,
  EndIf = 66,
  Repeat = 67,
  RepeatRead = 68,
  While = 69,
  EndLoop = 70,
  Rotate = 71,
  Advance = 72,
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
  Symbol,
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
  /// The minor version of the format that added it; 0: an early one.
  uint8_t minor = 0;
};

/// NULL for a number that is not an opcode.
const OpcodeInfo *findOpcode(uint16_t opcode);

/// One row for each opcode, in the order of their numbers.
std::span<const OpcodeInfo> opcodeTable();

std::string_view predicateName(Predicate predicate);

/// What Add to Max make of two numbers; false if it overflows or divides by zero.
[[nodiscard]] bool computeArith(Opcode opcode, int64_t a, int64_t b, int64_t &result);

/// How Add to Max are written between two operands: "+", "floordiv" ...
std::string_view arithSign(Opcode opcode);

/// The commands around a block, and around a side of one where there is `otherwise` or `else`.
constexpr bool beginsBlock(Opcode opcode) {
  return opcode == Opcode::When || opcode == Opcode::If || opcode == Opcode::Repeat ||
         opcode == Opcode::RepeatRead || opcode == Opcode::While;
}
constexpr bool endsBlock(Opcode opcode) {
  return opcode == Opcode::EndWhen || opcode == Opcode::EndIf || opcode == Opcode::EndLoop;
}

/// Those of blocks that are decided while a call runs.
constexpr bool isRunBlock(Opcode opcode) {
  return opcode >= Opcode::If && opcode <= Opcode::EndLoop;
}

/// Whether computeArith takes the opcode.
constexpr bool isArith(uint16_t opcode) {
  return opcode >= uint16_t(Opcode::Add) && opcode <= uint16_t(Opcode::Max);
}

} // namespace tw::format
