// Loads and stores of flat buffers, as elements or as vectors, and the vectors themselves.
#include "Printer.h"

#include "tw/Support/Diagnostics.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tw::cprinter;

Buffer KernelPrinter::describe(BlockArgument memory, StringRef name) {
  auto type = cast<MemRefType>(memory.getType());
  Buffer buffer{name.str(), type, false, 0};
  unsigned elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (Operation *user : memory.getUsers()) {
    buffer.isWritten |= isa<memref::StoreOp, vector::StoreOp, vector::MaskedStoreOp>(user);
    VectorType vector;
    if (auto load = dyn_cast<vector::LoadOp>(user))
      vector = load.getVectorType();
    else if (auto store = dyn_cast<vector::StoreOp>(user))
      vector = store.getVectorType();
    if (vector)
      buffer.vectorBytes =
          std::max<unsigned>(buffer.vectorBytes, vector.getNumElements() * elementBytes);
  }
  seenF64 |= type.getElementType().isF64();
  buffers[memory] = buffer;
  values[memory] = {buffer.name};
  return buffer;
}

FailureOr<Access> KernelPrinter::getAccess(Operation *op, Value memory, ValueRange indices,
                                           Type type, std::string &index) {
  auto buffer = buffers.find(memory);
  if (buffer == buffers.end() || indices.size() != 1)
    return refuse(op, "expected one index into a buffer of the kernel");
  if (failed(getType(type, op)))
    return failure();
  Expression position = read(indices.front(), /*isSigned=*/false, /*isTyped=*/false);
  // Vectors are reached through a sum.
  index = isa<VectorType>(type) ? bind(position, Precedence::Sum) : position.text;
  Access access;
  access.buffer = buffer->second.name;
  access.index = index;
  access.type = type;
  access.isLocal =
      gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(cast<MemRefType>(memory.getType()));
  access.isConstant = !buffer->second.isWritten;
  access.isAligned = false;
  return access;
}

LogicalResult KernelPrinter::printMemory(Operation &op) {
  std::string index;
  auto alignment = op.getAttrOfType<IntegerAttr>("alignment");
  auto isAligned = [&](VectorType type) {
    return alignment &&
           alignment.getInt() * 8 >= type.getNumElements() * int64_t(type.getElementTypeBitWidth());
  };
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    FailureOr<Access> access =
        getAccess(&op, load.getMemRef(), load.getIndices(), load.getType(), index);
    return failed(access) ? failure() : defineNamed(&op, language.spellAccess(*access));
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    FailureOr<Access> access = getAccess(&op, store.getMemRef(), store.getIndices(),
                                         store.getValueToStore().getType(), index);
    if (failed(access))
      return failure();
    std::string value = read(store.getValueToStore(), false, false).text;
    line(language.spellAccess(*access).text + " = " + value + ";");
    return success();
  }
  if (!language.spellVectorStore)
    return refuse(&op);
  if (auto load = dyn_cast<vector::LoadOp>(op)) {
    FailureOr<Access> access =
        getAccess(&op, load.getBase(), load.getIndices(), load.getVectorType(), index);
    if (failed(access))
      return failure();
    access->isAligned = isAligned(load.getVectorType());
    return defineNamed(&op, language.spellAccess(*access));
  }
  auto store = cast<vector::StoreOp>(op);
  FailureOr<Access> access =
      getAccess(&op, store.getBase(), store.getIndices(), store.getVectorType(), index);
  if (failed(access))
    return failure();
  access->isAligned = isAligned(store.getVectorType());
  line(language.spellVectorStore(*access, get(store.getValueToStore()).text));
  return success();
}

/// Calls of functions in front of the kernels. What a vector reaches beyond its mask may be read
/// where it lies in the buffer, all of which is there unless a call settles sizes.
LogicalResult KernelPrinter::printMasked(Operation &op, Value memory, Value index, Value mask,
                                         Value value) {
  std::string position;
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type || !language.defineMasked)
    return refuse(&op);
  FailureOr<Access> access = getAccess(&op, memory, index, type, position);
  if (failed(access) || failed(getType(mask.getType(), &op)))
    return failure();
  bool isStore = op.getNumResults() == 0;
  std::string name = language.nameMasked(type, access->isLocal, isStore);
  helpers.insert({name, language.defineMasked(type, access->isLocal, isStore)});
  std::string text = name + "(" + access->buffer.str() + ", " + position + ", ";
  if (!isStore) {
    bool isSized = !llvm::all_of(kernel.getArgumentTypes(), llvm::IsaPred<MemRefType>);
    int64_t size = isSized ? 0 : cast<MemRefType>(memory.getType()).getNumElements();
    text += std::to_string(std::max<int64_t>(0, size - type.getNumElements() + 1)) + ", ";
  }
  text += get(mask).text + ", " + get(value).text + ")";
  if (!isStore)
    return defineNamed(&op, {text});
  line(text + ";");
  return success();
}

