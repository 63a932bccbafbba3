// A kernel's head and comment, and the text of a whole module.
#include "Printer.h"
#include "tw/Target/Common/Gpu.h"

#include "tw/Support/Diagnostics.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tw::cprinter;

KernelPrinter::KernelPrinter(gpu::GPUFuncOp kernel, const Language &language,
                             std::map<std::string, std::string> &helpers)
    : kernel(kernel), language(language), helpers(helpers) {
  for (StringRef word : language.keywords)
    names.insert(word);
  for (const Operator &spelling : language.operators)
    names.insert(spelling.word);
}

/// Where a kernel comes from: "resnet50.onnx:12:3, conv1". File names are without their folder, so
/// that the text is the same everywhere.
static std::string describeLocation(Location location) {
  std::string place, node;
  location->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part); named && node.empty())
      node = named.getName().str();
    if (auto file = dyn_cast<FileLineColLoc>(part); file && place.empty())
      place = llvm::formatv("{0}:{1}:{2}", llvm::sys::path::filename(file.getFilename().strref()),
                            file.getLine(), file.getColumn())
                  .str();
    return WalkResult::advance();
  });
  std::string text = place + (place.empty() || node.empty() ? "" : ", ") + node;
  for (char &c : text)
    if (!llvm::isPrint(c) || c == '\\')
      c = '?';
  return text;
}

LogicalResult KernelPrinter::print(std::string &text) {
  auto group = kernel.getKnownBlockSize();
  if (!group || group->size() != 3)
    return refuse(kernel, "expected known_block_size");
  if (!kernel.getBody().hasOneBlock() || kernel.getNumPrivateAttributions() != 0)
    return refuse(kernel, "expected one block and no private memory");
  auto outputs = kernel->getAttrOfType<IntegerAttr>("tw.num_outputs");
  auto programs = kernel->getAttrOfType<IntegerAttr>("tw.programs");
  // The block's arguments go on with the local memory.
  auto arguments = kernel.getBody().getArguments().take_front(kernel.getNumArguments());
  unsigned numBuffers = llvm::count_if(kernel.getArgumentTypes(), llvm::IsaPred<MemRefType>);
  unsigned firstOutput = numBuffers - (outputs ? unsigned(outputs.getInt()) : 0);

  SmallVector<Buffer> global, local;
  SmallVector<std::string> scalars;
  for (BlockArgument argument : arguments) {
    unsigned i = argument.getArgNumber();
    if (auto type = dyn_cast<MemRefType>(argument.getType())) {
      if (type.getRank() != 1 || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
          language.spellType(type.getElementType()).empty())
        return refuse(kernel, llvm::formatv("buffer {0} is no flat memory: {1}", i, type).str());
      std::string stem = i < firstOutput ? llvm::formatv("in{0}", i).str()
                                         : llvm::formatv("out{0}", i - firstOutput).str();
      names.insert(stem);
      global.push_back(describe(argument, stem));
    } else {
      if (!argument.getType().isIndex() && !argument.getType().isInteger(64))
        return refuse(kernel, llvm::formatv("argument {0} is no 64-bit integer", i).str());
      scalars.push_back(makeName("scalar"));
      values[argument] = {scalars.back()};
    }
  }
  for (BlockArgument argument : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(argument.getType());
    if (type.getRank() != 1 || !type.hasStaticShape() ||
        language.spellType(type.getElementType()).empty())
      return refuse(kernel, llvm::formatv("local memory is not flat: {0}", type).str());
    std::string name = "local" + std::to_string(local.size());
    names.insert(name);
    local.push_back(describe(argument, name));
  }
  needsFullBarrier = llvm::any_of(arguments, [](BlockArgument argument) {
    auto is = [](auto matches) { return [=](Operation *user) { return matches(user); }; };
    return llvm::any_of(
               argument.getUsers(),
               is(llvm::IsaPred<memref::StoreOp, vector::StoreOp, vector::MaskedStoreOp>)) &&
           llvm::any_of(argument.getUsers(),
                        is(llvm::IsaPred<memref::LoadOp, vector::LoadOp, vector::MaskedLoadOp>));
  });

  bool isDivisible = kernel->hasAttr(tw::divisibleAttribute);
  isLone = language.spellLone && !isDivisible && group->front() == 1 &&
           !kernel.walk([](gpu::BarrierOp) { return WalkResult::interrupt(); }).wasInterrupted();
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (failed(printOperation(op)))
      return failure();

  llvm::raw_string_ostream os(text);
  std::string place = describeLocation(kernel.getLoc());
  os << "\n" << language.comment << " " << kernel.getName();
  if (!place.empty())
    os << " from " << place;
  os << "\n" << language.comment << "   groups of " << group->front();
  if (isDivisible)
    os << " or a divisor";
  if (programs)
    os << ", " << programs.getInt() << (programs.getInt() == 1 ? " program" : " programs");
  os << "\n";
  for (const Buffer &buffer : global)
    os << language.comment << "   " << buffer.name << ": " << buffer.type.getDimSize(0) << " x "
       << buffer.type.getElementType() << (buffer.isWritten ? ", written" : "") << "\n";
  Signature signature{language.spellSymbol(kernel.getName()), isDivisible ? 0 : group->front(),
                      global, scalars};
  if (isLone) {
    os << language.spellLone(signature, local, ids, body);
    return success();
  }
  os << language.spellHead(signature);
  for (const Buffer &buffer : local)
    os << "  " << language.spellLocal(buffer) << "\n";
  os << body << "}\n";
  return success();
}

FailureOr<Source> tw::cprinter::print(gpu::GPUModuleOp module, const Language &language) {
  Source source;
  std::map<std::string, std::string> helpers;
  std::string kernels;
  for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
    KernelPrinter printer(kernel, language, helpers);
    if (failed(printer.print(kernels)))
      return failure();
    source.usesF64 |= printer.usesF64();
  }
  source.text = language.spellPreamble(source.usesF64);
  for (auto &[name, definition] : helpers)
    source.text += "\n" + definition + "\n";
  source.text += kernels;
  return source;
}
