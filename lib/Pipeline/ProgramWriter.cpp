// From tlaunch to the module file: signatures, commands, initializers.
#include "ModuleWriter.h"

#include "tw/Dialect/Launch/Launch.h"
#include "tw/Format/ComplexElements.h"
#include "tw/Format/ProgramBuilder.h"
#include "tw/Interpreter/Tensor.h"
#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;

static bool areEqual(const format::TensorType &a, const format::TensorType &b) {
  return a.element == b.element && a.dims == b.dims;
}

/// The function of that name, made from the signature if it is the first, else compared with it.
FailureOr<format::Function *> ModuleWriter::getFunction(Operation *op, SizeWriter &sizes) {
  auto function = cast<launch::FuncOp>(op);
  format::Function entry;
  entry.name = function.getSymName().str();
  for (unsigned i = 0; i < function.getBufferTypes().size(); ++i) {
    Value buffer = function.getBody().getArgument(i);
    FailureOr<format::TensorType> type =
        getType(cast<launch::BufferType>(buffer.getType()).getTensor(), function.getLoc());
    if (failed(type))
      return failure();
    RankedTensorType tensor = cast<launch::BufferType>(buffer.getType()).getTensor();
    type->dims = sizes.getDims(tensor);
    sizes.limitToRoom(tensor);
    // Callers see pairs of floats as one number.
    uint64_t alignment = std::max<uint64_t>(bindingAlignment, format::elementBytes(type->element));
    bool isComplex = function.isComplex(i);
    if (isComplex) {
      type->element = format::complexOf(type->element);
      type->dims.pop_back();
    }
    std::string name = function.getName(i).str();
    if (i < function.getNumArguments()) {
      format::Argument argument;
      argument.name = std::move(name);
      argument.type = *type;
      argument.aliasesResult = static_cast<int32_t>(function.getAlias(i));
      if (view::hasRoom(tensor)) {
        argument.storage = argument.type;
        argument.storage->dims = sizes.getStorageDims(tensor);
        if (isComplex)
          argument.storage->dims.pop_back();
      }
      argument.alignment = alignment;
      if (DenseElementsAttr value = function.getAssumedValue(i)) {
        interp::Tensor elements = interp::Tensor::fromAttr(value);
        argument.assumed.assign(elements.bytes(), elements.bytes() + elements.getBytes());
      }
      entry.arguments.push_back(std::move(argument));
    } else {
      format::Result result;
      result.name = std::move(name);
      result.type = *type;
      if (auto steps = function.getSteps())
        result.step = (*steps)[i - function.getNumArguments()];
      ArrayRef<int64_t> counts = function.getResultCounts()[i - function.getNumArguments()];
      result.counts.assign(counts.begin(), counts.end());
      entry.results.push_back(std::move(result));
    }
  }
  auto [it, isNew] = functions.try_emplace(entry.name, metadata.functions.size());
  if (isNew) {
    metadata.functions.push_back(std::move(entry));
    return &metadata.functions.back();
  }
  format::Function &known = metadata.functions[it->second];
  auto equal = [](const auto &a, const auto &b) {
    return a.name == b.name && areEqual(a.type, b.type);
  };
  auto equalArguments = [&](const format::Argument &a, const format::Argument &b) {
    return equal(a, b) && a.aliasesResult == b.aliasesResult && a.assumed == b.assumed &&
           a.storage.has_value() == b.storage.has_value() &&
           (!a.storage || areEqual(*a.storage, *b.storage));
  };
  if (!llvm::equal(known.arguments, entry.arguments, equalArguments) ||
      !llvm::equal(known.results, entry.results, equal))
    return emitError(function.getLoc(), Code::T0503)
           << "function '" << entry.name << "' has another signature for target "
           << function.getTarget() << " than for " << known.programs.front().target;
  return &known;
}

static format::ProgramBuilder makeBuilder(const CompiledTarget &target) {
  const TargetLimits &limits = target.request->target->limits;
  uint64_t maxSlab = limits.maxSlabBytes == UINT64_MAX ? 0 : limits.maxSlabBytes;
  return format::ProgramBuilder(target.request->target->name.str(), maxSlab,
                                static_cast<uint32_t>(limits.offsetAlignment));
}

/// A constant that the initializer writes into, named after the kernel that does.
FailureOr<uint32_t> ModuleWriter::addDerived(Value reserve, const CompiledTarget &target) {
  auto type = cast<launch::BufferType>(reserve.getType());
  FailureOr<format::TensorType> tensor = getType(type.getTensor(), reserve.getLoc());
  if (failed(tensor))
    return failure();
  format::Constant entry;
  entry.name = "derived";
  for (Operation *user : reserve.getUsers())
    if (auto launch = dyn_cast<launch::LaunchOp>(user);
        launch && llvm::is_contained(launch.getWrites(), reserve))
      entry.name = launch.getKernel().str();
  entry.type = *tensor;
  entry.storage = format::Storage::Derived;
  entry.length = type.getBytes();
  entry.alignment =
      std::max<uint64_t>({64, bindingAlignment, target.request->target->limits.offsetAlignment});
  metadata.constants.push_back(std::move(entry));
  return metadata.constants.size() - 1;
}

