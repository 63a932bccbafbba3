// Names of variables: after the source where it has one, else after what a value is.
#include "Printer.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tw::cprinter;

namespace {

/// The innermost name of a location, if it makes an identifier.
StringRef getSourceName(Location location) {
  StringRef name;
  location->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part); named && name.empty())
      name = named.getName();
    return WalkResult::advance();
  });
  bool isIdentifier = !name.empty() && name.size() <= 24 && llvm::isAlpha(name.front()) &&
                      llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  return isIdentifier ? name : StringRef();
}

} // namespace

/// `stem` if it is free and does not end in a digit, else the stem and a number.
std::string KernelPrinter::makeName(StringRef stem) {
  std::string base = stem.str();
  if (llvm::isDigit(base.back()))
    base += '_';
  else if (names.insert(base).second)
    return base;
  while (true) {
    std::string name = base + std::to_string(++counters[base]);
    if (names.insert(name).second)
      return name;
  }
}

StringRef KernelPrinter::getStem(Value value) {
  if (Operation *op = value.getDefiningOp()) {
    if (isa<gpu::ThreadIdOp>(op))
      return "thread";
    if (auto id = dyn_cast<gpu::BlockIdOp>(op))
      return id.getDimension() == gpu::Dimension::z ? "part" : "group";
    if (isa<gpu::BlockDimOp>(op))
      return "size";
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return buffers.find(load.getMemRef())->second.name;
    if (auto load = dyn_cast<vector::LoadOp>(op))
      return buffers.find(load.getBase())->second.name;
    if (auto load = dyn_cast<vector::MaskedLoadOp>(op))
      return buffers.find(load.getBase())->second.name;
  }
  Type type = value.getType();
  if (StringRef name = getSourceName(value.getLoc());
      !name.empty() && !type.isIndex() && !type.isInteger(1))
    return name;
  if (isa<VectorType>(type))
    return "v";
  if (isa<FloatType>(type))
    return "x";
  if (type.isInteger(1))
    return "is";
  return type.isIndex() ? "i" : "n";
}

std::string KernelPrinter::makeName(Value value) { return makeName(getStem(value)); }
