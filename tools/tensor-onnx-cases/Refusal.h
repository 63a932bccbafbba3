// What a refusal by the compiler says: code, node, op, and what would be needed.
#pragma once

#include "tw-c/Compiler.h"

#include "llvm/Support/JSON.h"

#include <string>

/// The first error that the compiler reports, with the notes that follow it.
struct Report {
  std::string code, node, message, remedy, notes;
  bool closed = false;

  static void handle(void *user, const TwcDiagnostic *diagnostic);
};

/// The answer for a model that the compiler refused: "diagnostic" with `code`, `node`, `op`, `need`
/// and `message`; "mismatch" for a refusal that lacks one of them. Where the error names an input
/// or nothing, the node is the first that reads the input, or the first of all.
llvm::json::Object refusal(const Report &report, const std::string &model);
