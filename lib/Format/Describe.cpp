// Prints what a module holds.
#include "tw/Format/Describe.h"
#include "DescribePrinter.h"
#include "tw/Format/Element.h"
#include "tw/Format/Metadata.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>

using namespace tw::format;

void tw::format::append(std::string &text, const char *format, ...) {
  va_list arguments, copy;
  va_start(arguments, format);
  va_copy(copy, arguments);
  int length = vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  if (length > 0) {
    size_t old = text.size();
    text.resize(old + size_t(length) + 1);
    vsnprintf(text.data() + old, size_t(length) + 1, format, copy);
    text.resize(old + size_t(length));
  }
  va_end(copy);
}

void tw::format::appendName(std::string &text, std::string_view name) {
  for (char c : name) {
    if (uint8_t(c) < 0x20 || c == 0x7f)
      append(text, "\\x%02x", uint8_t(c));
    else
      text += c;
  }
}

static void appendString(std::string &text, const flatbuffers::String *string) {
  if (string)
    appendName(text, string->string_view());
}

void tw::format::appendType(std::string &text, const fb::TensorType *type,
                            const fb::Function *function) {
  text += elementName(ElementType(type->element()));
  text += '[';
  for (uint32_t i = 0; type->dims() && i < type->dims()->size(); ++i) {
    int64_t dim = type->dims()->Get(i);
    if (i != 0)
      text += ", ";
    if (dim < 0 && function)
      appendString(text, function->symbols()->Get(uint32_t(-1 - dim))->name());
    else if (dim < 0)
      append(text, "s%" PRId64, -1 - dim);
    else
      append(text, "%" PRId64, dim);
  }
  text += ']';
}

static void describeConstant(std::string &text, const fb::Module *module,
                             const fb::Constant *constant, uint32_t index) {
  append(text, "  %u ", index);
  appendString(text, constant->name());
  text += ": ";
  appendType(text, constant->type(), nullptr);
  switch (Storage(constant->storage())) {
  case Storage::Embedded:
    append(text, ", section %u", constant->section());
    break;
  case Storage::External:
    text += ", file ";
    appendString(text, module->files()->Get(constant->file())->path());
    break;
  case Storage::Splat:
    text += ", splat 0x";
    for (uint32_t i = constant->splat()->size(); i-- > 0;)
      append(text, "%02x", constant->splat()->Get(i));
    break;
  case Storage::Derived:
    text += ", derived";
    break;
  }
  if (Storage(constant->storage()) <= Storage::External)
    append(text, ", offset %" PRIu64, constant->offset());
  append(text, ", %" PRIu64 " bytes, alignment %u\n", constant->length(), constant->alignment());
}

static void describeMap(std::string &text, const fb::TensorMap &map) {
  append(text, "      map of binding %u, %s", map.binding(),
         elementName(ElementType(map.element())).data());
  for (uint32_t d = 0; d < map.rank(); ++d)
    append(text, d == 0 ? ", extents %" PRIu64 : " %" PRIu64, map.extents()->Get(d));
  for (uint32_t d = 0; d + 1 < map.rank(); ++d)
    append(text, d == 0 ? ", strides %" PRIu64 : " %" PRIu64, map.strides()->Get(d));
  for (uint32_t d = 0; d < map.rank(); ++d)
    append(text, d == 0 ? ", box %u" : " %u", map.box()->Get(d));
  append(text, ", swizzle %u\n", map.swizzle());
}

static void describeKernel(std::string &text, const fb::Kernel *kernel, uint32_t index) {
  append(text, "  %u ", index);
  appendString(text, kernel->name());
  append(text, ": %u scalars, %" PRIu64 " flops, %" PRIu64 " bytes", kernel->scalars(),
         kernel->flops(), kernel->bytes());
  if (kernel->least_cycles())
    append(text, ", at least %" PRIu64 " cycles", kernel->least_cycles());
  text += '\n';
  for (const fb::Binding *binding : *kernel->bindings()) {
    static constexpr const char *access[] = {"", "read", "write", "read-write"};
    append(text, "    binding %s ", access[binding->access()]);
    appendType(text, binding->type(), nullptr);
    append(text, ", alignment %u\n", binding->alignment());
  }
  for (const fb::Variant *variant : *kernel->variants()) {
    text += "    variant ";
    appendString(text, variant->format());
    append(text, ", section %u, entry ", variant->section());
    appendString(text, variant->entry());
    append(text, " at 0x%" PRIx64, variant->offset());
    if (variant->needs()) {
      text += ", needs ";
      appendString(text, variant->needs());
    }
    if (variant->scratch_bytes())
      append(text, ", scratch %u bytes", variant->scratch_bytes());
    if (variant->format()->string_view() == teamFormat)
      append(text, ", all threads together, shared %u bytes", variant->shared_bytes());
    for (uint32_t i = 0; variant->group() && i < variant->group()->size(); ++i)
      append(text, i == 0 ? ", group %u" : "x%u", variant->group()->Get(i));
    if (variant->divisible())
      text += " or a divisor";
    if (variant->subgroup())
      append(text, ", subgroup %u", variant->subgroup());
    if (variant->local_bytes())
      append(text, ", local %u bytes", variant->local_bytes());
    if (variant->registers())
      append(text, ", %u registers", variant->registers());
    if (variant->spills())
      append(text, ", %u bytes spilled", variant->spills());
    text += '\n';
    for (uint32_t i = 0; variant->maps() && i < variant->maps()->size(); ++i)
      describeMap(text, *variant->maps()->Get(i));
  }
}

