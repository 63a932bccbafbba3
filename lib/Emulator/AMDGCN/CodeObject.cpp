// Reads code objects: the ELF file, its metadata, and the text that LLVM's disassembler makes of
// it.
#include "CodeObject.h"

#include "llvm-c/Disassembler.h"
#include "llvm-c/Target.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"

#include <bit>
#include <cstring>
#include <elf.h>

using namespace tw::emulator;
using namespace tw::emulator::amdgcn;

namespace {

using Kernels = std::map<std::string, Kernel>;

class Image final : public CodeImage {
public:
  const KernelCode *find(const std::string &name) const override {
    auto found = kernels.find(name);
    return found == kernels.end() ? nullptr : &found->second;
  }
  Kernels kernels;
};

class Reader {
public:
  Reader(const void *image, const std::string &chip, std::string &error)
      : base(static_cast<const uint8_t *>(image)), error(error) {
    chipName = chip;
    memcpy(&header, image, sizeof(header));
  }
  bool read(Kernels &kernels);

private:
  bool fail(const std::string &text) {
    error = text;
    return false;
  }
  /// Where the byte with this address lies in the file.
  const uint8_t *at(uint64_t address) const;
  void readSymbols();
  bool readKernel(llvm::msgpack::MapDocNode &data, Kernels &kernels);
  bool readDescriptor(Kernel &kernel);
  bool disassemble(Kernel &kernel);

  const uint8_t *base;
  std::string &error;
  std::string chipName;
  Elf64_Ehdr header;
  std::map<std::string, Elf64_Sym> symbols;
};

} // namespace

const uint8_t *Reader::at(uint64_t address) const {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    memcpy(&segment, base + header.e_phoff + i * sizeof(segment), sizeof(segment));
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address < segment.p_vaddr + segment.p_filesz)
      return base + segment.p_offset + (address - segment.p_vaddr);
  }
  return nullptr;
}

void Reader::readSymbols() {
  auto section = [&](unsigned i) {
    Elf64_Shdr result;
    memcpy(&result, base + header.e_shoff + i * sizeof(result), sizeof(result));
    return result;
  };
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table = section(i);
    if (table.sh_type != SHT_DYNSYM)
      continue;
    const char *names = reinterpret_cast<const char *>(base + section(table.sh_link).sh_offset);
    for (uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      memcpy(&symbol, base + table.sh_offset + at, sizeof(symbol));
      symbols[names + symbol.st_name] = symbol;
    }
  }
}

/// The descriptor of a kernel: LLVM, User Guide for AMDGPU Backend, "Kernel Descriptor".
bool Reader::readDescriptor(Kernel &kernel) {
  auto found = symbols.find(kernel.name + ".kd");
  const uint8_t *bytes = found == symbols.end() ? nullptr : at(found->second.st_value);
  if (!bytes)
    return fail("kernel '" + kernel.name + "' has no descriptor");
  uint32_t first, second;
  uint16_t properties, preload;
  memcpy(&kernel.localBytes, bytes, 4);
  memcpy(&kernel.privateBytes, bytes + 4, 4);
  memcpy(&kernel.parameterBytes, bytes + 8, 4);
  memcpy(&first, bytes + 48, 4);
  memcpy(&second, bytes + 52, 4);
  memcpy(&properties, bytes + 56, 2);
  memcpy(&preload, bytes + 58, 2);
  kernel.chip.waveLanes = properties >> 10 & 1 ? 32 : 64;
  // Registers for the dispatch and the queue come before the parameters' address. So does a private
  // buffer, which chips without scratch instructions of their own get whether they want it or not.
  if ((properties & 0x76) != 0)
    return fail("kernel '" + kernel.name + "' asks for the dispatch, the queue or flat scratch");
  kernel.parametersAt = properties & 1 ? 4 : 0;
  if (preload & 0x7f)
    return fail("kernel '" + kernel.name + "' wants parameters in registers when it begins");
  // Rounding of both widths, then subnormal numbers of both.
  if ((first >> 12 & 0xff) != 0xf0)
    return fail("kernel '" + kernel.name +
                "' does not round to nearest, or flushes subnormal numbers");
  kernel.groupAt = second >> 1 & 31;
  kernel.groupParts = (second >> 7 & 1) + (second >> 8 & 1) + (second >> 9 & 1);
  return true;
}

