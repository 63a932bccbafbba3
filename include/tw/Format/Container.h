// The module file: a header, a table of sections, and the sections, as plain structs.
//
//   header   64 bytes   magic, version, section count, file size, digest of header and table
//   table    48 bytes each
//   sections in the order of the table, each at the next multiple of its alignment; bytes between
//            them are zero; the last one ends the file
//
// Everything is little-endian. Section 0 is META (see Metadata.h), which refers to the others by
// their index in the table. A digest is XXH3-128 in its canonical byte order. A reader skips
// kinds it does not know unless they are marked required.
#pragma once

#include "tw/Format/Error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tw::format {

inline constexpr uint8_t containerMagic[8] = {0x89, 'T', 'W', 'M', '\r', '\n', 0x1a, '\n'};
inline constexpr uint16_t containerMajor = 1;
/// The latest that this release reads. Modules are written with the least that they need: 3, or 4
/// with a FEATURES_1_4 section.
inline constexpr uint16_t containerMinor = 4;
inline constexpr uint32_t maxSections = 1024;
inline constexpr uint32_t maxLog2Alignment = 16;

/// Those of Formats.def.
enum class SectionKind : uint32_t {
#define TW_SECTION(Kind, number, name) Kind = number,
#include "tw/Format/Formats.def"
};

/// "META", "CONSTANTS" ...; "unknown section" for other numbers. Static memory.
const char *sectionName(SectionKind kind);

enum SectionFlags : uint32_t { SectionRequired = 1 };

using Digest = std::array<uint8_t, 16>;

/// XXH3-128 of `bytes`.
Digest computeDigest(std::span<const uint8_t> bytes);

/// The same of bytes that come in pieces.
class DigestStream {
public:
  DigestStream();
  void add(std::span<const uint8_t> bytes);
  Digest finish() const;

private:
  alignas(64) uint8_t state[1024];
};

struct Header {
  uint8_t magic[8];
  uint16_t major;
  uint16_t minor;
  uint32_t sectionCount;
  uint64_t fileBytes;
  /// Of the header with this member zero, followed by the table.
  uint8_t tableDigest[16];
  uint8_t zeros[24];
};
static_assert(sizeof(Header) == 64);

struct SectionEntry {
  uint32_t kind;
  uint32_t flags;
  uint64_t offset;
  uint64_t length;
  uint32_t log2Alignment;
  uint32_t zero;
  uint8_t digest[16];
};
static_assert(sizeof(SectionEntry) == 48);

/// Collects sections and lays out the file. The same sections in the same order give the same
/// bytes.
class ContainerWriter {
public:
  /// Adds a section whose bytes the caller keeps alive until finish. Returns its index in the
  /// table, to be used in the metadata. Not for META.
  uint32_t addSection(SectionKind kind, uint32_t log2Alignment, std::span<const uint8_t> bytes,
                      uint32_t flags = SectionRequired);

  /// The whole file, with `metadata` as section 0.
  std::vector<uint8_t> finish(std::span<const uint8_t> metadata) const;

private:
  struct Pending {
    SectionKind kind;
    uint32_t log2Alignment;
    uint32_t flags;
    std::span<const uint8_t> bytes;
  };
  std::vector<Pending> pending;
};

/// A view of a file's bytes whose header and table have been checked. Copyable; borrows the bytes.
class Container {
public:
  /// Checks header, table, its digest, order, gaps, and that META is section 0 with the right
  /// digest. Touches nothing else of the sections. `bytes` needs no alignment.
  static bool open(std::span<const uint8_t> bytes, Container &container, Error &error);

  /// Of the file's format; may be later than this release's.
  uint16_t minor() const { return fileMinor; }
  uint32_t sectionCount() const { return count; }
  SectionEntry section(uint32_t index) const;
  std::span<const uint8_t> sectionBytes(uint32_t index) const;
  std::span<const uint8_t> bytes() const { return file; }

  /// Compares the digest of a section with the table.
  bool checkDigest(uint32_t index, Error &error) const;

private:
  std::span<const uint8_t> file;
  uint32_t count = 0;
  uint16_t fileMinor = 0;
};

/// Makes the digests of a damaged file right again, as far as its table can be read: lets tests
/// reach the checks behind the digests.
void repairDigests(std::span<uint8_t> file);

} // namespace tw::format
