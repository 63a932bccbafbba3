// The table of error codes and its look-ups.
#include "tw/Support/Diagnostics.h"

using namespace tw;

static constexpr CodeInfo table[] = {
#define TW_ERROR(code, name, text) {Code::code, #code, name, text},
#include "tw/Support/ErrorCodes.def"
};

llvm::ArrayRef<CodeInfo> tw::allCodes() { return table; }

const CodeInfo &tw::codeInfo(Code code) { return table[static_cast<size_t>(code)]; }

std::optional<Code> tw::findCode(llvm::StringRef idOrName) {
  for (const CodeInfo &info : table)
    if (info.id.equals_insensitive(idOrName) || info.name == idOrName)
      return info.code;
  return std::nullopt;
}

std::optional<Code> tw::takeCode(llvm::StringRef &message) {
  size_t open = message.rfind(" [");
  if (open == llvm::StringRef::npos || !message.ends_with("]"))
    return std::nullopt;
  std::optional<Code> code = findCode(message.slice(open + 2, message.size() - 1));
  if (code)
    message = message.take_front(open);
  return code;
}

std::string tw::withCode(const llvm::Twine &message, Code code) {
  return (message + " [" + codeInfo(code).id + "]").str();
}
