// Collects what is to be told, so that all errors of one kind are reported together.
#pragma once

#include "twrt/twrt.h"

#include <string>
#include <string_view>
#include <vector>

namespace tw::run {

class Problems {
public:
  /// `message` is lower case without a full stop; `code` is in ErrorCodes.def.
  void add(std::string_view code, const std::string &message) {
    addText("error: " + message + " [" + std::string(code) + "]");
  }
  /// An error of the runtime, with the code for its kind.
  void add(const TwrtError &error) {
    const char *code = error.code == TWRT_INVALID_MODULE                                ? "T0609"
                       : error.code == TWRT_IO_ERROR                                    ? "T0603"
                       : error.code == TWRT_NOT_FOUND || error.code == TWRT_UNSUPPORTED ? "T0608"
                                                                                        : "T0610";
    add(code, error.message);
  }
  /// A diagnostic that has been put to text elsewhere: "error: ...", "warning: ..." or "note: ...".
  void addText(std::string line) {
    errors += line.starts_with("error: ");
    lines.push_back(std::move(line));
  }
  void addAll(const Problems &other) {
    for (const std::string &line : other.lines)
      addText(line);
  }
  /// Whether there are errors, told already or not. Warnings and notes let a run go on.
  bool any() const { return errors > 0; }
  /// What has not been told yet.
  const std::vector<std::string> &texts() const { return lines; }
  /// Writes to stderr what has not been told yet.
  void print();

private:
  std::vector<std::string> lines;
  size_t errors = 0;
};

} // namespace tw::run
