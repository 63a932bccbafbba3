// Values of a machine's numbers as text.
#include "tw/Support/Traits.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tw;

/// Every integer is below it, so that products of two fit.
static constexpr int64_t limit = int64_t(1) << 40;

bool tw::parseTrait(StringRef text, bool &value) {
  value = text == "true";
  return value || text == "false";
}

bool tw::parseTrait(StringRef text, int64_t &value) {
  return !text.getAsInteger(10, value) && value > 0 && value <= limit;
}

bool tw::parseTrait(StringRef text, double &value) {
  return !text.getAsDouble(value) && std::isfinite(value) && value > 0;
}

StringRef tw::describeTrait(bool) { return "true or false"; }
StringRef tw::describeTrait(int64_t) { return "a positive integer"; }
StringRef tw::describeTrait(double) { return "a positive number"; }

std::string tw::printTrait(bool value) { return value ? "true" : "false"; }
std::string tw::printTrait(int64_t value) { return std::to_string(value); }
std::string tw::printTrait(double value) {
  std::string text;
  raw_string_ostream(text) << format("%g", value);
  return text;
}

bool tw::forEachSetting(StringRef text, std::string &error,
                        llvm::function_ref<bool(StringRef, StringRef)> set) {
  SmallVector<StringRef> entries;
  text.split(entries, ',', -1, /*KeepEmpty=*/false);
  for (StringRef entry : entries) {
    auto [name, value] = entry.split('=');
    if (value.empty()) {
      error = "expected NAME=VALUE, found '" + entry.str() + "'";
      return false;
    }
    if (!set(name, value))
      return false;
  }
  return true;
}
