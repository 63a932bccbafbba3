// Reads the note that the linker leaves in what is loaded.
#include "tw/Support/BuildId.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <link.h>

namespace {

struct Search {
  uintptr_t address;
  std::string id;
};

/// Notes are a header, a name and a description, the last two each padded to four bytes.
std::string findBuildId(llvm::ArrayRef<uint8_t> notes) {
  ElfW(Nhdr) header;
  while (notes.size() >= sizeof(header)) {
    memcpy(&header, notes.data(), sizeof(header));
    notes = notes.drop_front(sizeof(header));
    uint64_t name = (uint64_t(header.n_namesz) + 3) / 4 * 4;
    uint64_t size = (uint64_t(header.n_descsz) + 3) / 4 * 4;
    if (name > notes.size() || size > notes.size() - name)
      break;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == sizeof(ELF_NOTE_GNU) &&
        memcmp(notes.data(), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0)
      return llvm::toHex(notes.slice(name, header.n_descsz), /*LowerCase=*/true);
    notes = notes.drop_front(name + size);
  }
  return "";
}

/// Stops at the object that the address lies in.
int visit(dl_phdr_info *object, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  llvm::ArrayRef<ElfW(Phdr)> segments(object->dlpi_phdr, object->dlpi_phnum);
  bool isIt = llvm::any_of(segments, [&](const ElfW(Phdr) & segment) {
    uintptr_t start = object->dlpi_addr + segment.p_vaddr;
    return segment.p_type == PT_LOAD && search.address >= start &&
           search.address - start < segment.p_memsz;
  });
  if (!isIt)
    return 0;
  for (const ElfW(Phdr) & segment : segments)
    if (segment.p_type == PT_NOTE && search.id.empty())
      search.id =
          findBuildId({reinterpret_cast<const uint8_t *>(object->dlpi_addr + segment.p_vaddr),
                       size_t(segment.p_memsz)});
  return 1;
}

} // namespace

std::string tw::getBuildId() {
  static const std::string id = [] {
    Search search{reinterpret_cast<uintptr_t>(&visit), ""};
    dl_iterate_phdr(visit, &search);
    return search.id;
  }();
  return id;
}
