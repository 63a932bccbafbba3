// Links objects with lld in this process and cuts the flat image out of the linked ELF.
#include "Link.h"

#include "tw/Target/Common/Link.h"

#include "llvm/BinaryFormat/ELF.h"
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
  for (const std::string &kernel : kernels) {
    bool found = false;
    for (const ELFSymbolRef symbol : file.symbols()) {
      if (cantFail(symbol.getName()) != kernel)
        continue;
      image.entries.push_back({.name = kernel, .offset = cantFail(symbol.getAddress())});
      found = true;
      break;
    }
    if (!found) {
      error = "the linked image has no function '" + kernel + "'";
      return false;
    }
  }
  return true;
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
  std::vector<std::string> paths;
  for (auto [i, object] : enumerate(objects)) {
    paths.push_back(folder.file("kernels" + std::to_string(i) + ".o"));
    if (!writeFile(paths.back(), object, error))
      return false;
  }
  SmallVector<const char *> arguments = {"ld.lld", "-T", scriptPath.c_str(), "-o",
                                         outputPath.c_str()};
  for (const std::string &path : paths)
    arguments.push_back(path.c_str());
  arguments.append({"--no-undefined", "--build-id=none", "--entry=0", "--threads=1", "--nostdlib",
                    "--fatal-warnings"});
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
