// Collects what is to be told, so that all errors of one kind are reported together.
#pragma once

#include "twrt/twrt.h"

#include <string>
#include <string_view>
#include <vector>

namespace tw::run {

enum class Severity : char { Error, Warning, Note };

/// One thing to be told. Members but for the message may be empty or 0.
struct Problem {
  Severity severity = Severity::Error;
  /// Lower case without a full stop.
  std::string message;
  std::string code; ///< in ErrorCodes.def
  std::string file, node;
  uint32_t line = 0, column = 0;
  std::string remedy;
  /// The line of the file with a caret below the column.
  std::string excerpt;

  bool operator==(const Problem &) const = default;

  /// "model.mlir:3:1: message. remedy [T0106]", then the excerpt.
  std::string text() const;
  /// All members as one text without zeros, and back.
  std::string pack() const;
  static Problem unpack(const std::string &text);
};

const char *nameOf(Severity severity);

class Problems {
public:
  void add(std::string_view code, const std::string &message) {
    Problem problem;
    problem.message = message;
    problem.code = code;
    add(std::move(problem));
  }
  /// An error of the runtime, with the code for its kind.
  void add(const TwrtError &error) {
    const char *code = error.code == TWRT_INVALID_MODULE                                ? "T0609"
                       : error.code == TWRT_IO_ERROR                                    ? "T0603"
                       : error.code == TWRT_NOT_FOUND || error.code == TWRT_UNSUPPORTED ? "T0608"
                                                                                        : "T0610";
    add(code, error.message);
  }
  /// What has been added before is not told again, but for notes, which belong to what they follow.
  void add(Problem problem);
  void addAll(const Problems &other) {
    for (const Problem &problem : other.problems)
      add(problem);
  }
  /// Whether there are errors, told already or not. Warnings and notes let a run go on.
  bool any() const { return errors > 0; }
  const std::vector<Problem> &all() const { return problems; }
  /// Writes to stderr what has not been told yet; errors and warnings in colour on a terminal.
  void print();

private:
  std::vector<Problem> problems;
  size_t told = 0, errors = 0;
};

} // namespace tw::run
