// From tlaunch to the module file: constants, kernels, signatures, commands.
#include "ModuleWriter.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Format/ProgramBuilder.h"
#include "tw/Interpreter/Tensor.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Version.h"

#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tw;

namespace {

std::optional<format::ElementType> getElement(Type type) {
  using E = format::ElementType;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return E::Bool;
    case 8:
      return integer.isUnsigned() ? E::U8 : E::I8;
    case 16:
      return integer.isUnsigned() ? E::U16 : E::I16;
    case 32:
      return integer.isUnsigned() ? E::U32 : E::I32;
    case 64:
      return integer.isUnsigned() ? E::U64 : E::I64;
    }
  }
  if (type.isF32())
    return E::F32;
  if (type.isF64())
    return E::F64;
  return std::nullopt;
}

class Writer {
public:
  Writer(ModuleOp module, const WriterInput &input, FileResolver &files, CompileReport *report)
      : module(module), input(input), files(files), report(report) {}

  FailureOr<std::vector<uint8_t>> write();

private:
  FailureOr<format::TensorType> getType(ShapedType type, Location location);
  LogicalResult addConstant(launch::ConstantOp constant);
  LogicalResult addKernel(tile::FuncOp kernel, uint32_t imageSection);
  LogicalResult addFunction(launch::FuncOp function);
  uint32_t addLocation(Location location);

  ModuleOp module;
  const WriterInput &input;
  FileResolver &files;
  CompileReport *report;
  format::Metadata metadata;
  format::ConstantPool pool;
  llvm::StringMap<uint32_t> constants, kernels, fileIndices;
  llvm::DenseMap<Attribute, uint32_t> locations;
  std::vector<std::string> sources;
  SmallVector<int64_t> programs;
};

FailureOr<format::TensorType> Writer::getType(ShapedType type, Location location) {
  std::optional<format::ElementType> element = getElement(type.getElementType());
  if (!element)
    return emitError(location, Code::T0503)
           << "elements of type " << type.getElementType() << " have no place in a module yet";
  format::TensorType result;
  result.element = *element;
  result.dims.assign(type.getShape().begin(), type.getShape().end());
  return result;
}

LogicalResult Writer::addConstant(launch::ConstantOp constant) {
  auto type = cast<RankedTensorType>(constant.getType());
  FailureOr<format::TensorType> tensor = getType(type, constant.getLoc());
  if (failed(tensor))
    return failure();
  format::Constant entry;
  entry.name = constant.getSymName().str();
  entry.type = *tensor;
  entry.alignment = std::max<uint64_t>(1, format::elementBytes(tensor->element));
  entry.length = launch::BufferType::get(module.getContext(), type).getBytes();
  if (auto file = dyn_cast<graph::FileAttr>(constant.getValue())) {
    auto [it, isNew] = fileIndices.try_emplace(file.getName(), metadata.files.size());
    if (isNew) {
      llvm::Expected<StringRef> contents = files.file(file.getName());
      if (!contents)
        return emitError(constant.getLoc(), Code::T0504) << llvm::toString(contents.takeError());
      std::span<const uint8_t> bytes(contents->bytes_begin(), contents->size());
      format::Digest identity = format::computeFileIdentity(
          bytes.first(std::min<size_t>(bytes.size(), format::fileIdentityBytes)));
      metadata.files.push_back({file.getName().str(), contents->size(),
                                std::vector<uint8_t>(identity.begin(), identity.end())});
    }
    entry.storage = format::Storage::External;
    entry.file = it->second;
    entry.offset = file.getOffset();
    llvm::Expected<StringRef> data = files.bytes(file.getName(), file.getOffset(), entry.length);
    if (!data)
      return emitError(constant.getLoc(), Code::T0504) << llvm::toString(data.takeError());
    format::Digest digest = format::computeDigest({data->bytes_begin(), data->size()});
    entry.digest.assign(digest.begin(), digest.end());
    if (report)
      report->externalBytes += entry.length;
  } else {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements)
      return emitError(constant.getLoc(), Code::T0503)
             << "expected the value of a constant to be dense elements or #tgraph.file";
    interp::Tensor value = interp::Tensor::fromAttr(elements);
    std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(value.bytes()),
                                   value.getBytes());
    if (value.getNumElements() == 0) {
      // No bytes to embed: any element repeated no times.
      entry.storage = format::Storage::Splat;
      entry.splat.assign(format::elementBytes(tensor->element), 0);
    } else if (elements.isSplat()) {
      entry.storage = format::Storage::Splat;
      auto element = bytes.first(bytes.size() / value.getNumElements());
      entry.splat.assign(element.begin(), element.end());
    } else {
      entry.storage = format::Storage::Embedded;
      entry.offset = pool.add(bytes);
    }
    if (report)
      report->embeddedBytes += entry.storage == format::Storage::Embedded ? entry.length : 0;
  }
  constants[constant.getSymName()] = metadata.constants.size();
  metadata.constants.push_back(std::move(entry));
  return success();
}

