// From tlaunch to the module file: constants, kernels, sections.
#include "ModuleWriter.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/PointForm.h"
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Format/ProgramBuilder.h"
#include "tw/Interpreter/Tensor.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/ElementTypes.h"
#include "tw/Support/MemoryLimit.h"
#include "tw/Support/Version.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <limits>

using namespace mlir;
using namespace tw;

namespace {

/// Host images are mapped: 64 KiB is a multiple of every page.
constexpr uint32_t imageLog2Alignment = 16;

/// Where code in an artefact's format stands in the module file.
struct Place {
  std::string format; ///< of variants
  format::SectionKind section;
};

std::optional<Place> findPlace(StringRef artefactFormat) {
  if (artefactFormat == "null")
    return Place{"null", format::SectionKind::HostImage};
  const format::VariantFormat *known = format::findVariantFormat(std::string_view(artefactFormat));
  return known ? std::optional(Place{artefactFormat.str(), known->section}) : std::nullopt;
}

const ArtefactEntry *findEntry(const Artefact &artefact, StringRef name) {
  for (const ArtefactEntry &entry : artefact.entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

} // namespace

FailureOr<format::TensorType> ModuleWriter::getType(ShapedType type, Location location) {
  std::optional<format::ElementType> element = getElement(type.getElementType());
  if (!isHeld(type.getElementType()))
    return emitError(location, Code::T0503)
           << "elements of type " << type.getElementType() << " have no place in a module yet";
  if (type.getRank() > format::maxRank)
    return emitError(location, Code::T0503)
           << "a tensor of type " << type << " has rank " << type.getRank()
           << ", a module holds at most " << format::maxRank
           << ": reshape arguments, results and what lies between kernels to fewer dimensions";
  format::TensorType result;
  result.element = *element;
  result.dims.assign(type.getShape().begin(), type.getShape().end());
  return result;
}

uint32_t ModuleWriter::addFile(StringRef file, StringRef contents) {
  // Paths in modules have no "." parts.
  SmallString<128> name(weightsPath);
  llvm::sys::path::append(name, file);
  llvm::sys::path::remove_dots(name);
  auto [it, isNew] = fileIndices.try_emplace(name, metadata.files.size());
  if (isNew) {
    std::span<const uint8_t> bytes(contents.bytes_begin(), contents.size());
    format::Digest identity = format::computeFileIdentity(
        bytes.first(std::min<size_t>(bytes.size(), format::fileIdentityBytes)));
    metadata.files.push_back({name.str().str(), contents.size(),
                              std::vector<uint8_t>(identity.begin(), identity.end())});
  }
  return it->second;
}

LogicalResult ModuleWriter::embed(Location location, format::Constant &entry,
                                  std::span<const uint8_t> bytes) {
  if (bytes.empty()) {
    // Any element repeated no times.
    entry.storage = format::Storage::Splat;
    entry.splat.assign(format::elementBytes(entry.type.element), 0);
    return success();
  }
  if (!mayAllocate(location, bytes.size()))
    return failure();
  entry.storage = format::Storage::Embedded;
  entry.offset = pool.add(bytes, constantAlignment);
  if (report)
    report->embeddedBytes += entry.length;
  return success();
}

/// Of the file nothing is known but that its constants lie in it; its identity is zero.
void ModuleWriter::addSupplied(graph::FileAttr file, format::Constant &entry) {
  auto [it, isNew] = fileIndices.try_emplace(file.getName(), metadata.files.size());
  if (isNew)
    metadata.files.push_back(
        {file.getName().str(), 0, std::vector<uint8_t>(sizeof(format::Digest), 0)});
  entry.storage = format::Storage::External;
  entry.file = it->second;
  entry.offset = file.getOffset();
  uint64_t &length = metadata.files[it->second].length;
  length = std::max<uint64_t>(length, entry.offset + entry.length);
}

LogicalResult ModuleWriter::addFileConstant(launch::ConstantOp op, graph::FileAttr file,
                                            format::Constant &entry) {
  if (isSupplied) {
    addSupplied(file, entry);
    return success();
  }
  auto fail = [&](llvm::Error error) {
    return emitError(op.getLoc(), Code::T0504) << llvm::toString(std::move(error));
  };
  auto getSpan = [](StringRef bytes) { return std::span(bytes.bytes_begin(), bytes.size()); };
  if (embedWeights) {
    llvm::Expected<StringRef> bytes = files.bytes(file.getName(), file.getOffset(), entry.length);
    if (!bytes)
      return fail(bytes.takeError());
    return embed(op.getLoc(), entry, getSpan(*bytes));
  }
  format::DigestStream stream;
  auto digestPiece = [&](StringRef piece) {
    stream.add(getSpan(piece));
    return true;
  };
  if (llvm::Error error = files.visit(file.getName(), file.getOffset(), entry.length, digestPiece))
    return fail(std::move(error));
  entry.storage = format::Storage::External;
  entry.file = addFile(file.getName(), llvm::cantFail(files.file(file.getName())));
  entry.offset = file.getOffset();
  format::Digest digest = stream.finish();
  entry.digest.assign(digest.begin(), digest.end());
  if (report)
    report->externalBytes += entry.length;
  return success();
}

LogicalResult ModuleWriter::addConstant(Operation *op, Symbols &symbols) {
  auto constant = cast<launch::ConstantOp>(op);
  auto type = cast<RankedTensorType>(constant.getType());
  auto [known, isNew] =
      constants.try_emplace({constant.getValue(), type}, metadata.constants.size());
  symbols.constants[constant.getSymName()] = known->second;
  if (!isNew)
    return success();
  FailureOr<format::TensorType> tensor = getType(type, constant.getLoc());
  if (failed(tensor))
    return failure();
  format::Constant entry;
  entry.name = constant.getSymName().str();
  entry.type = *tensor;
  entry.alignment = std::max<uint64_t>(bindingAlignment, format::elementBytes(tensor->element));
  entry.length = launch::BufferType::get(op->getContext(), type).getBytes();
  if (auto file = dyn_cast<graph::FileAttr>(constant.getValue())) {
    if (failed(addFileConstant(constant, file, entry)))
      return failure();
  } else {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements)
      return emitError(constant.getLoc(), Code::T0503)
             << "expected the value of a constant to be dense elements or #tgraph.file";
    bool isSplat = elements.isSplat() && elements.getNumElements() != 0;
    if (isSplat)
      elements = elements.resizeSplat(RankedTensorType::get({1}, type.getElementType()));
    interp::Tensor value = interp::Tensor::fromAttr(elements);
    std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(value.bytes()),
                                   value.getBytes());
    if (isSplat) {
      entry.storage = format::Storage::Splat;
      entry.splat.assign(bytes.begin(), bytes.end());
    } else if (failed(embed(constant.getLoc(), entry, bytes))) {
      return failure();
    }
  }
  metadata.constants.push_back(std::move(entry));
  return success();
}

