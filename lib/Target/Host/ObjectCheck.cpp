// Refuses objects that would need imports, dynamic relocations or writable data once linked.
#include "ObjectCheck.h"

#include "InstructionSet.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace llvm::object;

namespace {

/// The operation whose code generation calls `import`; empty if it is not a known one.
StringRef operationOf(StringRef import) {
  return StringSwitch<StringRef>(import)
      .Cases({"memcpy", "memmove"}, "a copy of memory")
      .Case("memset", "a fill of memory")
      .Cases({"fmod", "fmodf"}, "arith.remf")
      .Cases({"fma", "fmaf"}, "math.fma")
      .Cases({"exp", "expf", "exp2", "exp2f", "log", "logf"}, "math.exp or math.log")
      .Cases({"pow", "powf", "__powisf2", "__powidf2"}, "math.powf")
      .Cases({"sin", "sinf", "cos", "cosf", "tan", "tanf"}, "a trigonometric operation of math")
      .Cases({"erf", "erff"}, "math.erf")
      .Cases({"roundeven", "roundevenf"}, "math.roundeven")
      .Cases({"round", "roundf"}, "math.round")
      .Cases({"__truncsfbf2", "__truncdfbf2"}, "arith.truncf to bf16")
      .Cases({"__truncsfhf2", "__truncdfhf2"}, "arith.truncf to f16")
      .Case("__extendhfsf2", "arith.extf from f16")
      .Cases({"__udivti3", "__divti3", "__umodti3", "__modti3"}, "a division of 128-bit integers")
      .Default("");
}

class Checker {
public:
  Checker(const ELFObjectFile<ELF64LE> &file, tw::host::ObjectProblem report)
      : file(file), report(report) {}

  bool run() {
    for (const ELFSectionRef section : file.sections()) {
      checkSection(section);
      for (const ELFRelocationRef relocation : section.relocations())
        checkRelocation(section, relocation);
    }
    return good;
  }

private:
  const ELFObjectFile<ELF64LE> &file;
  tw::host::ObjectProblem report;
  StringSet<> reported;
  bool good = true;

  void problem(StringRef function, const std::string &message) {
    good = false;
    if (reported.insert((function + ": " + message).str()).second)
      report(function, message);
  }

  static StringRef nameOf(const SectionRef &section) {
    Expected<StringRef> name = section.getName();
    if (name)
      return *name;
    consumeError(name.takeError());
    return "";
  }

  static StringRef functionOf(StringRef section) {
    return section.consume_front(".text.") ? section : StringRef();
  }

  void checkSection(const ELFSectionRef &section) {
    uint64_t flags = section.getFlags();
    if ((flags & ELF::SHF_ALLOC) && (flags & (ELF::SHF_WRITE | ELF::SHF_TLS)) &&
        section.getSize() != 0)
      problem("", "writable data in section '" + nameOf(section).str() +
                      "', a kernel image holds only code and constants");
  }

  void checkRelocation(const ELFSectionRef &section, const ELFRelocationRef &relocation) {
    auto relocated = section.getRelocatedSection();
    if (!relocated) {
      consumeError(relocated.takeError());
      return;
    }
    ELFSectionRef place(**relocated);
    if (!(place.getFlags() & ELF::SHF_ALLOC) || nameOf(place) == ".eh_frame")
      return;
    StringRef function = functionOf(nameOf(place));
    const tw::host::InstructionSet *set =
        tw::host::findInstructionSetOfMachine(file.getELFFile().getHeader().e_machine);
    if (!set || !set->isPcRelative(relocation.getType())) {
      SmallString<32> type;
      relocation.getTypeName(type);
      problem(function, "relocation " + type.str().str() + " in section '" + nameOf(place).str() +
                            "', only pc-relative ones keep the image free of relocations");
    }
    symbol_iterator symbol = relocation.getSymbol();
    if (symbol == file.symbol_end())
      return;
    Expected<uint32_t> flags = symbol->getFlags();
    Expected<StringRef> name = symbol->getName();
    if (!flags || !name) {
      consumeError(flags.takeError());
      consumeError(name.takeError());
      return;
    }
    if (!(*flags & SymbolRef::SF_Undefined))
      return;
    StringRef operation = operationOf(*name);
    problem(function, (operation.empty() ? "the code" : operation).str() + " needs '" +
                          name->str() + "' of a library, kernels call none");
  }
};

} // namespace

bool tw::host::checkObject(StringRef object, ObjectProblem report) {
  auto file = ELFObjectFile<ELF64LE>::create(MemoryBufferRef(object, "kernels"));
  if (!file) {
    report("", "code generation wrote no readable object: " + toString(file.takeError()));
    return false;
  }
  return Checker(*file, report).run();
}
