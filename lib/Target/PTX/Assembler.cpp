// Finds and runs ptxas, and reads its report.
#include "tw/Target/PTX/Assembler.h"

#include "tw/Target/Common/Link.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace llvm;
using namespace tw::ptx;

std::string tw::ptx::findAssembler() {
  if (const char *named = std::getenv("TENSORWRIGHT_PTXAS"))
    return named;
  if (ErrorOr<std::string> found = sys::findProgramByName("ptxas"))
    return *found;
  SmallVector<std::string> folders;
  if (const char *home = std::getenv("CUDA_HOME"))
    folders.push_back(std::string(home) + "/bin");
  folders.push_back("/usr/local/cuda/bin");
  for (const std::string &folder : folders)
    if (ErrorOr<std::string> found = sys::findProgramByName("ptxas", {folder}))
      return *found;
  return "";
}

/// The number right before `unit` in "Used 16 registers, 1024 bytes smem"; 0 if there is none.
static uint32_t numberBefore(StringRef line, StringRef unit) {
  size_t at = line.find(unit);
  if (at == StringRef::npos)
    return 0;
  StringRef digits = line.take_front(at).rtrim();
  size_t start = digits.find_last_not_of("0123456789");
  uint32_t value = 0;
  digits.substr(start == StringRef::npos ? 0 : start + 1).getAsInteger(10, value);
  return value;
}

std::map<std::string, KernelCost> tw::ptx::parseReport(StringRef report) {
  std::map<std::string, KernelCost> kernels;
  SmallVector<StringRef> lines;
  report.split(lines, '\n');
  std::string kernel;
  const StringRef lossMark = "Potential Performance Loss: ";
  for (StringRef line : lines) {
    if (line.contains(lossMark)) {
      auto [why, name] = line.split(lossMark).second.rsplit(" in the function '");
      kernels[name.split('\'').first.str()].loss = why.str();
    } else if (line.contains("Compiling entry function")) {
      kernel = line.split('\'').second.split('\'').first.str();
      kernels[kernel];
    } else if (kernel.empty()) {
      continue;
    } else if (line.contains("bytes stack frame")) {
      KernelCost &cost = kernels[kernel];
      cost.stack = numberBefore(line, " bytes stack frame");
      cost.spillStores = numberBefore(line, " bytes spill stores");
      cost.spillLoads = numberBefore(line, " bytes spill loads");
    } else if (line.contains("Used ")) {
      KernelCost &cost = kernels[kernel];
      cost.registers = numberBefore(line, " registers");
      cost.localBytes = numberBefore(line, " bytes smem");
    }
  }
  return kernels;
}

std::optional<Excess> tw::ptx::parseExcess(StringRef words) {
  // "Entry function 'k' uses too much shared data (0x30d40 bytes, 0xc000 max)"
  auto [before, after] = words.split(" uses too much ");
  auto [kind, numbers] = after.split(" data (");
  auto [needed, available] = numbers.split(" bytes, ");
  Excess excess{before.rsplit(" '").second.rtrim('\'').str(), kind.str(), 0, 0};
  if (needed.getAsInteger(0, excess.needed) ||
      available.split(' ').first.getAsInteger(0, excess.available))
    return std::nullopt;
  return excess;
}

AssemblerResult tw::ptx::assemble(StringRef path, StringRef text, StringRef chip, unsigned optLevel,
                                  Assembly &assembly, std::string &error) {
  codegen::PrivateFolder folder(error);
  if (!folder.valid())
    return AssemblerResult::Failed;
  std::string input = folder.file("kernels.ptx"), output = folder.file("kernels.cubin"),
              report = folder.file("report");
  if (!codegen::writeFile(input, text, error))
    return AssemblerResult::Failed;
  std::string arch = ("-arch=" + chip).str(), level = "-O" + std::to_string(optLevel);
  StringRef arguments[] = {path, arch, level, "--fmad=false", "-v", input, "-o", output};
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(report), StringRef(report)};
  int status = sys::ExecuteAndWait(path, arguments, std::nullopt, redirects, 0, 0, &error);
  auto words = MemoryBuffer::getFile(report, /*IsText=*/true);
  StringRef said = words ? (*words)->getBuffer().trim() : StringRef();
  if (status != 0) {
    if (said.contains("is not defined for option 'gpu-name'") ||
        said.contains("Unsupported .version"))
      return AssemblerResult::UnknownChip;
    error = "'" + path.str() + "' failed: " + (said.empty() ? error : said.str());
    return AssemblerResult::Failed;
  }
  auto cubin = MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!cubin) {
    error = "'" + path.str() + "' wrote no code: " + cubin.getError().message();
    return AssemblerResult::Failed;
  }
  assembly.cubin = (*cubin)->getBuffer().str();
  assembly.kernels = parseReport(said);
  return AssemblerResult::Done;
}
