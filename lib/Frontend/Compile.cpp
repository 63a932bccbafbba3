// From a module of the front end to the bytes of a module file.
#include "State.h"

#include "tw/Pipeline/Compiler.h"

using namespace tw::fe;
namespace fe = tw::fe;

std::optional<Bytes> fe::compile(Module &module, const Options &options) {
  detail::ModuleState &state = detail::Access::state(module);
  if (state.failed)
    return std::nullopt;
  mlir::Location location = state.module->getLoc();
  auto fail = [&]() {
    state.failed = true;
    return std::nullopt;
  };
  for (auto &function : state.functions)
    if (!function->returned) {
      tw::emitError(location, Code::T0208)
          << "function '" << function->op.getSymName() << "' has not returned";
      return fail();
    }
  tw::CompileOptions compileOptions;
  compileOptions.target = options.target;
  SmallVector<StringRef> words;
  StringRef(options.options).split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    std::string error;
    if (!tw::setOption(compileOptions, word, error)) {
      tw::emitError(location, Code::T0506) << error;
      return fail();
    }
  }
  // Compiling consumes what it is given.
  mlir::OwningOpRef<mlir::ModuleOp> program = state.module->clone();
  tw::FileResolver files(options.weights.empty() ? "." : options.weights);
  mlir::FailureOr<std::vector<uint8_t>> bytes = tw::compile(*program, files, compileOptions);
  if (mlir::failed(bytes))
    return fail();
  return std::move(*bytes);
}
