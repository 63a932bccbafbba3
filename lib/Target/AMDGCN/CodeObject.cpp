// Links code objects with lld and reads the msgpack note in them.
#include "tw/Target/AMDGCN/CodeObject.h"

#include "tw/Target/Common/Link.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace llvm::object;
using namespace tw::amdgcn;

bool tw::amdgcn::linkCodeObject(StringRef object, std::string &codeObject, std::string &error) {
  codegen::PrivateFolder folder(error);
  if (!folder.valid())
    return false;
  std::string input = folder.file("kernels.o"), output = folder.file("kernels.hsaco");
  if (!codegen::writeFile(input, object, error))
    return false;
  const char *arguments[] = {
      "ld.lld",         "-shared",         "-o",          output.c_str(), input.c_str(),
      "--no-undefined", "--build-id=none", "--threads=1", "--nostdlib",   "--fatal-warnings"};
  if (!codegen::runLinker(arguments, error))
    return false;
  auto buffer = MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error = "cannot read the linked code object: " + buffer.getError().message();
    return false;
  }
  codeObject = (*buffer)->getBuffer().str();
  return true;
}

/// The msgpack document of the note; empty if there is none.
static StringRef findNote(const ELFFile<ELF64LE> &file) {
  auto sections = file.sections();
  if (!sections) {
    consumeError(sections.takeError());
    return "";
  }
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_NOTE)
      continue;
    Error problem = Error::success();
    StringRef found;
    for (const auto &note : file.notes(section, problem))
      if (note.getName() == "AMDGPU" && note.getType() == ELF::NT_AMDGPU_METADATA)
        found = note.getDescAsStringRef(section.sh_addralign);
    consumeError(std::move(problem));
    if (!found.empty())
      return found;
  }
  return "";
}

static uint32_t readNumber(msgpack::MapDocNode &kernel, StringRef key) {
  auto found = kernel.find(key);
  if (found == kernel.end() || found->second.getKind() != msgpack::Type::UInt)
    return 0;
  return uint32_t(found->second.getUInt());
}

static KernelMetadata readKernel(msgpack::MapDocNode &kernel) {
  KernelMetadata data;
  data.group = readNumber(kernel, ".max_flat_workgroup_size");
  data.subgroup = readNumber(kernel, ".wavefront_size");
  data.localBytes = readNumber(kernel, ".group_segment_fixed_size");
  data.scratchBytes = readNumber(kernel, ".private_segment_fixed_size");
  data.accumulatorRegisters = readNumber(kernel, ".agpr_count");
  data.vectorRegisters = readNumber(kernel, ".vgpr_count");
  data.scalarRegisters = readNumber(kernel, ".sgpr_count");
  data.vectorSpills = readNumber(kernel, ".vgpr_spill_count");
  data.scalarSpills = readNumber(kernel, ".sgpr_spill_count");
  auto arguments = kernel.find(".args");
  if (arguments == kernel.end() || !arguments->second.isArray())
    return data;
  for (msgpack::DocNode &node : arguments->second.getArray()) {
    if (!node.isMap())
      continue;
    auto kind = node.getMap().find(".value_kind");
    if (kind != node.getMap().end() && kind->second.isString() &&
        !kind->second.getString().starts_with("hidden_"))
      ++data.arguments;
  }
  return data;
}

bool tw::amdgcn::readMetadata(StringRef codeObject, std::map<std::string, KernelMetadata> &kernels,
                              std::string &error) {
  auto file = ELFFile<ELF64LE>::create(codeObject);
  if (!file) {
    error = "the code object cannot be read: " + toString(file.takeError());
    return false;
  }
  msgpack::Document document;
  StringRef note = findNote(*file);
  if (note.empty() || !document.readFromBlob(note, /*Multi=*/false) ||
      !document.getRoot().isMap()) {
    error = "the code object has no readable metadata";
    return false;
  }
  auto &root = document.getRoot().getMap();
  auto list = root.find("amdhsa.kernels");
  if (list == root.end() || !list->second.isArray()) {
    error = "the metadata of the code object lists no kernels";
    return false;
  }
  for (msgpack::DocNode &node : list->second.getArray()) {
    if (!node.isMap())
      continue;
    auto name = node.getMap().find(".name");
    if (name != node.getMap().end() && name->second.isString())
      kernels[name->second.getString().str()] = readKernel(node.getMap());
  }
  return true;
}
