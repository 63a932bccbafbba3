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
    buffer.isWritten |= isa<memref::StoreOp, vector::StoreOp>(user);
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

LogicalResult KernelPrinter::printVector(Operation &op) {
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    if (extract.getStaticPosition().size() != 1 || extract.hasDynamicPosition())
      return refuse(&op, "expected one static position");
    std::string vector = bind(get(extract.getSource()), Precedence::Primary);
    return define(&op, {language.spellElement(vector, extract.getStaticPosition().front())});
  }
  auto type = dyn_cast<VectorType>(op.getResult(0).getType());
  if (!type || failed(getType(type, &op)))
    return failure();
  SmallVector<std::string> elements;
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    if (isa<VectorType>(broadcast.getSource().getType()))
      return refuse(&op, "expected a scalar");
    elements.assign(type.getNumElements(), get(broadcast.getSource()).text);
  }
  if (isa<vector::FromElementsOp>(op))
    for (Value element : op.getOperands())
      elements.push_back(get(element).text);
  return define(&op, {language.spellVector(type, elements)});
}
