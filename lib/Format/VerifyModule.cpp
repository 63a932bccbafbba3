// Verifies the meaning of a module's metadata: files, constants, kernels, functions.
#include "Verify.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Commands.h"
#include "tw/Format/Element.h"
#include "tw/Format/Metadata.h"

#include <cinttypes>

using namespace tw::format;

static constexpr uint32_t maxVariants = 64;
static constexpr uint32_t maxPrograms = 64;
static constexpr uint32_t maxGroup = 1u << 16;
static constexpr uint32_t maxSubgroup = 128;
static constexpr uint32_t maxLocalBytes = 1u << 24;

bool tw::format::verifyType(VerifyContext &context, const fb::TensorType *type,
                            uint32_t symbolCount, const char *what, const char *of) {
  if (elementBytes(ElementType(type->element())) == 0)
    return TW_META_FAIL(context, type, "%s has element type %u (%s), which has no memory layout",
                        what, type->element(), elementName(ElementType(type->element())).data());
  if (length(type->dims()) > maxRank)
    return TW_META_FAIL(context, type, "%s has rank %u, the most is %u", what, length(type->dims()),
                        maxRank);
  if (!verifyAligned(context, type->dims()))
    return false;
  uint64_t bytes = elementBytes(ElementType(type->element()));
  for (uint32_t i = 0; i < length(type->dims()); ++i) {
    int64_t dim = type->dims()->Get(i);
    if (dim < 0 && uint64_t(-(dim + 1)) >= symbolCount)
      return TW_META_FAIL(context, type, "%s has dimension %" PRId64 ", of %u %s", what, dim,
                          symbolCount, of);
    if (dim >= 0 && (!checkedMul(bytes, uint64_t(dim), bytes) || bytes > uint64_t(INT64_MAX)))
      return TW_META_FAIL(context, type, "the size of %s overflows", what);
  }
  return context.charge(type, 4 + 8 * uint64_t(length(type->dims())));
}

static bool verifyFiles(VerifyContext &context) {
  if (!context.root->files())
    return true;
  for (const fb::File *file : *context.root->files()) {
    if (!isPathBeneath(file->path()->string_view()))
      return TW_META_FAIL(context, file,
                          "file path '%.100s' leaves the weights folder or is not "
                          "relative",
                          file->path()->c_str());
    if (file->identity()->size() != sizeof(Digest))
      return TW_META_FAIL(context, file, "file '%.100s' has an identity of %u bytes, expected 16",
                          file->path()->c_str(), file->identity()->size());
    if (!context.charge(file, tableBytes + file->path()->size()))
      return false;
  }
  return true;
}

static bool verifyConstant(VerifyContext &context, const fb::Constant *constant) {
  const char *name = constant->name()->c_str();
  uint64_t bytes;
  if (!context.charge(constant, tableBytes) ||
      !verifyType(context, constant->type(), 0, "a constant"))
    return false;
  if (!computeTypeBytes(*constant->type(), bytes) || bytes != constant->length())
    return TW_META_FAIL(context, constant,
                        "constant '%.80s' has %" PRIu64 " bytes, its type takes %" PRIu64, name,
                        constant->length(), bytes);
  if (!isPowerOfTwo(constant->alignment()) || constant->alignment() > maxAlignment)
    return TW_META_FAIL(context, constant, "constant '%.80s' has alignment %u", name,
                        constant->alignment());
  if (constant->digest() && constant->digest()->size() != sizeof(Digest))
    return TW_META_FAIL(context, constant, "constant '%.80s' has a digest of %u bytes, expected 16",
                        name, constant->digest()->size());
  switch (Storage(constant->storage())) {
  case Storage::Embedded: {
    uint32_t index = constant->section();
    if (index >= context.container.sectionCount() ||
        context.container.section(index).kind != uint32_t(SectionKind::Constants))
      return TW_META_FAIL(context, constant,
                          "constant '%.80s' lies in section %u, which is not CONSTANTS", name,
                          index);
    if (!rangeWithin(constant->offset(), bytes, context.container.section(index).length))
      return TW_META_FAIL(context, constant, "constant '%.80s' ends past its section", name);
    return true;
  }
  case Storage::External:
    if (constant->file() >= length(context.root->files()))
      return TW_META_FAIL(context, constant, "constant '%.80s' lies in file %u of %u", name,
                          constant->file(), length(context.root->files()));
    if (!rangeWithin(constant->offset(), bytes,
                     context.root->files()->Get(constant->file())->length()))
      return TW_META_FAIL(context, constant, "constant '%.80s' ends past its file", name);
    return true;
  case Storage::Splat:
    if (length(constant->splat()) != elementBytes(ElementType(constant->type()->element())))
      return TW_META_FAIL(context, constant, "the splat of constant '%.80s' has %u bytes", name,
                          length(constant->splat()));
    return true;
  case Storage::Derived:
    return true;
  }
  return TW_META_FAIL(context, constant, "constant '%.80s' has unknown storage %u", name,
                      constant->storage());
}

