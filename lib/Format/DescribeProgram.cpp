// Disassembles a launch program.
#include "DescribePrinter.h"
#include "tw/Format/Commands.h"
#include "tw/Format/Metadata.h"

#include <cinttypes>
#include <vector>

using namespace tw::format;

namespace {

/// A program while it is printed.
struct Printer {
  std::string &text;
  const fb::Module *module;
  /// NULL in an initializer.
  const fb::Function *function;
  const fb::Program *program;
  /// By register: the command that makes it.
  std::vector<uint32_t> makers;

  Printer(std::string &text, const fb::Module *module, const fb::Function *function,
          const fb::Program *program);
  void operand(OperandKind kind, uint32_t value);
  /// What a register holds, in terms of symbols; "r7" where that would be long.
  void expression(uint32_t which, unsigned depth);
  void command(uint32_t index, const char *indent, uint32_t depth);
};

} // namespace

static void appendSymbol(std::string &text, const fb::Function *function, uint32_t index) {
  appendName(text, function->symbols()->Get(index)->name()->string_view());
}

void tw::format::describeSymbol(std::string &text, const fb::Function *function,
                                const fb::Symbol *symbol) {
  appendName(text, symbol->name()->string_view());
  std::string equation;
  if (symbol->equation() == uint8_t(Opcode::Const)) {
    append(equation, "%" PRId64, symbol->literal());
  } else if (symbol->equation() != 0) {
    appendSymbol(equation, function, symbol->a());
    append(equation, " %s ", arithSign(Opcode(symbol->equation())).data());
    appendSymbol(equation, function, symbol->b());
  }
  if (!equation.empty() && equation != symbol->name()->string_view())
    text += " = " + equation;
  append(text, ": %" PRId64 "..", symbol->min());
  if (symbol->max() >= 0)
    append(text, "%" PRId64, symbol->max());
  append(text, " step %" PRId64 "%s\n", symbol->multiple(), symbol->late() ? ", late" : "");
}

void tw::format::appendLocation(std::string &text, const fb::Module *module, uint32_t location) {
  if (location == UINT32_MAX)
    return;
  const fb::Location *where = module->locations()->Get(location);
  text += " // ";
  if (where->node())
    appendName(text, where->node()->string_view());
  if (where->file()) {
    text += where->node() ? " at " : "";
    appendName(text, where->file()->string_view());
    append(text, ":%u:%u", where->line(), where->column());
  }
}

Printer::Printer(std::string &text, const fb::Module *module, const fb::Function *function,
                 const fb::Program *program)
    : text(text), module(module), function(function), program(program) {
  for (uint32_t i = 0; i < program->code()->size(); ++i)
    if (findOpcode(program->code()->Get(i)->opcode())->target == TargetKind::Register)
      makers.push_back(i);
}

void Printer::operand(OperandKind kind, uint32_t value) {
  switch (kind) {
  case OperandKind::Register:
    append(text, " r%u", value);
    return;
  case OperandKind::Buffer:
    append(text, " b%u", value);
    return;
  case OperandKind::Literal:
    append(text, " %" PRId64, program->literals()->Get(value));
    return;
  case OperandKind::Symbol:
    text += ' ';
    appendSymbol(text, function, value);
    return;
  case OperandKind::Interval: {
    const fb::Interval *interval = program->intervals()->Get(value);
    append(text, " i%u (size r%u, slab %u, offset %" PRId64 ", commands %u..%u)", value,
           interval->size(), interval->slab(), interval->offset(), interval->first(),
           interval->last());
    return;
  }
  case OperandKind::Predicate:
    append(text, " %s", predicateName(Predicate(value)).data());
    return;
  case OperandKind::BindKind: {
    static constexpr const char *names[] = {"argument", "result", "constant"};
    append(text, " %s", names[value]);
    return;
  }
  case OperandKind::Argument:
  case OperandKind::Axis:
  case OperandKind::BindIndex:
  case OperandKind::Width:
    append(text, " %u", value);
    return;
  }
}