static void describeFunction(std::string &text, const fb::Module *module,
                             const fb::Function *function, bool commands) {
  text += "function ";
  appendString(text, function->name());
  text += '\n';
  for (uint32_t i = 0; function->symbols() && i < function->symbols()->size(); ++i) {
    text += "  symbol ";
    describeSymbol(text, function, function->symbols()->Get(i));
  }
  for (uint32_t i = 0; function->arguments() && i < function->arguments()->size(); ++i) {
    const fb::Argument *argument = function->arguments()->Get(i);
    append(text, "  argument %u ", i);
    appendString(text, argument->name());
    text += ": ";
    appendType(text, argument->type(), function);
    append(text, ", alignment %u", argument->alignment());
    if (argument->aliases_result() >= 0)
      append(text, ", shares result %d", argument->aliases_result());
    if (argument->storage()) {
      text += ", in memory ";
      appendType(text, argument->storage(), function);
    }
    if (argument->assumed() && argument->assumed()->size())
      text += ", of an assumed value";
    text += '\n';
  }
  for (uint32_t i = 0; function->results() && i < function->results()->size(); ++i) {
    const fb::Result *result = function->results()->Get(i);
    append(text, "  result %u ", i);
    appendString(text, result->name());
    text += ": ";
    appendType(text, result->type(), function);
    if (result->step() != 0)
      append(text, ", in steps of %g", result->step());
    for (uint32_t d = 0; result->counts() && d < result->counts()->size(); ++d)
      if (int32_t count = result->counts()->Get(d); count >= 0)
        append(text, ", dimension %u counted by result %d", d, count);
    text += '\n';
  }
  for (const fb::Program *program : *function->programs())
    describeProgram(text, module, function, program, commands);
}

static void describeSections(std::string &text, const Container &container) {
  append(text, "module format %u.%u, %zu bytes\n", containerMajor, container.minor(),
         container.bytes().size());
  for (uint32_t i = 0; i < container.sectionCount(); ++i) {
    SectionEntry entry = container.section(i);
    append(text, "section %u %s: offset %" PRIu64 ", %" PRIu64 " bytes, alignment %u, digest ", i,
           sectionName(SectionKind(entry.kind)), entry.offset, entry.length,
           1u << entry.log2Alignment);
    for (uint8_t byte : entry.digest)
      append(text, "%02x", byte);
    text += '\n';
  }
}

static bool describeSources(std::string &text, const Container &container, const fb::Module *module,
                            Error &error) {
  for (uint32_t i = 0; i < container.sectionCount(); ++i) {
    if (container.section(i).kind != uint32_t(SectionKind::Debug))
      continue;
    std::span<const uint8_t> bytes = container.sectionBytes(i);
    std::vector<uint64_t> aligned((bytes.size() + 7) / 8);
    if (!bytes.empty())
      memcpy(aligned.data(), bytes.data(), bytes.size());
    std::span<const uint8_t> section(reinterpret_cast<const uint8_t *>(aligned.data()),
                                     bytes.size());
    if (!verifyDebug(section, error))
      return false;
    for (uint32_t k = 0; module->kernels() && k < module->kernels()->size(); ++k)
      if (auto source = findKernelSource(section, k)) {
        append(text, "source of kernel %u\n", k);
        text += *source;
        if (text.back() != '\n')
          text += '\n';
      }
  }
  return true;
}

bool tw::format::describeModule(std::span<const uint8_t> file, const DescribeOptions &options,
                                std::string &text, Error &error) {
  Container container;
  if (!Container::open(file, container, error))
    return false;
  for (uint32_t i = 0; i < container.sectionCount(); ++i)
    if (!container.checkDigest(i, error))
      return false;
  std::span<const uint8_t> bytes = container.sectionBytes(0);
  std::vector<uint64_t> aligned((bytes.size() + 7) / 8);
  if (!bytes.empty())
    memcpy(aligned.data(), bytes.data(), bytes.size());
  const fb::Module *module;
  if (!verifyModule(container, {reinterpret_cast<const uint8_t *>(aligned.data()), bytes.size()},
                    module, error))
    return false;
  std::string described;
  describeSections(described, container);
  described += "producer ";
  appendString(described, module->producer());
  described += ", build ";
  appendString(described, module->build_id());
  described += '\n';
  for (uint32_t i = 0; module->files() && i < module->files()->size(); ++i) {
    append(described, "file %u ", i);
    appendString(described, module->files()->Get(i)->path());
    append(described, ": %" PRIu64 " bytes\n", module->files()->Get(i)->length());
  }
  append(described, "constants %u\n", module->constants() ? module->constants()->size() : 0);
  for (uint32_t i = 0; module->constants() && i < module->constants()->size(); ++i)
    describeConstant(described, module, module->constants()->Get(i), i);
  append(described, "kernels %u\n", module->kernels() ? module->kernels()->size() : 0);
  for (uint32_t i = 0; module->kernels() && i < module->kernels()->size(); ++i)
    describeKernel(described, module->kernels()->Get(i), i);
  for (const fb::Function *function : *module->functions())
    describeFunction(described, module, function, options.commands);
  if (options.sources && !describeSources(described, container, module, error))
    return false;
  text += described;
  return true;
}
