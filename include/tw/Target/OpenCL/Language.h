// OpenCL C as the printer of C-like languages sees it.
#pragma once

#include "tw/Target/Common/CPrinter.h"

namespace tw::opencl {

/// OpenCL C 1.2 with 64-bit integers. A kernel's parameters are, for each buffer, its memory
/// (`__global uchar *`) and a `ulong` offset in bytes, then each scalar as a `long`.
const cprinter::Language &getLanguage();

/// What a kernel is called in the text: builtin functions have taken names such as `exp`.
std::string getSymbol(llvm::StringRef kernel);

} // namespace tw::opencl