void Printer::expression(uint32_t which, unsigned depth) {
  const fb::Command *command = program->code()->Get(makers[which]);
  const uint32_t *operands = program->operands()->data() + command->first();
  auto infix = [&](uint32_t a, std::string_view sign, uint32_t b) {
    expression(a, depth - 1);
    append(text, " %s ", sign.data());
    expression(b, depth - 1);
  };
  Opcode opcode = Opcode(command->opcode());
  if (opcode == Opcode::Const) {
    append(text, "%" PRId64, program->literals()->Get(operands[0]));
  } else if (opcode == Opcode::Symbol) {
    appendSymbol(text, function, operands[0]);
  } else if (opcode == Opcode::Dim) {
    text += "dimension " + std::to_string(operands[1]) + " of ";
    appendName(text, function->arguments()->Get(operands[0])->name()->string_view());
  } else if (depth == 0 || opcode == Opcode::Select) {
    append(text, "r%u", which);
  } else if (opcode == Opcode::Cmp) {
    infix(operands[1], predicateName(Predicate(operands[0])), operands[2]);
  } else {
    text += '(';
    infix(operands[0], arithSign(opcode), operands[1]);
    text += ')';
  }
}

void Printer::command(uint32_t index, const char *indent, uint32_t depth) {
  const fb::Command *command = program->code()->Get(index);
  const OpcodeInfo *info = findOpcode(command->opcode());
  append(text, "%s%u: %*s", indent, index, int(2 * depth), "");
  if (info->target == TargetKind::Register || info->target == TargetKind::Buffer)
    append(text, "%c%u = ", info->target == TargetKind::Register ? 'r' : 'b', command->target());
  text += info->name;
  const fb::Kernel *kernel = nullptr;
  if (info->target == TargetKind::Kernel) {
    kernel = module->kernels()->Get(command->target());
    text += ' ';
    appendName(text, kernel->name()->string_view());
  }
  for (uint32_t i = 0; i < command->count(); ++i) {
    OperandKind kind = i < info->operandCount ? info->operands[i]
                       : i < info->operandCount + kernel->bindings()->size()
                           ? OperandKind::Buffer
                           : OperandKind::Register;
    operand(kind, program->operands()->Get(command->first() + i));
  }
  if (info->opcode == Opcode::When || info->opcode == Opcode::Guard ||
      info->opcode == Opcode::Repeat) {
    text += ": ";
    expression(program->operands()->Get(command->first()), 3);
  }
  appendLocation(text, module,
                 program->locations() ? program->locations()->Get(index) : UINT32_MAX);
  text += '\n';
}

static void describeCommands(Printer &printer, const char *indent) {
  uint32_t depth = 0;
  for (uint32_t i = 0; i < printer.program->code()->size(); ++i) {
    Opcode opcode = Opcode(printer.program->code()->Get(i)->opcode());
    bool isOther = opcode == Opcode::Otherwise || opcode == Opcode::Else;
    depth -= isOther || endsBlock(opcode);
    printer.command(i, indent, depth);
    depth += isOther || beginsBlock(opcode);
  }
}

/// From the numbers on, with everything below at `indent`.
static void describeBody(std::string &text, const fb::Module *module, const fb::Function *function,
                         const fb::Program *program, bool commands, const char *indent) {
  uint32_t launches = 0;
  for (const fb::Command *command : *program->code())
    launches += command->opcode() == uint16_t(Opcode::Launch);
  append(text, ": %u commands, %u launches, %u registers, %u buffers, %u intervals\n",
         program->code()->size(), launches, program->registers(), program->buffers(),
         program->intervals() ? program->intervals()->size() : 0);
  for (const fb::Slot *slot : *program->slots()) {
    append(text, "%sslot ", indent);
    appendName(text, slot->kind()->string_view());
    if (slot->max_slab())
      append(text, ", slabs of at most %" PRIu64 " bytes", slot->max_slab());
    if (slot->offset_alignment() != 64)
      append(text, ", offsets aligned to %u", slot->offset_alignment());
    for (uint32_t i = 0; slot->slabs() && i < slot->slabs()->size(); ++i)
      append(text, ", slab of %" PRIu64 " bytes", slot->slabs()->Get(i));
    text += '\n';
  }
  if (const fb::Program *initializer = program->initializer()) {
    append(text, "%sinitializer", indent);
    describeBody(text, module, nullptr, initializer, commands, "      ");
  }
  for (uint32_t i = 0; program->checks() && i < program->checks()->size(); ++i) {
    const fb::Check *check = program->checks()->Get(i);
    append(text, "%scheck ", indent);
    appendSymbol(text, function, check->a());
    text += " eq ";
    appendSymbol(text, function, check->b());
    appendLocation(text, module, check->location());
    text += '\n';
  }
  if (commands) {
    Printer printer(text, module, function, program);
    describeCommands(printer, indent);
  }
}

void tw::format::describeProgram(std::string &text, const fb::Module *module,
                                 const fb::Function *function, const fb::Program *program,
                                 bool commands) {
  text += "  program ";
  appendName(text, program->target()->string_view());
  describeBody(text, module, function, program, commands, "    ");
}
