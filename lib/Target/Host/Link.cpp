// Links objects with lld in this process and cuts the flat image out of the linked ELF.
#include "Link.h"

#include "tw/Target/Common/Link.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace llvm;
using namespace llvm::object;
using namespace tw::codegen;

namespace {

constexpr uint64_t textAlignment = 65536;

/// Read-only data, then code at a multiple of 64 KiB (the largest page size of the CPUs we load
/// on), and nothing else. Addresses are offsets into the image.
constexpr StringLiteral linkerScript = R"(SECTIONS {
  . = 0;
  .rodata : { *(.rodata .rodata.* .data.rel.ro*) }
  . = ALIGN(65536);
  .text : { *(.text .text.*) }
  /DISCARD/ : { *(.comment) *(.note*) *(.eh_frame*) *(.llvm_addrsig) }
  .bad : { *(.data .data.* .bss .bss.* .tdata* .tbss* .init_array* .got .got.plt) }
  ASSERT(SIZEOF(.bad) == 0, "writable data in a kernel image")
}
)";

bool cutImage(const ELFObjectFile<ELF64LE> &file, ArrayRef<std::string> kernels,
              tw::host::Image &image, std::string &error) {
  uint64_t end = 0;
  for (const ELFSectionRef section : file.sections()) {
    if (!(section.getFlags() & ELF::SHF_ALLOC) || section.getSize() == 0)
      continue;
    StringRef name = cantFail(section.getName());
    if (name != ".rodata" && name != ".text") {
      error = "section '" + name.str() + "' in a kernel image, expected .rodata and .text";
      return false;
    }
    end = std::max(end, section.getAddress() + section.getSize());
    if (name == ".text")
      image.textOffset = section.getAddress();
  }
  if (image.textOffset % textAlignment != 0) {
    error = "code at " + std::to_string(image.textOffset) + ", expected a multiple of 65536";
    return false;
  }
  image.bytes.assign(end, 0);
  for (const ELFSectionRef section : file.sections()) {
    if (!(section.getFlags() & ELF::SHF_ALLOC) || section.getSize() == 0)
      continue;
    StringRef content = cantFail(section.getContents());
    std::memcpy(image.bytes.data() + section.getAddress(), content.data(), content.size());
  }
  StringMap<uint64_t> addresses;
  for (const ELFSymbolRef symbol : file.symbols())
    addresses.try_emplace(cantFail(symbol.getName()), cantFail(symbol.getAddress()));
  for (const std::string &kernel : kernels) {
    auto found = addresses.find(kernel);
    if (found == addresses.end()) {
      error = "the linked image has no function '" + kernel + "'";
      return false;
    }
    image.entries.push_back({.name = kernel, .offset = found->second});
  }
  return true;
}

/// One file of all objects: a hundred files take as long to make as their link does.
bool writeArchive(const std::string &path, ArrayRef<StringRef> objects, std::string &error) {
  std::vector<std::string> names;
  for (size_t i = 0; i < objects.size(); ++i)
    names.push_back("kernels" + std::to_string(i) + ".o");
  std::vector<NewArchiveMember> members;
  for (auto [name, object] : zip(names, objects))
    members.emplace_back(MemoryBufferRef(object, name));
  auto bytes = writeArchiveToBuffer(members, SymtabWritingMode::NoSymtab, Archive::K_GNU,
                                    /*Deterministic=*/true, /*Thin=*/false);
  if (!bytes) {
    error = "cannot put the objects together: " + toString(bytes.takeError());
    return false;
  }
  return writeFile(path, (*bytes)->getBuffer(), error);
}

} // namespace

bool tw::host::linkFlat(ArrayRef<StringRef> objects, ArrayRef<std::string> kernels, Image &image,
                        std::string &error) {
  PrivateFolder folder(error);
  if (!folder.valid())
    return false;
  std::string scriptPath = folder.file("flat.ld"), outputPath = folder.file("kernels.elf");
  if (!writeFile(scriptPath, linkerScript, error))
    return false;
  std::string archivePath = folder.file("kernels.a");
  if (!writeArchive(archivePath, objects, error))
    return false;
  SmallVector<const char *> arguments = {"ld.lld",
                                         "-T",
                                         scriptPath.c_str(),
                                         "-o",
                                         outputPath.c_str(),
                                         "--whole-archive",
                                         archivePath.c_str(),
                                         "--no-undefined",
                                         "--build-id=none",
                                         "--entry=0",
                                         "--threads=1",
                                         "--nostdlib",
                                         "--fatal-warnings"};
  if (!runLinker(arguments, error))
    return false;
  auto buffer =
      MemoryBuffer::getFile(outputPath, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error = "cannot read the linked image: " + buffer.getError().message();
    return false;
  }
  auto file = ELFObjectFile<ELF64LE>::create((*buffer)->getMemBufferRef());
  if (!file) {
    error = "cannot read the linked image: " + toString(file.takeError());
    return false;
  }
  return cutImage(*file, kernels, image, error);
}
