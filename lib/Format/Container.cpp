// Checks the header and the section table of a module file.
#include "tw/Format/Container.h"
#include "tw/Format/Checked.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <new>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace tw::format;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file's structs are little-endian");

const char *tw::format::sectionName(SectionKind kind) {
  switch (kind) {
#define TW_SECTION(Kind, number, name)                                                             \
  case SectionKind::Kind:                                                                          \
    return name;
#include "tw/Format/Formats.def"
  }
  return "unknown section";
}

static Digest canonical(XXH128_hash_t hash) {
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, hash);
  Digest digest;
  memcpy(digest.data(), bytes.digest, digest.size());
  return digest;
}

Digest tw::format::computeDigest(std::span<const uint8_t> bytes) {
  return canonical(XXH3_128bits(bytes.data(), bytes.size()));
}

DigestStream::DigestStream() {
  static_assert(sizeof(XXH3_state_t) <= sizeof(state) && alignof(XXH3_state_t) <= 64);
  XXH3_128bits_reset(new (state) XXH3_state_t);
}

void DigestStream::add(std::span<const uint8_t> bytes) {
  XXH3_128bits_update(reinterpret_cast<XXH3_state_t *>(state), bytes.data(), bytes.size());
}

Digest DigestStream::finish() const {
  return canonical(XXH3_128bits_digest(reinterpret_cast<const XXH3_state_t *>(state)));
}

namespace tw::format {
/// Digest of the header with its own digest zero, followed by the table.
Digest computeTableDigest(const Header &header, std::span<const uint8_t> table) {
  Header copy = header;
  memset(copy.tableDigest, 0, sizeof(copy.tableDigest));
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, &copy, sizeof(copy));
  XXH3_128bits_update(&state, table.data(), table.size());
  return canonical(XXH3_128bits_digest(&state));
}
} // namespace tw::format

static bool isKnown(uint32_t kind) {
  static constexpr uint32_t kinds[] = {
#define TW_SECTION(Kind, number, name) number,
#include "tw/Format/Formats.def"
  };
  return std::ranges::find(kinds, kind) != std::end(kinds);
}

static bool checkHeader(const Header &header, uint64_t fileBytes, Error &error) {
  if (memcmp(header.magic, containerMagic, sizeof(containerMagic)) != 0)
    return fail(error, "header", 0, "not a module: the first 8 bytes are not the module's magic");
  if (header.major != containerMajor)
    return fail(error, "header", offsetof(Header, major),
                "module format %u, this runtime reads format %u", header.major, containerMajor);
  if (header.fileBytes != fileBytes)
    return fail(error, "header", offsetof(Header, fileBytes),
                "the file was written with %" PRIu64 " bytes and has %" PRIu64 ": it is %s",
                header.fileBytes, fileBytes, fileBytes < header.fileBytes ? "cut" : "too long");
  if (header.sectionCount == 0 || header.sectionCount > maxSections)
    return fail(error, "header", offsetof(Header, sectionCount),
                "expected 1 to %u sections, found %u", maxSections, header.sectionCount);
  for (uint8_t byte : header.zeros)
    if (byte != 0)
      return fail(error, "header", offsetof(Header, zeros), "reserved bytes are not zero");
  return true;
}

