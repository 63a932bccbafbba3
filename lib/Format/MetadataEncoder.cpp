// Encodes metadata structs as a FlatBuffer.
#include "tw/Format/Commands.h"
#include "tw/Format/Metadata.h"
#include "tw/Format/Module_generated.h"

#include <algorithm>
#include <array>

using namespace tw::format;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

namespace {

/// One method for each table; strings are never shared, so that a reader can bound its work by the
/// section's size.
struct Encoder {
  FlatBufferBuilder builder;

  template <typename T> auto vector(const std::vector<T> &values) {
    return values.empty() ? 0 : builder.CreateVector(values);
  }

  template <typename T, typename Table>
  auto tables(const std::vector<T> &values, Offset<Table> (Encoder::*encode)(const T &)) {
    std::vector<Offset<Table>> offsets;
    offsets.reserve(values.size());
    for (const T &value : values)
      offsets.push_back((this->*encode)(value));
    return builder.CreateVector(offsets);
  }

  Offset<fb::TensorType> type(const TensorType &value) {
    auto dims = vector(value.dims);
    return fb::CreateTensorType(builder, uint8_t(value.element), dims);
  }
  Offset<fb::Symbol> symbol(const Symbol &value) {
    auto name = builder.CreateString(value.name);
    return fb::CreateSymbol(builder, name, value.min, value.max, value.multiple, value.equation,
                            value.a, value.b, value.literal, value.late);
  }
  Offset<fb::Argument> argument(const Argument &value) {
    auto name = builder.CreateString(value.name);
    auto typeOffset = type(value.type);
    auto storage = value.storage ? type(*value.storage) : Offset<fb::TensorType>();
    auto assumed = vector(value.assumed);
    return fb::CreateArgument(builder, name, typeOffset, value.alignment, value.slot,
                              value.aliasesResult, storage, assumed);
  }
  Offset<fb::Result> result(const Result &value) {
    auto name = builder.CreateString(value.name);
    auto typeOffset = type(value.type);
    auto counts = vector(value.counts);
    return fb::CreateResult(builder, name, typeOffset, value.slot, value.step, counts);
  }
  Offset<fb::Constant> constant(const Constant &value) {
    auto name = builder.CreateString(value.name);
    auto typeOffset = type(value.type);
    auto digest = vector(value.digest);
    auto splat = vector(value.splat);
    return fb::CreateConstant(builder, name, typeOffset, uint8_t(value.storage), value.section,
                              value.file, value.offset, value.length, value.alignment, digest,
                              splat, value.slot);
  }
  Offset<fb::File> file(const File &value) {
    auto path = builder.CreateString(value.path);
    auto identity = builder.CreateVector(value.identity);
    return fb::CreateFile(builder, path, value.length, identity);
  }
  Offset<fb::Binding> binding(const Binding &value) {
    auto typeOffset = type(value.type);
    return fb::CreateBinding(builder, uint8_t(value.access), value.alignment, typeOffset);
  }
  static fb::TensorMap tensorMap(const TensorMap &value) {
    std::array<uint64_t, 5> extents{};
    std::array<uint64_t, 4> strides{};
    std::array<uint16_t, 5> box{};
    std::copy_n(value.extents.begin(), std::min(value.extents.size(), extents.size()),
                extents.begin());
    std::copy_n(value.strides.begin(), std::min(value.strides.size(), strides.size()),
                strides.begin());
    std::copy_n(value.box.begin(), std::min(value.box.size(), box.size()), box.begin());
    return fb::TensorMap(extents, strides, box, uint8_t(value.binding), uint8_t(value.element),
                         uint8_t(value.extents.size()), uint8_t(value.swizzle));
  }
  Offset<fb::Variant> variant(const Variant &value) {
    auto format = builder.CreateString(value.format);
    auto entry = builder.CreateString(value.entry);
    std::string joined;
    for (const std::string &feature : value.needs)
      joined += (joined.empty() ? "" : " ") + feature;
    auto needs = joined.empty() ? 0 : builder.CreateString(joined);
    auto group = vector(value.group);
    std::vector<fb::TensorMap> maps;
    for (const TensorMap &map : value.maps)
      maps.push_back(tensorMap(map));
    Offset<flatbuffers::Vector<const fb::TensorMap *>> mapsOffset;
    if (!maps.empty())
      mapsOffset = builder.CreateVectorOfStructs(maps);
    return fb::CreateVariant(builder, format, value.section, entry, value.offset, needs, group,
                             value.localBytes, value.scratchBytes, value.subgroup, value.registers,
                             value.spills, value.divisible, value.sharedBytes, mapsOffset);
  }
  Offset<fb::Kernel> kernel(const Kernel &value) {
    auto name = builder.CreateString(value.name);
    auto bindings = tables(value.bindings, &Encoder::binding);
    auto variants = tables(value.variants, &Encoder::variant);
    return fb::CreateKernel(builder, name, bindings, value.scalars, variants, value.flops,
                            value.bytes, value.leastCycles);
  }
  Offset<fb::Slot> slot(const Slot &value) {
    auto kind = builder.CreateString(value.kind);
    auto slabs = vector(value.slabs);
    auto order = vector(value.order);
    return fb::CreateSlot(builder, kind, value.maxSlab, value.offsetAlignment, slabs, order);
  }
  Offset<fb::Program> program(const Program &value) {
    auto target = builder.CreateString(value.target);
    auto slots = tables(value.slots, &Encoder::slot);
    std::vector<fb::Interval> intervals;
    for (const Interval &interval : value.intervals)
      intervals.emplace_back(interval.offset, interval.size, interval.first, interval.last,
                             interval.alignment, interval.slot, interval.slab);
    auto intervalsOffset = builder.CreateVectorOfStructs(intervals);
    std::vector<fb::Command> code;
    for (const Command &command : value.code)
      code.emplace_back(command.opcode, command.queue, command.first, command.count,
                        command.target);
    auto codeOffset = builder.CreateVectorOfStructs(code);
    auto operands = vector(value.operands);
    auto literals = vector(value.literals);
    auto locations = vector(value.locations);
    auto initializer =
        value.initializer.empty() ? Offset<fb::Program>() : program(value.initializer.front());
    std::vector<fb::Check> checks;
    for (const Check &check : value.checks)
      checks.emplace_back(check.a, check.b, check.location);
    Offset<flatbuffers::Vector<const fb::Check *>> checksOffset;
    if (!checks.empty())
      checksOffset = builder.CreateVectorOfStructs(checks);
    return fb::CreateProgram(builder, target, slots, value.registers, value.buffers,
                             intervalsOffset, codeOffset, operands, literals, locations,
                             initializer, checksOffset);
  }
  Offset<fb::Function> function(const Function &value) {
    auto name = builder.CreateString(value.name);
    auto symbols = tables(value.symbols, &Encoder::symbol);
    auto arguments = tables(value.arguments, &Encoder::argument);
    auto results = tables(value.results, &Encoder::result);
    auto programs = tables(value.programs, &Encoder::program);
    return fb::CreateFunction(builder, name, symbols, arguments, results, programs);
  }
  Offset<fb::Location> location(const Location &value) {
    auto file = value.file.empty() ? 0 : builder.CreateString(value.file);
    auto node = value.node.empty() ? 0 : builder.CreateString(value.node);
    return fb::CreateLocation(builder, file, value.line, value.column, node, value.parent);
  }
};

} // namespace