LogicalResult Writer::addKernel(tile::FuncOp kernel, uint32_t imageSection) {
  const ArtefactEntry *code = nullptr;
  for (const ArtefactEntry &entry : input.artefact->entries)
    if (entry.name == kernel.getSymName())
      code = &entry;
  if (!code)
    return emitError(kernel.getLoc(), Code::T0503)
           << "kernel '" << kernel.getSymName() << "' is missing from the image";
  format::Kernel entry;
  entry.name = kernel.getSymName().str();
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i) {
    auto memory = cast<MemRefType>(kernel.getBuffer(i).getType());
    FailureOr<format::TensorType> type = getType(memory, kernel.getLoc());
    if (failed(type))
      return failure();
    format::Binding binding;
    binding.access = kernel.isResult(i) ? format::Access::Write : format::Access::Read;
    binding.alignment = std::max<uint64_t>(1, format::elementBytes(type->element));
    binding.type = *type;
    entry.bytes += memory.getNumElements() * format::elementBytes(type->element);
    // A kernel may read what it wrote (`keep e result`).
    if (kernel.isResult(i) && llvm::any_of(kernel.getBuffer(i).getUsers(),
                                           [](Operation *user) { return isa<tile::LoadOp>(user); }))
      binding.access = format::Access::ReadWrite;
    entry.bindings.push_back(std::move(binding));
  }
  format::Variant variant;
  variant.format = "host";
  variant.section = imageSection;
  variant.entry = code->symbol.empty() ? entry.name : code->symbol;
  variant.offset = code->offset;
  variant.needs = input.artefact->requiredFeatures;
  entry.variants.push_back(std::move(variant));
  if (auto it = input.flops.find(entry.name); it != input.flops.end())
    entry.flops = it->second;
  auto source = input.sources.find(entry.name);
  sources.push_back(source == input.sources.end() ? "" : source->second);
  kernels[entry.name] = metadata.kernels.size();
  programs.push_back(code->programs);
  metadata.kernels.push_back(std::move(entry));
  return success();
}

