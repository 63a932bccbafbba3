// Picks the kernels' variants that a device can run, and loads their images.
#include "Program.h"
#include "tw/Format/Commands.h"
#include "tw/Format/Metadata.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <optional>

using namespace tw::runtime;
using namespace tw::format;

namespace {

/// Why no variant so far could be taken.
struct Refusal {
  char text[300] = "";
  bool byLimit = false;
};

} // namespace

/// The section that kernels of the variant's format stand in; none for formats of a later release.
static std::optional<SectionKind> sectionOf(const fb::Variant *variant) {
  const VariantFormat *known = findVariantFormat(variant->format()->string_view());
  return known ? std::optional(known->section) : std::nullopt;
}

static uint64_t groupThreads(const fb::Variant *variant) {
  uint64_t threads = 1;
  for (uint32_t extent : variant->group()
                             ? std::span(variant->group()->data(), variant->group()->size())
                             : std::span<const uint32_t>())
    threads = std::min<uint64_t>(threads * extent, UINT32_MAX);
  return threads;
}

/// False, with the reason, if the variant asks for more than the device has.
static bool fitsLimits(const TwrtDevice &device, const fb::Kernel *kernel,
                       const fb::Variant *variant, Refusal &refusal) {
  const DeviceInfo &info = device.info;
  auto check = [&](uint64_t needed, uint64_t available, const char *limit) {
    if (needed <= available)
      return true;
    refusal.byLimit = true;
    snprintf(refusal.text, sizeof(refusal.text),
             "kernel '%.80s' needs %" PRIu64 " %s, device %s has %" PRIu64, kernel->name()->c_str(),
             needed, limit, device.slot->uri, available);
    return false;
  };
  uint64_t leastGroup = variant->divisible() ? 1 : groupThreads(variant);
  if (!check(leastGroup, info.maxGroup, "threads in a group") ||
      !check(variant->local_bytes(), info.localBytes, "bytes of local memory in a group") ||
      !check(kernel->bindings()->size(), info.maxBindings, "buffers bound"))
    return false;
  for (const fb::Binding *binding : *kernel->bindings())
    if (!check(typeBytes(binding->type()), info.maxSlabBytes, "bytes in one binding"))
      return false;
  return true;
}

/// "host (avx512bw avx512f), ptx (another device's), metal (a later release's)": the variants, and
/// which of their needs the device lacks.
static void listVariants(const TwrtDevice &device, const fb::Kernel *kernel, char *text,
                         size_t size) {
  size_t length = 0;
  auto append = [&](std::string_view word) {
    size_t piece = std::min(word.size(), size - 1 - length);
    memcpy(text + length, word.data(), piece);
    text[length += piece] = 0;
  };
  for (const fb::Variant *variant : *kernel->variants()) {
    std::string_view missing, separator = " (";
    append(length > 0 ? ", " : "");
    append(variant->format()->string_view());
    if (!hasWords(device.info.formats, variant->format()->string_view(), missing)) {
      append(findVariantFormat(missing) ? " (another device's)" : " (a later release's)");
      continue;
    }
    for (std::string_view rest = variant->needs() ? variant->needs()->string_view() : "";
         !rest.empty();) {
      std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      if (hasWords(device.info.features, word, missing))
        continue;
      append(separator);
      append(word);
      separator = " ";
    }
    append(separator == " " ? ")" : "");
  }
}

