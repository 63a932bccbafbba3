// Command line of tensor-compile.
#pragma once

#include "tw/Pipeline/Compiler.h"

#include <optional>
#include <string>

/// What the command line asks for.
struct Options {
  std::string input, output;
  std::optional<unsigned> to; ///< stop after this stage and print the IR
  bool writesLoops = false;   ///< of that stage's kernels, instead
  bool report = false, reportJson = false, explainText = false;
  bool explainFusion = false;
  tw::CompileOptions compile;
  std::string weights; ///< folder of the files that constants name; empty: the program's
  tw::onnx::ImportOptions import;
};

/// Parses the command line. Answers requests that need no input (--explain, --list-stages,
/// --list-targets, --describe-target) and reports mistakes itself; then `status` is the exit status
/// and the result empty.
std::optional<Options> parseCommandLine(int argc, char **argv, int &status);
