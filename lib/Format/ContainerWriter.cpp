// Lays out the sections of a module file.
#include "tw/Format/Container.h"

#include <algorithm>
#include <cassert>
#include <cstring>

using namespace tw::format;

namespace tw::format {
Digest computeTableDigest(const Header &header, std::span<const uint8_t> table);
} // namespace tw::format

/// FlatBuffers hold 64-bit numbers.
static constexpr uint32_t metadataLog2Alignment = 6;

static uint64_t alignTo(uint64_t value, uint32_t log2Alignment) {
  uint64_t mask = (uint64_t(1) << log2Alignment) - 1;
  return (value + mask) & ~mask;
}

uint32_t ContainerWriter::addSection(SectionKind kind, uint32_t log2Alignment,
                                     std::span<const uint8_t> bytes, uint32_t flags) {
  assert(kind != SectionKind::Meta && "finish adds the metadata");
  assert(log2Alignment <= maxLog2Alignment && pending.size() + 2 <= maxSections);
  pending.push_back({kind, log2Alignment, flags, bytes});
  return pending.size();
}

std::vector<uint8_t> ContainerWriter::finish(std::span<const uint8_t> metadata) const {
  std::vector<Pending> sections;
  sections.push_back({SectionKind::Meta, metadataLog2Alignment, SectionRequired, metadata});
  sections.insert(sections.end(), pending.begin(), pending.end());

  std::vector<SectionEntry> table(sections.size());
  uint64_t end = sizeof(Header) + table.size() * sizeof(SectionEntry);
  for (size_t i = 0; i < sections.size(); ++i) {
    const Pending &section = sections[i];
    SectionEntry &entry = table[i];
    entry = {};
    entry.kind = uint32_t(section.kind);
    entry.flags = section.flags;
    entry.offset = alignTo(end, section.log2Alignment);
    entry.length = section.bytes.size();
    entry.log2Alignment = section.log2Alignment;
    Digest digest = computeDigest(section.bytes);
    memcpy(entry.digest, digest.data(), digest.size());
    end = entry.offset + entry.length;
  }

  Header header = {};
  memcpy(header.magic, containerMagic, sizeof(containerMagic));
  header.major = containerMajor;
  // What earlier releases can read is written as they wrote it.
  bool isLater = std::ranges::any_of(
      sections, [](const Pending &section) { return section.kind == SectionKind::Features14; });
  header.minor = isLater ? containerMinor : 3;
  header.sectionCount = uint32_t(table.size());
  header.fileBytes = end;
  std::span<const uint8_t> tableBytes(reinterpret_cast<const uint8_t *>(table.data()),
                                      table.size() * sizeof(SectionEntry));
  Digest digest = computeTableDigest(header, tableBytes);
  memcpy(header.tableDigest, digest.data(), digest.size());

  std::vector<uint8_t> file(end);
  memcpy(file.data(), &header, sizeof(header));
  memcpy(file.data() + sizeof(header), tableBytes.data(), tableBytes.size());
  for (size_t i = 0; i < sections.size(); ++i)
    if (!sections[i].bytes.empty())
      memcpy(file.data() + table[i].offset, sections[i].bytes.data(), sections[i].bytes.size());
  return file;
}

void tw::format::repairDigests(std::span<uint8_t> file) {
  Header header;
  if (file.size() < sizeof(header))
    return;
  memcpy(&header, file.data(), sizeof(header));
  uint64_t room = (file.size() - sizeof(header)) / sizeof(SectionEntry);
  if (header.sectionCount > room)
    return;
  for (uint32_t i = 0; i < header.sectionCount; ++i) {
    uint8_t *place = file.data() + sizeof(header) + i * sizeof(SectionEntry);
    SectionEntry entry;
    memcpy(&entry, place, sizeof(entry));
    if (entry.offset > file.size() || entry.length > file.size() - entry.offset)
      continue;
    Digest digest = computeDigest(file.subspan(entry.offset, entry.length));
    memcpy(place + offsetof(SectionEntry, digest), digest.data(), digest.size());
  }
  Digest digest = computeTableDigest(
      header, file.subspan(sizeof(header), header.sectionCount * sizeof(SectionEntry)));
  memcpy(file.data() + offsetof(Header, tableDigest), digest.data(), digest.size());
}