static TwrtCode pickVariant(TwrtProgram &program, uint32_t index, const Array<bool> &refused,
                            TwrtError *error) {
  const fb::Kernel *kernel = program.module->root->kernels()->Get(index);
  const TwrtDevice &device = *program.device;
  Refusal refusal;
  for (const fb::Variant *variant : *kernel->variants()) {
    if (refused[variant->section()])
      continue;
    std::string_view needs = variant->needs() ? variant->needs()->string_view() : "", missing;
    if (!hasWords(device.info.formats, variant->format()->string_view(), missing) ||
        !hasWords(device.info.features, needs, missing)) {
      // A variant of a format of the device says more than one of another device's.
      if (*refusal.text && missing == variant->format()->string_view())
        continue;
      if (missing == variant->format()->string_view() && !findVariantFormat(missing))
        snprintf(refusal.text, sizeof(refusal.text),
                 "kernel '%.80s' has code of format '%.*s', which this runtime does not know: the "
                 "module is of format %u.%u, this runtime's is %u.%u; take a newer runtime",
                 kernel->name()->c_str(), int(std::min<size_t>(missing.size(), 80)), missing.data(),
                 containerMajor, program.module->container.minor(), containerMajor, containerMinor);
      else
        snprintf(refusal.text, sizeof(refusal.text),
                 "kernel '%.80s' needs '%.*s', which device %s lacks", kernel->name()->c_str(),
                 int(std::min<size_t>(missing.size(), 80)), missing.data(), device.slot->uri);
      continue;
    }
    if (!fitsLimits(device, kernel, variant, refusal))
      continue;
    program.kernels[index].variant = variant;
    return TWRT_OK;
  }
  if (refusal.byLimit)
    return fail(error, TWRT_UNSUPPORTED, "%s", refusal.text);
  char variants[200];
  listVariants(device, kernel, variants, sizeof(variants));
  return fail(error, TWRT_UNSUPPORTED, "%s; its variants, and what they lack there: %s",
              refusal.text, variants);
}

uint32_t tw::runtime::divideGroup(uint32_t threads, uint32_t most) {
  uint32_t parts = threads / most + (threads % most != 0);
  while (threads % parts != 0)
    ++parts;
  return threads / parts;
}

static ImageKernel describeKernel(const DeviceInfo &info, const fb::Kernel *kernel,
                                  const fb::Variant *variant) {
  ImageKernel made;
  made.name = variant->entry()->c_str();
  uint32_t threads = uint32_t(groupThreads(variant));
  made.divisible = variant->divisible();
  made.group = made.divisible ? divideGroup(threads, info.maxGroup) : threads;
  made.parts = threads / made.group;
  made.localBytes = variant->local_bytes();
  made.subgroup = variant->subgroup();
  made.bindings = kernel->bindings()->size();
  made.scalars = kernel->scalars();
  for (uint32_t i = 0; i < made.bindings; ++i)
    if (kernel->bindings()->Get(i)->access() & TWRT_WRITE)
      made.written |= 1u << i;
  return made;
}

static void describeMap(const fb::TensorMap &map, ImageMap &made) {
  made = {.binding = map.binding(),
          .rank = map.rank(),
          .swizzle = map.swizzle(),
          .element = ElementType(map.element())};
  for (uint32_t d = 0; d < made.rank; ++d) {
    made.extents[d] = map.extents()->Get(d);
    made.strides[d] = d + 1 < made.rank ? map.strides()->Get(d) : 0;
    made.box[d] = map.box()->Get(d);
  }
}

static uint32_t countMaps(const fb::Variant *variant) {
  return variant->maps() ? variant->maps()->size() : 0;
}

/// Lists the kernels picked from a section, with their maps, and numbers their entries. No kernel:
/// an empty list.
static TwrtCode listKernels(TwrtProgram &program, uint32_t section, Array<ImageKernel> &list,
                            Array<ImageMap> &maps, TwrtError *error) {
  const fb::Module *root = program.module->root;
  const fb::Variant *first = nullptr;
  size_t count = 0, mapCount = 0;
  for (uint32_t i = 0; i < program.kernels.size(); ++i) {
    const fb::Variant *variant = program.kernels[i].variant;
    if (!variant || variant->section() != section)
      continue;
    if (first && variant->format()->string_view() != first->format()->string_view() &&
        (!sectionOf(variant) || sectionOf(variant) != sectionOf(first)))
      return fail(error, TWRT_INVALID_MODULE,
                  "kernel '%.80s' has format '%.40s', its section '%.40s'",
                  root->kernels()->Get(i)->name()->c_str(), variant->format()->c_str(),
                  first->format()->c_str());
    first = first ? first : variant;
    ++count;
    mapCount += countMaps(variant);
  }
  if (!list.reset(count) || !maps.reset(mapCount))
    return failMemory(error, "a program");
  bool host = first && sectionOf(first) == SectionKind::HostImage;
  for (uint32_t i = 0, next = 0, firstMap = 0; next < count; ++i) {
    LoadedKernel &kernel = program.kernels[i];
    if (!kernel.variant || kernel.variant->section() != section)
      continue;
    kernel.entry = host ? kernel.variant->offset() : next;
    ImageKernel &made = list[next++];
    made = describeKernel(program.device->info, root->kernels()->Get(i), kernel.variant);
    made.maps = {maps.data() + firstMap, countMaps(kernel.variant)};
    for (uint32_t m = 0; m < made.maps.size(); ++m)
      describeMap(*kernel.variant->maps()->Get(m), maps[firstMap++]);
  }
  return TWRT_OK;
}

