// What is read from a PTX text or an object: its chip and the names of its kernels.
#include "Library.h"

#include <cstring>
#include <elf.h>

using namespace tw::emulator;

int tw::emulator::readPtx(const char *text, int capability, std::set<std::string> &names,
                          std::string &log) {
  const char *version = strstr(text, ".version "), *target = strstr(text, ".target sm_");
  if (!version || !target) {
    log = "ptxas application ptx input, line 1; fatal   : Missing .version directive";
    return InvalidPtx;
  }
  if (strstr(text, "syntax error")) {
    log = "ptxas application ptx input, line 7; error   : Parsing error near 'error'";
    return InvalidPtx;
  }
  int wanted = atoi(target + strlen(".target sm_"));
  size_t digits = strspn(target + strlen(".target sm_"), "0123456789");
  bool exact = target[strlen(".target sm_") + digits] == 'a';
  if (exact ? wanted != capability : wanted > capability) {
    log = "ptxas fatal   : SM version specified by .target is higher than default";
    return NoBinaryForGpu;
  }
  for (const char *at = text; (at = strstr(at, ".entry "));) {
    at += strlen(".entry ");
    names.insert(std::string(at, strcspn(at, "( \t\n")));
  }
  return Success;
}

int tw::emulator::readObject(const void *image, const Device &device,
                             std::set<std::string> &names) {
  Elf64_Ehdr header;
  memcpy(&header, image, sizeof(header));
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return InvalidImage;
  std::string bytes(static_cast<const char *>(image),
                    header.e_shoff + uint64_t(header.e_shnum) * header.e_shentsize);
  if (device.capability) {
    // A cubin runs on its major version, from its minor version on.
    int chip = int(header.e_flags & 0xff);
    if (chip / 10 != device.capability / 10 || chip > device.capability)
      return NoBinaryForGpu;
  } else {
    std::string chip = device.architecture;
    chip = "amdgcn-amd-amdhsa--" + chip.substr(0, chip.find(':'));
    if (bytes.find(chip) == std::string::npos)
      return NoBinaryForGpu;
  }
  for (size_t at = 0; at < bytes.size();) {
    std::string word = bytes.c_str() + at;
    if (word.starts_with(".text."))
      names.insert(word.substr(6));
    if (word.ends_with(".kd"))
      names.insert(word.substr(0, word.size() - 3));
    at += word.size() + 1;
  }
  return Success;
}
