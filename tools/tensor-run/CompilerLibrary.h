// The compiler, opened only when something must be compiled or interpreted.
#pragma once

#include "Problems.h"
#include "Progress.h"
#include "tw-c/Compiler.h"

#include <memory>

namespace tw::run {

/// Where the compiler's library is: TENSORWRIGHT_LIBRARY, else beside this tool, else empty.
std::string findCompilerLibrary();

/// The build id in a library's ELF note as hexadecimal digits, else its size and time of change:
/// what tells one build of the compiler from another. Empty if the file cannot be read.
std::string readBuildId(const std::string &path);

/// An opened compiler and a context of it. Diagnostics become problems.
class CompilerLibrary {
public:
  /// NULL with the reason in `problems`.
  static std::unique_ptr<CompilerLibrary> open(const std::string &path, Problems &problems);
  ~CompilerLibrary();

  /// The bytes of a module; empty on failure.
  struct BlobRelease {
    const TwcApi *api;
    void operator()(TwcBlob *blob) const { api->blobRelease(blob); }
  };
  using Blob = std::unique_ptr<TwcBlob, BlobRelease>;
  /// `import` is that of TwcInput. Warnings are problems too.
  Blob compile(const std::string &input, const std::string &import, const std::string &target,
               const std::string &device, const std::string &options, Progress &progress,
               Problems &problems);

  /// Runs the model in the interpreter. What compile has warned of is not said again.
  bool interpret(const std::string &input, const std::string &import,
                 const std::vector<TwcTensor> &arguments, std::vector<TwcTensor> &results,
                 Problems &problems);

  /// Runs one kernel in the interpreter and compares each result.
  bool checkKernel(const TwcKernelRun &run, std::vector<TwcKernelCheck> &checks,
                   Problems &problems);

  const TwcApi &api() const { return *functions; }

private:
  explicit CompilerLibrary(const TwcApi *functions) : functions(functions) {}

  const TwcApi *functions;
  TwcContext *context = nullptr;
};

} // namespace tw::run