/// Loads a section with all kernels picked from it.
static TwrtCode loadImage(TwrtProgram &program, uint32_t section, TwrtError *error) {
  const TwrtModule &module = *program.module;
  Array<ImageKernel> list(module.instance->allocator);
  Array<ImageMap> maps(module.instance->allocator);
  TWRT_TRY(listKernels(program, section, list, maps, error));
  if (list.empty())
    return TWRT_OK;
  tw::format::Error reason;
  if (!module.container.checkDigest(section, reason))
    return failModule(error, module.path.c_str(), reason);
  ImageSource source = {"", module.container.sectionBytes(section), module.file,
                        module.container.section(section).offset, list};
  for (LoadedKernel &kernel : program.kernels)
    if (kernel.variant && kernel.variant->section() == section)
      source.format = kernel.variant->format()->c_str();
  void *&executable = program.executables[section];
  TWRT_TRY(
      program.device->driver->loadExecutable(program.device->handle, source, &executable, error));
  for (LoadedKernel &kernel : program.kernels)
    if (kernel.variant && kernel.variant->section() == section)
      kernel.executable = executable;
  return TWRT_OK;
}

/// Picks a variant, outside the refused sections, of each kernel that the commands launch.
static TwrtCode pickVariants(TwrtProgram &program, const fb::Program *commands,
                             const Array<bool> &refused, TwrtError *error) {
  bool native = program.module->flags & TWRT_MODULE_ALLOW_NATIVE;
  for (const fb::Command *command : *commands->code()) {
    if (command->opcode() != uint16_t(Opcode::Launch) || program.kernels[command->target()].variant)
      continue;
    if (!native)
      return fail(error, TWRT_UNSUPPORTED,
                  "the module holds machine code: running it needs the "
                  "flag TWRT_MODULE_ALLOW_NATIVE");
    TWRT_TRY(pickVariant(program, command->target(), refused, error));
  }
  return TWRT_OK;
}

static TwrtCode pickVariants(TwrtProgram &program, const Array<bool> &refused, TwrtError *error) {
  if (const fb::Program *initializer = program.program->initializer())
    TWRT_TRY(pickVariants(program, initializer, refused, error));
  return pickVariants(program, program.program, refused, error);
}

static void forgetKernels(TwrtProgram &program) {
  for (LoadedKernel &kernel : program.kernels)
    kernel = {};
  for (void *&executable : program.executables) {
    if (executable)
      program.device->driver->unload(program.device->handle, executable);
    executable = nullptr;
  }
}

TwrtCode tw::runtime::loadKernels(TwrtProgram &program, TwrtError *error) {
  Array<bool> refused(program.module->instance->allocator);
  if (!refused.reset(program.executables.size()))
    return failMemory(error, "a program");
  TwrtError reason = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  auto failLoaded = [&] {
    return failCall(error, reason.code, reason.call, reason.driverCode, "%s", reason.message);
  };
  for (;;) {
    bool first = reason.code == TWRT_OK;
    if (TwrtCode code = pickVariants(program, refused, first ? error : nullptr); code != TWRT_OK)
      return first ? code : failLoaded();
    uint32_t section = 0;
    while (section < program.executables.size() && loadImage(program, section, &reason) == TWRT_OK)
      ++section;
    if (section == program.executables.size())
      return TWRT_OK;
    if (reason.code != TWRT_UNSUPPORTED)
      return failLoaded();
    // Machine code of another chip of the same family: the kernels' next variants may do.
    program.module->instance->context.log.write(
        LogLevel::Warning, "device %s refuses code in section %u of %s: %s",
        program.device->slot->uri, section,
        *program.module->path.c_str() ? program.module->path.c_str() : "the module",
        reason.message);
    refused[section] = true;
    forgetKernels(program);
  }
}