FailureOr<format::TensorType> ModuleWriter::getBindingType(Operation *op, unsigned buffer,
                                                           KernelSizes &sizes) {
  auto kernel = cast<tile::FuncOp>(op);
  FailureOr<format::TensorType> type =
      getType(cast<MemRefType>(kernel.getBuffer(buffer).getType()), kernel.getLoc());
  ArrayAttr all = kernel.getBufferSizesAttr();
  auto own = all ? dyn_cast<view::SizesAttr>(all[buffer]) : view::SizesAttr();
  if (failed(type) || !own)
    return type;
  type->dims.clear();
  for (const Dim &size : own.getStorageSizes())
    type->dims.push_back(size.isStatic() ? size.getConstant()
                                         : format::symbolicDim(sizes.getScalar(size)));
  return type;
}

/// What a call settles for the kernel.
static KernelSizes getSizes(tile::FuncOp kernel) {
  KernelSizes sizes;
  sizes.scalars = kernel.getScalars();
  if (view::SizesAttr grid = kernel.getGridSizesAttr())
    for (auto [size, step] : llvm::zip(grid.getSizes(), kernel.getGridStepsAttr().asArrayRef()))
      sizes.grid.emplace_back(size, step);
  return sizes;
}

/// The point form with the sizes that its run will be told.
static std::string addScalars(StringRef source, tile::FuncOp kernel) {
  SmallVector<Dim> scalars = kernel.getScalars();
  if (scalars.empty())
    return source.str();
  std::string text;
  llvm::raw_string_ostream(text) << "module attributes {" << kernel::scalarsAttrName << " = "
                                 << view::SizesAttr::get(kernel.getContext(), scalars) << "} {\n"
                                 << source << "}\n";
  return text;
}