LogicalResult ModuleWriter::addInitializer(Operation *op, const CompiledTarget &target,
                                           const Symbols &symbols, Buffers &buffers,
                                           format::ProgramBuilder &program,
                                           TargetReport *targetReport) {
  auto initialize = cast<launch::InitializeOp>(op);
  Block &body = initialize.getBody().front();
  format::ProgramBuilder initializer = makeBuilder(target);
  Buffers inside;
  for (auto [derived, reserve] :
       llvm::zip(initialize.getDerived(), body.getTerminator()->getOperands())) {
    FailureOr<uint32_t> constant = addDerived(reserve, target);
    if (failed(constant))
      return failure();
    inside.try_emplace(reserve, initializer.bindConstant(*constant));
    buffers.try_emplace(derived, program.bindConstant(*constant));
    if (targetReport)
      targetReport->derivedBytes += metadata.constants[*constant].length;
  }
  TargetReport counted;
  if (failed(addCommands(body, target, symbols, inside, initializer, &counted)))
    return failure();
  format::ArenaReport arena;
  program.setInitializer(initializer.finish(&arena));
  if (targetReport) {
    targetReport->initializerLaunches += counted.launches;
    targetReport->initializerArenaBytes =
        std::max<int64_t>(targetReport->initializerArenaBytes, arena.totalBytes);
  }
  return success();
}

/// Binds what a launch reads from a byte on: the rest of the buffer.
static LogicalResult addOffsets(launch::LaunchOp launch, int64_t alignment,
                                MutableArrayRef<format::BufferRef> bindings,
                                format::ProgramBuilder &program) {
  auto offsets = launch.getOffsets();
  if (!offsets)
    return success();
  for (auto [offset, buffer, binding] : llvm::zip_first(*offsets, launch.getReads(), bindings)) {
    if (offset % alignment != 0)
      return emitError(launch.getLoc(), Code::T0503)
             << "kernel '" << launch.getKernel() << "' reads from byte " << offset
             << " of a buffer on, which is no multiple of " << alignment;
    int64_t rest = cast<launch::BufferType>(buffer.getType()).getBytes() - offset;
    if (offset != 0)
      binding = program.slice(binding, program.constant(offset), program.constant(rest));
  }
  return success();
}

/// With the sizes that the kernel takes, and as many programs as they make.
void ModuleWriter::addLaunch(uint32_t kernel, ArrayRef<format::BufferRef> bindings,
                             SizeWriter *sizes, format::ProgramBuilder &program) {
  const KernelSizes &own = kernelSizes[kernel];
  if (own.scalars.empty())
    return program.launch(kernel, {programs[kernel], 1, 1}, bindings);
  SmallVector<format::RegisterRef> scalars;
  for (const Dim &dim : own.scalars)
    scalars.push_back(sizes->get(dim, program));
  format::RegisterRef one = program.constant(1);
  format::RegisterRef count =
      own.grid.empty() ? program.constant(programs[kernel]) : sizes->getPrograms(own, program);
  program.launch(kernel, {count, one, one}, bindings, scalars);
}

/// The symbols of the function, which are the same ones in the program of every target.
static LogicalResult giveSymbols(format::Function &function, const SizeWriter &sizes,
                                 Location location) {
  if (function.programs.empty()) {
    function.symbols = sizes.list();
    return success();
  }
  auto equal = [](const format::Symbol &a, const format::Symbol &b) {
    return a.name == b.name && a.min == b.min && a.max == b.max && a.multiple == b.multiple &&
           a.equation == b.equation && a.a == b.a && a.b == b.b && a.literal == b.literal;
  };
  if (llvm::equal(function.symbols, sizes.list(), equal))
    return success();
  return emitError(location, Code::T0503)
         << "function '" << function.name << "' has other sizes for one target than for another";
}

static int64_t countBytes(TypeRange buffers) {
  int64_t bytes = 0;
  for (Type buffer : buffers)
    bytes += cast<launch::BufferType>(buffer).getBytes();
  return bytes;
}

