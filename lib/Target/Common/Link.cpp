// Runs lld in this process, one link at a time.
#include "tw/Target/Common/Link.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace llvm;

LLD_HAS_DRIVER(elf)

namespace tw::codegen {

PrivateFolder::PrivateFolder(std::string &error) {
  if (std::error_code code = sys::fs::createUniqueDirectory("tensorwright-link", path)) {
    error = "cannot make a temporary folder: " + code.message();
    path.clear();
  }
}

PrivateFolder::~PrivateFolder() {
  if (!path.empty())
    sys::fs::remove_directories(path);
}

std::string PrivateFolder::file(StringRef name) const {
  SmallString<128> full(path);
  sys::path::append(full, name);
  return full.str().str();
}

bool writeFile(const std::string &path, StringRef content, std::string &error) {
  std::error_code code;
  raw_fd_ostream stream(path, code, sys::fs::OF_None);
  if (!code) {
    stream << content;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  if (code)
    error = "cannot write '" + path + "': " + code.message();
  return !code;
}

bool runLinker(ArrayRef<const char *> arguments, std::string &error) {
  static std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  std::string output;
  raw_string_ostream stream(output);
  lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return true;
  error = "the linker failed: " + StringRef(output).trim().str();
  return false;
}

} // namespace tw::codegen