LogicalResult ModuleWriter::addKernel(Operation *op, const CompiledTarget &target,
                                      Symbols &symbols) {
  auto kernel = cast<tile::FuncOp>(op);
  format::Kernel entry;
  entry.name = kernel.getSymName().str();
  KernelSizes sizes = getSizes(kernel);
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i) {
    auto memory = cast<MemRefType>(kernel.getBuffer(i).getType());
    FailureOr<format::TensorType> type = getBindingType(kernel, i, sizes);
    if (failed(type))
      return failure();
    format::Binding binding;
    binding.access = kernel.isResult(i) ? format::Access::Write : format::Access::Read;
    binding.alignment = std::max<uint64_t>(target.request->target->limits.bindingAlignment,
                                           format::elementBytes(type->element));
    binding.type = *type;
    entry.bytes += memory.getNumElements() * format::elementBytes(type->element);
    // A kernel may read what it wrote (`keep e result`), or leave some of it as it was.
    if (kernel.isResult(i) &&
        llvm::is_contained(kernel.getUpdated().value_or(ArrayRef<int64_t>()),
                           int64_t(i + kernel.getNumOutputs() - kernel.getNumBuffers())))
      binding.access = format::Access::ReadWrite;
    if (kernel.isResult(i) && llvm::any_of(kernel.getBuffer(i).getUsers(),
                                           [](Operation *user) { return isa<tile::LoadOp>(user); }))
      binding.access = format::Access::ReadWrite;
    entry.bindings.push_back(std::move(binding));
  }
  constexpr size_t kMostScalars = 16; // that a launch hands over
  if (sizes.scalars.size() > kMostScalars)
    return emitError(kernel.getLoc(), Code::T0503)
           << "kernel '" << entry.name << "' takes " << sizes.scalars.size()
           << " sizes that a call settles, expected at most " << kMostScalars;
  entry.scalars = static_cast<uint16_t>(sizes.scalars.size());
  uint64_t grid = kernel.getNumPrograms();
  for (auto [i, chip] : llvm::enumerate(target.artefacts)) {
    const ArtefactEntry *code = findEntry(chip.artefact, entry.name);
    if (!code)
      return emitError(kernel.getLoc(), Code::T0511)
             << "kernel '" << entry.name << "' is missing from the " << chip.artefact.format
             << " of target " << target.request->target->name;
    // Programs that walk are fewer than the grid has points, for all chips of a target alike.
    if (i == 0 && code->programs < grid)
      grid = code->programs;
    if (code->programs != grid)
      return emitError(kernel.getLoc(), Code::T0511)
             << "kernel '" << entry.name << "' has a grid of " << code->programs
             << " programs for chip '" << chip.chip << "', expected " << grid;
    format::Variant variant;
    variant.format = findPlace(chip.artefact.format)->format;
    variant.section = symbols.sections[i];
    variant.entry = code->symbol.empty() ? entry.name : code->symbol;
    variant.offset = code->offset;
    variant.needs = chip.artefact.requiredFeatures;
    llvm::append_range(variant.needs, code->requiredFeatures);
    if (code->group != 0)
      variant.group = {code->group};
    variant.divisible = code->divisible;
    variant.localBytes = code->localBytes;
    variant.scratchBytes = code->scratchBytes;
    if (code->together)
      variant.format = format::teamFormat;
    variant.sharedBytes = code->sharedBytes;
    variant.subgroup = code->subgroup;
    variant.maps = code->maps;
    variant.registers = code->registers;
    variant.spills = code->spills;
    entry.variants.push_back(std::move(variant));
  }
  if (auto it = target.flops.find(entry.name); it != target.flops.end())
    entry.flops = it->second;
  entry.leastCycles = uint64_t(target.leastCycles.lookup(entry.name));
  auto source = target.sources.find(entry.name);
  hasSources |= source != target.sources.end();
  sources.push_back(source == target.sources.end() ? "" : addScalars(source->second, kernel));
  symbols.kernels[entry.name] = metadata.kernels.size();
  constexpr uint64_t kMostPrograms = std::numeric_limits<uint32_t>::max();
  if (grid > kMostPrograms)
    return emitError(kernel.getLoc(), Code::T0503)
           << "kernel '" << entry.name << "' has a grid of " << grid
           << " programs, expected at most " << kMostPrograms
           << ": lower the greatest sizes of its symbols";
  programs.push_back(static_cast<uint32_t>(grid));
  kernelSizes.push_back(std::move(sizes));
  metadata.kernels.push_back(std::move(entry));
  return success();
}