uint32_t Writer::addLocation(Location location) {
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

LogicalResult Writer::addFunction(launch::FuncOp function) {
  format::Function entry;
  entry.name = function.getSymName().str();
  format::ProgramBuilder program(function.getTarget().str());
  llvm::DenseMap<Value, format::BufferRef> buffers;
  for (unsigned i = 0; i < function.getBufferTypes().size(); ++i) {
    Value buffer = function.getBody().getArgument(i);
    FailureOr<format::TensorType> type =
        getType(cast<launch::BufferType>(buffer.getType()).getTensor(), function.getLoc());
    if (failed(type))
      return failure();
    std::string name = function.getName(i).str();
    if (i < function.getNumArguments()) {
      format::Argument argument;
      argument.name = std::move(name);
      argument.type = *type;
      argument.alignment = std::max<uint64_t>(1, format::elementBytes(type->element));
      entry.arguments.push_back(std::move(argument));
      buffers.try_emplace(buffer, program.bindArgument(i));
    } else {
      format::Result result;
      result.name = std::move(name);
      result.type = *type;
      entry.results.push_back(std::move(result));
      buffers.try_emplace(buffer, program.bindResult(i - function.getNumArguments()));
    }
  }
  for (Operation &op : function.getBody().front()) {
    program.setLocation(addLocation(op.getLoc()));
    if (auto constant = dyn_cast<launch::GetConstantOp>(op)) {
      buffers.try_emplace(constant.getResult(),
                          program.bindConstant(constants[constant.getConstant()]));
    } else if (auto reserve = dyn_cast<launch::ReserveOp>(op)) {
      std::optional<uint64_t> offset;
      if (auto planned = reserve.getOffset())
        offset = *planned;
      buffers.try_emplace(reserve.getResult(),
                          program.reserve(uint64_t(reserve.getType().getBytes()), 64, offset));
    } else if (auto launch = dyn_cast<launch::LaunchOp>(op)) {
      SmallVector<format::BufferRef> bindings;
      for (Value buffer : op.getOperands())
        bindings.push_back(buffers.at(buffer));
      uint32_t kernel = kernels.at(launch.getKernel());
      program.launch(kernel, {static_cast<uint32_t>(programs[kernel]), 1, 1}, bindings);
      if (report) {
        ++report->launches;
        for (KernelReport &row : report->kernels)
          if (row.name == launch.getKernel())
            ++row.launches;
      }
    } else if (auto copy = dyn_cast<launch::CopyOp>(op)) {
      program.copy(buffers.at(copy.getDestination()), buffers.at(copy.getSource()));
    } else if (!isa<launch::ReturnOp>(op)) {
      return emitError(op.getLoc(), Code::T0503) << "a module cannot hold '" << op.getName() << "'";
    }
  }
  format::ArenaReport arena;
  entry.programs.push_back(program.finish(&arena));
  metadata.functions.push_back(std::move(entry));
  if (report) {
    report->arenaBytes = std::max<int64_t>(
        report->arenaBytes, function.getArenaBytes().value_or(int64_t(arena.totalBytes)));
    report->liveBytes = std::max<int64_t>(
        report->liveBytes, function.getLiveBytes().value_or(int64_t(arena.peakLiveBytes)));
  }
  return success();
}

FailureOr<std::vector<uint8_t>> Writer::write() {
  constexpr uint32_t kPageLog2 = 16;
  format::ContainerWriter container;
  metadata.producer = std::string("tensorwright ") + version();
  for (auto constant : module.getOps<launch::ConstantOp>())
    if (failed(addConstant(constant)))
      return failure();
  uint32_t imageSection = container.addSection(format::SectionKind::HostImage, kPageLog2,
                                               std::span<const uint8_t>(input.artefact->bytes));
  for (auto kernel : module.getOps<tile::FuncOp>())
    if (failed(addKernel(kernel, imageSection)))
      return failure();
  if (!pool.bytes().empty()) {
    uint32_t section = container.addSection(format::SectionKind::Constants, 6, pool.bytes());
    for (format::Constant &constant : metadata.constants)
      if (constant.storage == format::Storage::Embedded)
        constant.section = section;
  }
  for (auto function : module.getOps<launch::FuncOp>())
    if (failed(addFunction(function)))
      return failure();
  std::vector<uint8_t> debug;
  if (!input.sources.empty()) {
    debug = format::encodeDebug(sources);
    container.addSection(format::SectionKind::Debug, 3, debug, 0);
  }
  std::vector<uint8_t> bytes = container.finish(format::encodeMetadata(metadata));
  if (report) {
    report->imageBytes = input.artefact->bytes.size();
    report->moduleBytes = bytes.size();
  }
  return bytes;
}

} // namespace

FailureOr<std::vector<uint8_t>> tw::writeModule(ModuleOp module, const WriterInput &input,
                                                FileResolver &files, CompileReport *report) {
  return Writer(module, input, files, report).write();
}