LogicalResult ModuleWriter::addCommands(Block &block, const CompiledTarget &target,
                                        const Symbols &symbols, Buffers &buffers,
                                        format::ProgramBuilder &program,
                                        TargetReport *targetReport) {
  uint32_t alignment = static_cast<uint32_t>(target.request->target->limits.offsetAlignment);
  for (Operation &op : block) {
    if (isa<launch::InitializeOp>(op)) {
      if (failed(addInitializer(&op, target, symbols, buffers, program, targetReport)))
        return failure();
      if (targetReport)
        targetReport->leastBytes += countBytes(op.getResultTypes());
      continue;
    }
    program.setLocation(addLocation(op.getLoc()));
    if (auto constant = dyn_cast<launch::GetConstantOp>(op)) {
      if (targetReport)
        targetReport->leastBytes += countBytes(constant->getResultTypes());
      buffers.try_emplace(constant.getResult(),
                          program.bindConstant(symbols.constants.at(constant.getConstant())));
    } else if (auto reserve = dyn_cast<launch::ReserveOp>(op)) {
      if (buffers.contains(reserve.getResult()))
        continue;
      std::optional<format::Placement> place;
      if (auto offset = reserve.getOffset())
        place = {static_cast<uint32_t>(reserve.getSlab().value_or(0)), *offset};
      buffers.try_emplace(
          reserve.getResult(),
          view::hasSymbols(reserve.getType().getTensor())
              ? program.reserve(getReservedBytes(reserve, symbols.sizes, program), alignment)
              : program.reserve(uint64_t(reserve.getType().getBytes()), alignment, place));
    } else if (auto launch = dyn_cast<launch::LaunchOp>(op)) {
      SmallVector<format::BufferRef> bindings;
      for (Value buffer : op.getOperands())
        bindings.push_back(buffers.at(buffer));
      if (failed(addOffsets(launch, alignment, bindings, program)))
        return failure();
      uint32_t kernel = symbols.kernels.at(launch.getKernel());
      addLaunch(kernel, bindings, symbols.sizes, program);
      if (targetReport) {
        int64_t runs = countRuns(&op);
        targetReport->launches += runs;
        targetReport->movedBytes += runs * countBytes(op.getOperandTypes());
        for (KernelReport &row : targetReport->kernels)
          if (row.name == launch.getKernel())
            row.launches += runs;
      }
    } else if (auto copy = dyn_cast<launch::CopyOp>(op)) {
      program.copy(buffers.at(copy.getDestination()), buffers.at(copy.getSource()));
    } else if (failed(addControl(&op, target, symbols, buffers, program, targetReport))) {
      return failure();
    }
  }
  return success();
}

LogicalResult ModuleWriter::addFunction(Operation *op, const CompiledTarget &target,
                                        const Symbols &symbols, TargetReport *targetReport) {
  auto function = cast<launch::FuncOp>(op);
  SizeWriter sizes(function->getAttrOfType<DictionaryAttr>("tgraph.symbols"));
  SmallVector<RankedTensorType> signature =
      llvm::map_to_vector(function.getBufferTypes().getAsValueRange<TypeAttr>(),
                          [](Type type) { return cast<launch::BufferType>(type).getTensor(); });
  sizes.settle(ArrayRef(signature).take_front(function.getNumArguments()));
  FailureOr<format::Function *> entry = getFunction(op, sizes);
  if (failed(entry))
    return failure();
  Symbols known = symbols;
  known.sizes = &sizes;
  rotatedBytes.clear();
  format::ProgramBuilder program = makeBuilder(target);
  for (auto [found, made] : sizes.getChecks())
    program.check(found, made);
  Buffers buffers;
  for (unsigned i = 0, arguments = function.getNumArguments(); i < function.getBufferTypes().size();
       ++i)
    buffers.try_emplace(function.getBody().getArgument(i), i < arguments
                                                               ? program.bindArgument(i)
                                                               : program.bindResult(i - arguments));
  if (failed(
          addCommands(function.getBody().front(), target, known, buffers, program, targetReport)))
    return failure();
  if (const format::Symbol *symbol = sizes.findUnsettled())
    return emitError(function.getLoc(), Code::T0503)
           << "symbol '" << symbol->name << "' of function '" << function.getSymName()
           << "' is settled by no argument: expected one with a dimension of that size, or of one "
              "that it follows from by subtraction and division; give its size when compiling "
              "(--symbol="
           << symbol->name << "=SIZE)";
  sizes.markLate(signature);
  if (failed(giveSymbols(**entry, sizes, function.getLoc())))
    return failure();
  format::ArenaReport arena;
  (*entry)->programs.push_back(program.finish(&arena));
  if (targetReport) {
    targetReport->leastBytes += countBytes(function.getBody().front().getArgumentTypes());
    targetReport->arenaBytes = std::max<int64_t>(
        targetReport->arenaBytes, function.getArenaBytes().value_or(int64_t(arena.totalBytes)));
    targetReport->liveBytes = std::max<int64_t>(
        targetReport->liveBytes, function.getLiveBytes().value_or(int64_t(arena.peakLiveBytes)));
  }
  return success();
}