/// The elements of two vectors with these names, in parts that are elements of one of them.
std::string KernelPrinter::joinParts(VectorType type, Value first, Value second,
                                     ArrayRef<int64_t> mask, ArrayRef<std::string> names) {
  int64_t lanes = cast<VectorType>(first.getType()).getNumElements(), count = mask.size();
  // What nobody reads may be any element.
  auto source = [&](int64_t i) { return mask[i] >= 0 ? mask[i] : i % lanes; };
  SmallVector<std::string> parts;
  for (int64_t i = 0; i < count;) {
    bool isFirst = source(i) < lanes;
    int64_t end = i;
    while (end < count && (source(end) < lanes) == isFirst)
      ++end;
    int64_t width = llvm::bit_floor(uint64_t(end - i));
    SmallVector<int64_t> positions;
    for (int64_t j = i; j < i + width; ++j)
      positions.push_back(source(j) - (isFirst ? 0 : lanes));
    parts.push_back(language.spellElements(names[isFirst ? 0 : 1], positions));
    i += width;
  }
  return parts.size() == 1 ? parts.front() : language.joinVectors(type, parts);
}

/// A long choice of elements is a function in front of the kernels, one for all that choose alike.
LogicalResult KernelPrinter::printShuffle(Operation &op, Value first, Value second,
                                          ArrayRef<int64_t> mask) {
  constexpr size_t longest = 48;
  auto type = cast<VectorType>(op.getResult(0).getType());
  if (!language.defineJoin || failed(getType(type, &op)))
    return refuse(&op);
  std::string joined = joinParts(type, first, second, mask, {"a", "b"});
  std::string names[] = {bind(get(first), Precedence::Primary),
                         bind(get(second), Precedence::Primary)};
  if (joined.size() <= longest)
    return define(&op, {joinParts(type, first, second, mask, names)});
  constexpr StringLiteral stem = "join_lanes_";
  std::string name;
  for (unsigned i = 1; name.empty(); ++i) {
    std::string candidate = stem.str() + std::to_string(i);
    std::string text =
        language.defineJoin(candidate, type, first.getType(), second.getType(), joined);
    auto [known, isNew] = helpers.insert({candidate, text});
    if (isNew || known->second == text)
      name = candidate;
  }
  return define(&op, {name + "(" + get(first).text + ", " + get(second).text + ")"});
}

/// A truth value as an element of a vector.
std::string KernelPrinter::spellTruth(Value condition) {
  return "(" +
         llvm::formatv(language.select.data(), bind(get(condition), Precedence::Or), "-1", "0")
             .str() +
         ")";
}

LogicalResult KernelPrinter::printVector(Operation &op) {
  if (auto reduction = dyn_cast<vector::ReductionOp>(op)) {
    bool isAll = reduction.getKind() == vector::CombiningKind::AND;
    bool isAny = reduction.getKind() == vector::CombiningKind::OR;
    if (!reduction.getSourceVectorType().getElementType().isInteger(1) || reduction.getAcc() ||
        !(isAll || isAny) || language.all.empty())
      return refuse(&op);
    StringRef word = isAll ? language.all : language.any;
    return define(&op, {(word + "(" + get(reduction.getVector()).text + ")").str()});
  }
  if (auto cast = dyn_cast<vector::BitCastOp>(op)) {
    if (failed(getType(cast.getType(), &op)))
      return failure();
    return define(&op, reinterpret(cast.getType(), /*isSigned=*/false, get(cast.getSource())));
  }
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    if (extract.getStaticPosition().size() != 1 || extract.hasDynamicPosition())
      return refuse(&op, "expected one static position");
    std::string vector = bind(get(extract.getSource()), Precedence::Primary);
    std::string element = language.spellElement(vector, extract.getStaticPosition().front());
    if (extract.getType().isInteger(1))
      return define(&op, {element + " != 0", Precedence::Equality});
    return define(&op, {element});
  }
  auto type = dyn_cast<VectorType>(op.getResult(0).getType());
  if (!type || failed(getType(type, &op)))
    return failure();
  auto spell = [&](Value element) {
    return element.getType().isInteger(1) ? spellTruth(element) : get(element).text;
  };
  SmallVector<std::string> elements;
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    if (isa<VectorType>(broadcast.getSource().getType()))
      return refuse(&op, "expected a scalar");
    elements.assign(type.getNumElements(), spell(broadcast.getSource()));
  }
  if (isa<vector::FromElementsOp>(op))
    for (Value element : op.getOperands())
      elements.push_back(spell(element));
  return define(&op, {language.spellVector(type, elements)});
}