/// Checks one entry against where the section before it ended; moves `end` to where this one ends.
static bool checkEntry(std::span<const uint8_t> file, uint32_t index, const SectionEntry &entry,
                       uint64_t &end, Error &error) {
  uint64_t place = sizeof(Header) + index * sizeof(SectionEntry);
  const char *name = sectionName(SectionKind(entry.kind));
  if (!isKnown(entry.kind) && (entry.flags & SectionRequired))
    return fail(error, "table", place,
                "section %u has unknown kind %u and is required: written by "
                "a newer compiler",
                index, entry.kind);
  if ((entry.kind == uint32_t(SectionKind::Meta)) != (index == 0))
    return fail(error, "table", place,
                "expected META as section 0 and nowhere else, found %s as "
                "section %u",
                name, index);
  if (entry.flags & ~uint32_t(SectionRequired))
    return fail(error, "table", place + offsetof(SectionEntry, flags),
                "section %u (%s) has unknown flags 0x%x", index, name, entry.flags);
  if (entry.zero != 0)
    return fail(error, "table", place + offsetof(SectionEntry, zero),
                "reserved bytes of section %u (%s) are not zero", index, name);
  if (entry.log2Alignment > maxLog2Alignment)
    return fail(error, "table", place + offsetof(SectionEntry, log2Alignment),
                "section %u (%s) has alignment 2^%u, the most is 2^%u", index, name,
                entry.log2Alignment, maxLog2Alignment);
  uint64_t start;
  if (!checkedAlign(end, uint64_t(1) << entry.log2Alignment, start) || entry.offset != start)
    return fail(error, "table", place + offsetof(SectionEntry, offset),
                "expected section %u (%s) at offset %" PRIu64 ", found %" PRIu64, index, name,
                start, entry.offset);
  if (!rangeWithin(entry.offset, entry.length, file.size()))
    return fail(error, "table", place + offsetof(SectionEntry, length),
                "section %u (%s) of %" PRIu64 " bytes ends past the end of the file", index, name,
                entry.length);
  for (uint64_t i = end; i < entry.offset; ++i)
    if (file[i] != 0)
      return fail(error, name, i, "the gap before section %u is not zero", index);
  end = entry.offset + entry.length;
  return true;
}

bool Container::open(std::span<const uint8_t> bytes, Container &container, Error &error) {
  Header header;
  if (bytes.size() < sizeof(header))
    return fail(error, "header", bytes.size(),
                "not a module: %zu bytes are less than the header's %zu", bytes.size(),
                sizeof(header));
  memcpy(&header, bytes.data(), sizeof(header));
  if (!checkHeader(header, bytes.size(), error))
    return false;
  uint64_t tableBytes = header.sectionCount * sizeof(SectionEntry);
  if (!rangeWithin(sizeof(header), tableBytes, bytes.size()))
    return fail(error, "table", sizeof(header),
                "the table of %u sections ends past the end of the "
                "file",
                header.sectionCount);
  Digest digest = computeTableDigest(header, bytes.subspan(sizeof(header), tableBytes));
  if (memcmp(digest.data(), header.tableDigest, digest.size()) != 0)
    return fail(error, "header", offsetof(Header, tableDigest),
                "the digest of header and table does not match: the file is damaged");
  Container opened;
  opened.file = bytes;
  opened.count = header.sectionCount;
  opened.fileMinor = header.minor;
  uint64_t end = sizeof(header) + tableBytes;
  for (uint32_t i = 0; i < opened.count; ++i)
    if (!checkEntry(bytes, i, opened.section(i), end, error))
      return false;
  if (end != bytes.size())
    return fail(error, "table", sizeof(header), "the sections end at %" PRIu64 ", the file at %zu",
                end, bytes.size());
  if (!opened.checkDigest(0, error))
    return false;
  container = opened;
  return true;
}

SectionEntry Container::section(uint32_t index) const {
  SectionEntry entry;
  memcpy(&entry, file.data() + sizeof(Header) + index * sizeof(SectionEntry), sizeof(entry));
  return entry;
}

std::span<const uint8_t> Container::sectionBytes(uint32_t index) const {
  SectionEntry entry = section(index);
  return file.subspan(entry.offset, entry.length);
}

bool Container::checkDigest(uint32_t index, Error &error) const {
  SectionEntry entry = section(index);
  Digest digest = computeDigest(sectionBytes(index));
  if (memcmp(digest.data(), entry.digest, digest.size()) != 0)
    return fail(error, sectionName(SectionKind(entry.kind)), entry.offset,
                "the digest of section %u does not match its %" PRIu64
                " bytes: the file is damaged",
                index, entry.length);
  return true;
}