/// Whether a launch can give kernels of the variant's format the size of their groups.
static bool takesGroup(const fb::Variant *variant) {
  const VariantFormat *format = findVariantFormat(variant->format()->string_view());
  return format && format->takesGroup;
}

/// Group, local memory and subgroup of a kernel of threads; none of them on the host.
static bool verifyGroup(VerifyContext &context, const char *kernel, const fb::Variant *variant,
                        bool threads) {
  uint32_t rank = length(variant->group());
  if (rank > 3)
    return TW_META_FAIL(context, variant, "kernel '%.80s' has a group of rank %u", kernel, rank);
  if (!threads && (rank != 0 || variant->local_bytes() != 0 || variant->subgroup() != 0))
    return TW_META_FAIL(context, variant,
                        "kernel '%.80s' has a group or local memory, which host kernels have not",
                        kernel);
  if (threads && rank == 0)
    return TW_META_FAIL(context, variant, "kernel '%.80s' has no group", kernel);
  uint64_t size = 1;
  for (uint32_t i = 0; i < rank; ++i) {
    size *= variant->group()->Get(i);
    if (size == 0 || size > maxGroup)
      return TW_META_FAIL(context, variant, "kernel '%.80s' has a group of 0 or over %u threads",
                          kernel, maxGroup);
  }
  if (variant->local_bytes() > maxLocalBytes)
    return TW_META_FAIL(context, variant,
                        "kernel '%.80s' has %u bytes of local memory, the most is %u", kernel,
                        variant->local_bytes(), maxLocalBytes);
  if (variant->subgroup() != 0 &&
      (!isPowerOfTwo(variant->subgroup()) || variant->subgroup() > maxSubgroup))
    return TW_META_FAIL(context, variant, "kernel '%.80s' has subgroups of %u threads", kernel,
                        variant->subgroup());
  if (variant->divisible() &&
      (!takesGroup(variant) || size != variant->group()->Get(0) || variant->local_bytes() != 0))
    return TW_META_FAIL(
        context, variant,
        "kernel '%.80s' has a group that can be divided, expected spirv or opencl-c, "
        "one extent and no local memory",
        kernel);
  return true;
}

/// That what a map makes of it lies in the binding, and that a driver takes it.
static bool verifyMap(VerifyContext &context, const fb::Kernel *kernel, const fb::TensorMap &map) {
  const char *name = kernel->name()->c_str();
  uint64_t element = elementBytes(ElementType(map.element()));
  if (map.rank() < 1 || map.rank() > maxMapRank || element == 0 ||
      map.binding() >= kernel->bindings()->size())
    return TW_META_FAIL(context, &map,
                        "kernel '%.80s' has a map of rank %u of binding %u, of elements %u", name,
                        map.rank(), map.binding(), map.element());
  const fb::Binding *binding = kernel->bindings()->Get(map.binding());
  uint64_t bytes = 0, end = element;
  if (Access(binding->access()) != Access::Read || isSymbolic(*binding->type()) ||
      !computeTypeBytes(*binding->type(), bytes))
    return TW_META_FAIL(context, &map,
                        "kernel '%.80s' has a map of binding %u, expected one of a fixed size that "
                        "is read alone",
                        name, map.binding());
  for (uint32_t d = 0; d < map.rank(); ++d) {
    uint64_t extent = map.extents()->Get(d), stride = d ? map.strides()->Get(d - 1) : element;
    uint64_t last = 0;
    if (extent < 1 || extent > uint64_t(1) << 32 || map.box()->Get(d) < 1 ||
        map.box()->Get(d) > maxMapPoints || (d && stride % mapStrideUnit != 0) ||
        !checkedMul(extent - 1, stride, last) || !checkedAdd(end, last, end) || end > bytes)
      return TW_META_FAIL(context, &map,
                          "kernel '%.80s' has a map whose dimension %u has %" PRIu64
                          " points, %" PRIu64 " bytes apart, and a box of %u, of %" PRIu64 " bytes",
                          name, d, extent, stride, map.box()->Get(d), bytes);
  }
  uint64_t row = map.box()->Get(0) * element;
  bool isSwizzle =
      map.swizzle() == 0 || map.swizzle() == 32 || map.swizzle() == 64 || map.swizzle() == 128;
  if (!isSwizzle || row % mapStrideUnit != 0 || (map.swizzle() && row > map.swizzle()))
    return TW_META_FAIL(
        context, &map, "kernel '%.80s' has a map with rows of %" PRIu64 " bytes in a swizzle of %u",
        name, row, map.swizzle());
  return true;
}

