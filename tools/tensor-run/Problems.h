// Collects errors, so that all of one kind are reported together.
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
    lines.push_back("error: " + message + " [" + std::string(code) + "]");
  }
  /// An error of the runtime, with the code for its kind.
  void add(const TwrtError &error) {
    const char *code = error.code == TWRT_INVALID_MODULE                                ? "T0609"
                       : error.code == TWRT_IO_ERROR                                    ? "T0603"
                       : error.code == TWRT_NOT_FOUND || error.code == TWRT_UNSUPPORTED ? "T0608"
                                                                                        : "T0610";
    add(code, error.message);
  }
  /// A diagnostic that has been put to text elsewhere.
  void addText(std::string line) { lines.push_back(std::move(line)); }
  bool any() const { return !lines.empty(); }
  /// Writes all to stderr and forgets them.
  void print();

private:
  std::vector<std::string> lines;
};

} // namespace tw::run