std::vector<uint8_t> tw::format::encodeMetadata(const Metadata &metadata) {
  Encoder encoder;
  FlatBufferBuilder &builder = encoder.builder;
  auto producer = builder.CreateString(metadata.producer);
  auto buildId = builder.CreateString(metadata.buildId);
  auto files = encoder.tables(metadata.files, &Encoder::file);
  auto constants = encoder.tables(metadata.constants, &Encoder::constant);
  auto kernels = encoder.tables(metadata.kernels, &Encoder::kernel);
  auto functions = encoder.tables(metadata.functions, &Encoder::function);
  auto locations = encoder.tables(metadata.locations, &Encoder::location);
  fb::FinishModuleBuffer(builder, fb::CreateModule(builder, producer, buildId, files, constants,
                                                   kernels, functions, locations));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

/// Whether one of `dims` stands for a number that is known later.
static bool hasSymbolicDims(const TensorType &type) {
  return std::ranges::any_of(type.dims, [](int64_t dim) { return dim < 0; });
}

static bool needsFeatures14(const Program &program) {
  return !program.checks.empty() ||
         std::ranges::any_of(program.slots, [](const Slot &slot) { return !slot.order.empty(); }) ||
         std::ranges::any_of(program.initializer,
                             [](const Program &inner) { return needsFeatures14(inner); }) ||
         std::ranges::any_of(program.code, [](const Command &command) {
           const OpcodeInfo *info = findOpcode(command.opcode);
           return info && info->minor > 3;
         });
}

bool tw::format::needsFeatures14(const Metadata &metadata) {
  for (const Kernel &kernel : metadata.kernels)
    for (const Binding &binding : kernel.bindings)
      if (hasSymbolicDims(binding.type))
        return true;
  for (const Function &function : metadata.functions) {
    auto isLater = [](const Symbol &symbol) { return symbol.equation != 0 || symbol.late; };
    auto isSpecial = [](const Argument &argument) {
      return argument.storage.has_value() || !argument.assumed.empty();
    };
    auto isCounted = [](const Result &result) { return !result.counts.empty(); };
    auto needs = [](const Program &program) { return ::needsFeatures14(program); };
    if (std::ranges::any_of(function.symbols, isLater) ||
        std::ranges::any_of(function.arguments, isSpecial) ||
        std::ranges::any_of(function.results, isCounted) ||
        std::ranges::any_of(function.programs, needs))
      return true;
  }
  return false;
}

std::vector<uint8_t> tw::format::finishModule(ContainerWriter &writer, const Metadata &metadata) {
  if (needsFeatures14(metadata))
    writer.addSection(SectionKind::Features14, 0, {});
  return writer.finish(encodeMetadata(metadata));
}