uint32_t ModuleWriter::addLocation(Location location) {
  auto [it, isNew] = locations.try_emplace(Attribute(location), metadata.locations.size());
  if (!isNew)
    return it->second;
  format::Location entry;
  location->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part); name && entry.node.empty())
      entry.node = name.getName().str();
    if (auto file = dyn_cast<FileLineColLoc>(part); file && entry.file.empty()) {
      entry.file = llvm::sys::path::filename(file.getFilename()).str();
      entry.line = file.getLine();
      entry.column = file.getColumn();
    }
    return WalkResult::advance();
  });
  metadata.locations.push_back(std::move(entry));
  return it->second;
}

LogicalResult ModuleWriter::add(CompiledTarget target, TargetReport *targetReport) {
  Symbols symbols;
  for (auto constant : target.module.getOps<launch::ConstantOp>())
    if (failed(addConstant(constant, symbols)))
      return failure();
  for (ChipArtefact &chip : target.artefacts) {
    std::optional<Place> place = findPlace(chip.artefact.format);
    if (!place)
      return emitError(target.module.getLoc(), Code::T0503)
             << "a module has no section for code in format '" << chip.artefact.format << "'";
    bool host = place->section == format::SectionKind::HostImage;
    if (targetReport)
      targetReport->artefacts.push_back(
          {chip.chip, chip.artefact.format, int64_t(chip.artefact.bytes.size()),
           unsigned(chip.artefact.entries.size()), chip.artefact.cachedKernels});
    artefacts.push_back({chip.artefact.format, std::move(chip.artefact.bytes), 0, {}, {}});
    symbols.sections.push_back(container.addSection(place->section, host ? imageLog2Alignment : 6,
                                                    artefacts.back().bytes));
  }
  for (auto kernel : target.module.getOps<tile::FuncOp>())
    if (failed(addKernel(kernel, target, symbols)))
      return failure();
  for (auto function : target.module.getOps<launch::FuncOp>())
    if (failed(addFunction(function, target, symbols, targetReport)))
      return failure();
  return success();
}

std::vector<uint8_t> ModuleWriter::finish() {
  metadata.producer = std::string("tensorwright ") + version();
  metadata.buildId = "LLVM " LLVM_VERSION_STRING;
  if (!pool.bytes().empty()) {
    uint32_t section = container.addSection(format::SectionKind::Constants,
                                            llvm::Log2_64(constantAlignment), pool.bytes());
    for (format::Constant &constant : metadata.constants)
      if (constant.storage == format::Storage::Embedded)
        constant.section = section;
  }
  std::vector<uint8_t> debug;
  if (hasSources) {
    debug = format::encodeDebug(sources);
    container.addSection(format::SectionKind::Debug, 3, debug, 0);
  }
  std::vector<uint8_t> bytes = format::finishModule(container, metadata);
  if (report)
    report->moduleBytes = bytes.size();
  return bytes;
}