static bool verifyMaps(VerifyContext &context, const fb::Kernel *kernel, const fb::Variant *variant,
                       const VariantFormat &format) {
  uint32_t count = length(variant->maps());
  if (count == 0)
    return true;
  std::string_view needs = variant->needs() ? variant->needs()->string_view() : "";
  // Earlier runtimes would launch it without them.
  if (!format.takesMaps || count > maxKernelMaps || needs.find(mapsFeature) == needs.npos)
    return TW_META_FAIL(context, variant,
                        "kernel '%.80s' has %u maps of tensors, expected at most %u, in code for "
                        "devices that make them, which needs '%s'",
                        kernel->name()->c_str(), count, maxKernelMaps, mapsFeature.data());
  if (!verifyAligned(context, variant->maps()) ||
      !context.charge(variant, count * sizeof(fb::TensorMap)))
    return false;
  for (uint32_t i = 0; i < count; ++i)
    if (!verifyMap(context, kernel, *variant->maps()->Get(i)))
      return false;
  return true;
}

static bool verifyVariant(VerifyContext &context, const fb::Kernel *of,
                          const fb::Variant *variant) {
  const char *kernel = of->name()->c_str();
  if (variant->section() >= context.container.sectionCount())
    return TW_META_FAIL(context, variant, "kernel '%.80s' lies in section %u of %u", kernel,
                        variant->section(), context.container.sectionCount());
  SectionEntry section = context.container.section(variant->section());
  const VariantFormat *format = findVariantFormat(variant->format()->string_view());
  uint64_t needs = variant->needs() ? variant->needs()->size() : 0;
  if (!context.charge(variant, tableBytes + needs))
    return false;
  // Of a later release: no device of this one takes it.
  if (!format)
    return true;
  if (section.kind != uint32_t(format->section))
    return TW_META_FAIL(context, variant, "kernel '%.80s' lies in section %u (%s), expected %s",
                        kernel, variant->section(), sectionName(SectionKind(section.kind)),
                        sectionName(format->section));
  bool host = format->section == SectionKind::HostImage;
  if (host ? variant->offset() >= section.length : variant->offset() != 0)
    return TW_META_FAIL(context, variant,
                        "kernel '%.80s' enters at offset %" PRIu64 " of an image of %" PRIu64
                        " bytes",
                        kernel, variant->offset(), section.length);
  bool team = variant->format()->string_view() == teamFormat;
  if (variant->shared_bytes() != 0 && !team)
    return TW_META_FAIL(context, variant,
                        "kernel '%.80s' has %u bytes that threads share, which kernels of format "
                        "%s alone have",
                        kernel, variant->shared_bytes(), teamFormat.data());
  return verifyMaps(context, of, variant, *format) && verifyGroup(context, kernel, variant, !host);
}

static bool verifyKernel(VerifyContext &context, const fb::Kernel *kernel) {
  const char *name = kernel->name()->c_str();
  if (!context.charge(kernel, tableBytes))
    return false;
  if (kernel->bindings()->size() > maxKernelBindings)
    return TW_META_FAIL(context, kernel, "kernel '%.80s' has %u bindings, the most is %u", name,
                        kernel->bindings()->size(), maxKernelBindings);
  if (kernel->scalars() > maxKernelScalars)
    return TW_META_FAIL(context, kernel, "kernel '%.80s' has %u scalars, the most is %u", name,
                        kernel->scalars(), maxKernelScalars);
  for (const fb::Binding *binding : *kernel->bindings()) {
    if (binding->access() < 1 || binding->access() > 3)
      return TW_META_FAIL(context, binding, "kernel '%.80s' has a binding with access %u", name,
                          binding->access());
    if (!isPowerOfTwo(binding->alignment()) || binding->alignment() > maxAlignment)
      return TW_META_FAIL(context, binding, "kernel '%.80s' has a binding with alignment %u", name,
                          binding->alignment());
    if (!context.charge(binding, tableBytes) ||
        !verifyType(context, binding->type(), kernel->scalars(), "a kernel's binding", "scalars"))
      return false;
    if (isSymbolic(*binding->type()) &&
        !requireFeatures(context, binding, "a binding with dimensions from scalars"))
      return false;
  }
  if (kernel->variants()->size() == 0 || kernel->variants()->size() > maxVariants)
    return TW_META_FAIL(context, kernel, "kernel '%.80s' has %u variants, expected 1 to %u", name,
                        kernel->variants()->size(), maxVariants);
  for (const fb::Variant *variant : *kernel->variants())
    if (!verifyVariant(context, kernel, variant))
      return false;
  return true;
}

