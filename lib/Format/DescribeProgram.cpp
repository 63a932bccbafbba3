// Disassembles a launch program.
#include "DescribePrinter.h"
#include "tw/Format/Commands.h"
#include "tw/Format/Metadata.h"

#include <cinttypes>

using namespace tw::format;

static void appendOperand(std::string &text, const fb::Program *program, OperandKind kind,
                          uint32_t value) {
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

static void describeCommand(std::string &text, const fb::Module *module, const fb::Program *program,
                            uint32_t index, const char *indent) {
  const fb::Command *command = program->code()->Get(index);
  const OpcodeInfo *info = findOpcode(command->opcode());
  append(text, "%s%u: ", indent, index);
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
    appendOperand(text, program, kind, program->operands()->Get(command->first() + i));
  }
  uint32_t location = program->locations() ? program->locations()->Get(index) : UINT32_MAX;
  if (location != UINT32_MAX) {
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
  text += '\n';
}

/// From the numbers on, with everything below at `indent`.
static void describeBody(std::string &text, const fb::Module *module, const fb::Program *program,
                         bool commands, const char *indent) {
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
    describeBody(text, module, initializer, commands, "      ");
  }
  if (commands)
    for (uint32_t i = 0; i < program->code()->size(); ++i)
      describeCommand(text, module, program, i, indent);
}

void tw::format::describeProgram(std::string &text, const fb::Module *module,
                                 const fb::Program *program, bool commands) {
  text += "  program ";
  appendName(text, program->target()->string_view());
  describeBody(text, module, program, commands, "    ");
}
