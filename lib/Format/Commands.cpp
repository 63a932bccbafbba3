// The table of opcodes that verifier, disassembler and runtime share.
#include "tw/Format/Commands.h"
#include "tw/Format/Checked.h"

#include <algorithm>
#include <iterator>

using namespace tw::format;

// Kinds of operands are named like other things of the format.
namespace table {

using enum OperandKind;

static constexpr OpcodeInfo opcodes[] = {
    {Opcode::Const, "const", TargetKind::Register, 1, {Literal}},
    {Opcode::Dim, "dim", TargetKind::Register, 2, {Argument, Axis}},
    {Opcode::Add, "add", TargetKind::Register, 2, {Register, Register}},
    {Opcode::Sub, "sub", TargetKind::Register, 2, {Register, Register}},
    {Opcode::Mul, "mul", TargetKind::Register, 2, {Register, Register}},
    {Opcode::FloorDiv, "floordiv", TargetKind::Register, 2, {Register, Register}},
    {Opcode::CeilDiv, "ceildiv", TargetKind::Register, 2, {Register, Register}},
    {Opcode::Mod, "mod", TargetKind::Register, 2, {Register, Register}},
    {Opcode::Min, "min", TargetKind::Register, 2, {Register, Register}},
    {Opcode::Max, "max", TargetKind::Register, 2, {Register, Register}},
    {Opcode::Cmp, "cmp", TargetKind::Register, 3, {OperandKind::Predicate, Register, Register}},
    {Opcode::Select, "select", TargetKind::Register, 3, {Register, Register, Register}},
    {Opcode::Guard, "guard", TargetKind::None, 1, {Register}},
    {Opcode::Symbol, "symbol", TargetKind::Register, 1, {OperandKind::Symbol}, 4},
    {Opcode::When, "when", TargetKind::None, 1, {Register}, 4},
    {Opcode::Otherwise, "otherwise", TargetKind::None, 0, {}, 4},
    {Opcode::EndWhen, "end-when", TargetKind::None, 0, {}, 4},
    {Opcode::Reserve, "reserve", TargetKind::Buffer, 1, {Interval}},
    {Opcode::Slice, "slice", TargetKind::Buffer, 3, {Buffer, Register, Register}},
    {Opcode::Bind, "bind", TargetKind::Buffer, 2, {OperandKind::BindKind, BindIndex}},
    {Opcode::Launch, "launch", TargetKind::Kernel, 3, {Register, Register, Register}},
    {Opcode::Copy, "copy", TargetKind::None, 2, {Buffer, Buffer}},
    {Opcode::Fill, "fill", TargetKind::None, 3, {Buffer, Literal, Width}},
    {Opcode::Return, "return", TargetKind::None, 0, {}},
    {Opcode::If, "if", TargetKind::None, 1, {Buffer}, 4},
    {Opcode::Else, "else", TargetKind::None, 0, {}, 4},
    {Opcode::EndIf, "end-if", TargetKind::None, 0, {}, 4},
    {Opcode::Repeat, "repeat", TargetKind::None, 1, {Register}, 4},
    {Opcode::RepeatRead, "repeat-read", TargetKind::None, 2, {Buffer, Register}, 4},
    {Opcode::While, "while", TargetKind::None, 2, {Buffer, Register}, 4},
    {Opcode::EndLoop, "end-loop", TargetKind::None, 0, {}, 4},
    {Opcode::Rotate, "rotate", TargetKind::None, 2, {Buffer, Buffer}, 4},
    {Opcode::Advance, "advance", TargetKind::Buffer, 4, {Buffer, Register, Register, Register}, 4},
};

} // namespace table

using table::opcodes;

const OpcodeInfo *tw::format::findOpcode(uint16_t opcode) {
  for (const OpcodeInfo &info : opcodes)
    if (uint16_t(info.opcode) == opcode)
      return &info;
  return nullptr;
}

std::span<const OpcodeInfo> tw::format::opcodeTable() { return opcodes; }

std::string_view tw::format::predicateName(Predicate predicate) {
  constexpr std::string_view names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  return size_t(predicate) < std::size(names) ? names[size_t(predicate)] : "?";
}

std::string_view tw::format::arithSign(Opcode opcode) {
  switch (opcode) {
  case Opcode::Add:
    return "+";
  case Opcode::Sub:
    return "-";
  case Opcode::Mul:
    return "*";
  default:
    return findOpcode(uint16_t(opcode))->name;
  }
}

bool tw::format::computeArith(Opcode opcode, int64_t a, int64_t b, int64_t &result) {
  switch (opcode) {
  case Opcode::Add:
    return checkedAdd(a, b, result);
  case Opcode::Sub:
    return checkedSub(a, b, result);
  case Opcode::Mul:
    return checkedMul(a, b, result);
  case Opcode::FloorDiv:
    return checkedFloorDiv(a, b, result);
  case Opcode::CeilDiv:
    return checkedCeilDiv(a, b, result);
  case Opcode::Mod:
    return checkedMod(a, b, result);
  case Opcode::Min:
    result = std::min(a, b);
    return true;
  case Opcode::Max:
    result = std::max(a, b);
    return true;
  default:
    return false;
  }
}
