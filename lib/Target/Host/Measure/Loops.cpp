// The code of the timed loops in memory of this process.
#include "Loops.h"
#include "LoopWriter.h"

#include "tw/Target/Host/Image.h"
#include "tw/Target/Host/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include <cstring>
#include <sys/mman.h>

using namespace mlir;
using namespace tw::host;
using namespace tw::host::measure;

namespace {

class LoadedLoops : public Loops {
public:
  LoadedLoops(Image &&made, int64_t independent) : image(std::move(made)) {
    count = independent;
    void *place = mmap(nullptr, image.bytes.size(), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED)
      return;
    base = static_cast<uint8_t *>(place);
    std::memcpy(base, image.bytes.data(), image.bytes.size());
    if (mprotect(base, image.bytes.size(), PROT_READ | PROT_EXEC) != 0)
      return;
    __builtin___clear_cache(reinterpret_cast<char *>(base),
                            reinterpret_cast<char *>(base + image.bytes.size()));
    for (const ImageEntry &entry : image.entries)
      loops[entry.name] = reinterpret_cast<Loop *>(base + entry.offset);
  }
  ~LoadedLoops() override {
    if (base)
      munmap(base, image.bytes.size());
  }

private:
  Image image;
  uint8_t *base = nullptr;
};

} // namespace

Loop *Loops::find(llvm::StringRef name) const {
  auto found = loops.find(name);
  return found == loops.end() ? nullptr : found->second;
}

std::unique_ptr<Loops> Loops::create(const Description &machine, std::string &error) {
  DialectRegistry registry;
  registry.insert<LLVM::LLVMDialect, arith::ArithDialect, vector::VectorDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  ScopedDiagnosticHandler handler(&context,
                                  [&](Diagnostic &diagnostic) { error = diagnostic.str(); });
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  std::vector<std::string> names = writeLoops(*module, machine);
  PassManager passes(&context);
  passes.addPass(createHostToLLVMPass());
  if (failed(passes.run(*module)))
    return nullptr;
  FailureOr<Image> image = compileToImage(*module, names, {"native", 2});
  if (failed(image))
    return nullptr;
  auto loaded = std::make_unique<LoadedLoops>(std::move(*image), countIndependent(machine));
  if (!loaded->find("chain"))
    error = "no memory for code";
  return loaded->find("chain") ? std::move(loaded) : nullptr;
}