static bool verifyFunction(VerifyContext &context, const fb::Function *function) {
  if (!context.charge(function, tableBytes) || !verifySignature(context, function))
    return false;
  if (function->programs()->size() == 0)
    return TW_META_FAIL(context, function, "function '%.80s' has no program",
                        function->name()->c_str());
  uint32_t programs = function->programs()->size();
  if (programs > maxPrograms)
    return TW_META_FAIL(context, function, "function '%.80s' has %u programs, the most is %u",
                        function->name()->c_str(), programs, maxPrograms);
  for (uint32_t i = 0; i < programs; ++i) {
    const fb::Program *program = function->programs()->Get(i);
    for (uint32_t k = 0; k < i; ++k)
      if (function->programs()->Get(k)->target()->string_view() == program->target()->string_view())
        return TW_META_FAIL(context, program,
                            "function '%.80s' has two programs for target '%.40s'",
                            function->name()->c_str(), program->target()->c_str());
    if (!verifyProgram(context, function, program))
      return false;
  }
  return true;
}

/// Looks for the section that says that the module uses what minor version 4 added.
static bool findFeatures(VerifyContext &context) {
  for (uint32_t i = 0; i < context.container.sectionCount(); ++i) {
    SectionEntry entry = context.container.section(i);
    if (entry.kind != uint32_t(SectionKind::Features14))
      continue;
    if (entry.length != 0 || !(entry.flags & SectionRequired))
      return fail(context.error, "META", context.container.section(0).offset,
                  "section %u (%s) has %" PRIu64 " bytes and flags %u, expected none and %u", i,
                  sectionName(SectionKind::Features14), entry.length, entry.flags, SectionRequired);
    context.hasFeatures14 = true;
  }
  return true;
}

static bool verifyLocations(VerifyContext &context) {
  uint32_t count = length(context.root->locations());
  for (uint32_t i = 0; i < count; ++i) {
    const fb::Location *location = context.root->locations()->Get(i);
    if (location->parent() < -1 || location->parent() >= int64_t(i))
      return TW_META_FAIL(context, location, "location %u has parent %d, expected an earlier one",
                          i, location->parent());
  }
  return true;
}

bool tw::format::verifyModule(const Container &container, std::span<const uint8_t> metadata,
                              const fb::Module *&root, Error &error) {
  uint64_t start = container.section(0).offset;
  if (metadata.size() < 16 || metadata.size() > FLATBUFFERS_MAX_BUFFER_SIZE)
    return fail(error, "META", start, "the section has %zu bytes", metadata.size());
  flatbuffers::Verifier verifier(metadata.data(), metadata.size(), 8,
                                 flatbuffers::uoffset_t(metadata.size() / 4));
  if (!fb::VerifyModuleBuffer(verifier))
    return fail(error, "META", start, "the section is not a well-formed FlatBuffer of kind %s",
                fb::ModuleIdentifier());
  VerifyContext context{container, metadata, fb::GetModule(metadata.data()), error,
                        metadata.size()};
  if (!findFeatures(context) || !verifyFiles(context) || !verifyLocations(context))
    return false;
  if (context.root->constants())
    for (const fb::Constant *constant : *context.root->constants())
      if (!verifyConstant(context, constant))
        return false;
  if (context.root->kernels())
    for (const fb::Kernel *kernel : *context.root->kernels())
      if (!verifyKernel(context, kernel))
        return false;
  if (context.root->functions()->size() == 0)
    return fail(error, "META", start, "the module has no function");
  for (const fb::Function *function : *context.root->functions())
    if (!verifyFunction(context, function))
      return false;
  root = context.root;
  return true;
}