bool Reader::disassemble(Kernel &kernel) {
  auto found = symbols.find(kernel.name);
  const uint8_t *code = found == symbols.end() ? nullptr : at(found->second.st_value);
  if (!code)
    return fail("kernel '" + kernel.name + "' has no code");
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  const char *features = kernel.chip.generation < 10   ? ""
                         : kernel.chip.waveLanes == 64 ? "+wavefrontsize64"
                                                       : "+wavefrontsize32";
  LLVMDisasmContextRef context = LLVMCreateDisasmCPUFeatures(
      "amdgcn-amd-amdhsa", kernel.chip.name.c_str(), features, nullptr, 0, nullptr, nullptr);
  if (!context)
    return fail("LLVM has no disassembler for " + kernel.chip.name);
  uint64_t size = found->second.st_size;
  for (uint64_t pc = 0; pc < size;) {
    char text[512];
    size_t taken = LLVMDisasmInstruction(context, const_cast<uint8_t *>(code + pc), size - pc, pc,
                                         text, sizeof(text));
    if (taken == 0) {
      LLVMDisasmDispose(context);
      return fail("kernel '" + kernel.name + "': no instruction at byte " + std::to_string(pc));
    }
    const char *begin = text + strspn(text, " \t");
    kernel.text.push_back(begin);
    kernel.addresses.push_back(pc);
    pc += taken;
  }
  LLVMDisasmDispose(context);
  return decode(kernel, error);
}

static uint32_t number(llvm::msgpack::MapDocNode &map, llvm::StringRef key) {
  auto found = map.find(key);
  return found != map.end() && found->second.getKind() == llvm::msgpack::Type::UInt
             ? uint32_t(found->second.getUInt())
             : 0;
}

bool Reader::readKernel(llvm::msgpack::MapDocNode &data, Kernels &kernels) {
  auto name = data.find(".name");
  if (name == data.end() || !name->second.isString())
    return fail("the metadata has a kernel without a name");
  Kernel &kernel = kernels[name->second.getString().str()];
  kernel.name = name->second.getString().str();
  kernel.chip.name = chipName;
  kernel.chip.generation = chipName.size() == 6 ? 9 : uint32_t(atoi(chipName.substr(3, 2).c_str()));
  kernel.maxThreads = number(data, ".max_flat_workgroup_size");
  auto arguments = data.find(".args");
  if (arguments != data.end())
    for (llvm::msgpack::DocNode &node : arguments->second.getArray()) {
      auto &argument = node.getMap();
      auto kind = argument.find(".value_kind");
      if (kind != argument.end() && kind->second.getString().starts_with("hidden_"))
        return fail("kernel '" + kernel.name + "' has hidden arguments");
      kernel.slots.push_back(
          {number(argument, ".offset"), number(argument, ".size"),
           kind != argument.end() && kind->second.getString() == "global_buffer"});
    }
  return readDescriptor(kernel) && disassemble(kernel);
}

bool Reader::read(Kernels &kernels) {
  readSymbols();
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    memcpy(&segment, base + header.e_phoff + i * sizeof(segment), sizeof(segment));
    if (segment.p_type != PT_NOTE)
      continue;
    const uint8_t *note = base + segment.p_offset;
    Elf64_Nhdr head;
    memcpy(&head, note, sizeof(head));
    const char *text =
        reinterpret_cast<const char *>(note + sizeof(head) + (head.n_namesz + 3) / 4 * 4);
    llvm::msgpack::Document document;
    if (!document.readFromBlob(llvm::StringRef(text, head.n_descsz), false) ||
        !document.getRoot().isMap())
      return fail("the code object has no readable metadata");
    for (llvm::msgpack::DocNode &node :
         document.getRoot().getMap()["amdhsa.kernels"].getArray(true))
      if (!readKernel(node.getMap(), kernels))
        return false;
    return true;
  }
  return fail("the code object has no metadata");
}

bool tw::emulator::amdgcn::readKernels(const void *image, const std::string &chip, Kernels &kernels,
                                       std::string &error) {
  return Reader(image, chip, error).read(kernels);
}

std::shared_ptr<const CodeImage>
tw::emulator::amdgcn::load(const void *image, const std::string &chip, std::string &error) {
  auto made = std::make_shared<Image>();
  return readKernels(image, chip, made->kernels, error) ? made : nullptr;
}
