// The container: layout, and one test for each way in which a header or table can be wrong.
#include "tw/Format/Container.h"
#include "SampleModules.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>

using namespace tw::format;
using tw::test::makeAffineModule;

static std::string reject(std::vector<uint8_t> file) {
  Container container;
  Error error;
  if (Container::open(file, container, error))
    return "accepted";
  return std::string(error.section) + " " + std::to_string(error.offset) + ": " + error.message;
}

/// Changes one of the header's or the table's structs, with the table's digest made right again.
static std::string rejectHeader(const std::function<void(Header &)> &change) {
  std::vector<uint8_t> file = makeAffineModule();
  Header header;
  memcpy(&header, file.data(), sizeof(header));
  change(header);
  memcpy(file.data(), &header, sizeof(header));
  repairDigests(file);
  return reject(file);
}

static std::string rejectEntry(uint32_t index, const std::function<void(SectionEntry &)> &change) {
  std::vector<uint8_t> file = makeAffineModule();
  uint8_t *place = file.data() + sizeof(Header) + index * sizeof(SectionEntry);
  SectionEntry entry;
  memcpy(&entry, place, sizeof(entry));
  change(entry);
  memcpy(place, &entry, sizeof(entry));
  repairDigests(file);
  return reject(file);
}

TEST(Container, WritesWhatItReads) {
  std::vector<uint8_t> a = {1, 2, 3}, b(100, 7), meta(40, 9);
  ContainerWriter writer;
  EXPECT_EQ(writer.addSection(SectionKind::Constants, 6, a), 1u);
  EXPECT_EQ(writer.addSection(SectionKind::HostImage, 12, b, 0), 2u);
  std::vector<uint8_t> file = writer.finish(meta);
  Container container;
  Error error;
  ASSERT_TRUE(Container::open(file, container, error)) << error.message;
  ASSERT_EQ(container.sectionCount(), 3u);
  EXPECT_EQ(container.section(1).offset % 64, 0u);
  EXPECT_EQ(container.section(2).offset % 4096, 0u);
  auto bytes = container.sectionBytes(1);
  EXPECT_EQ(std::vector<uint8_t>(bytes.begin(), bytes.end()), a);
  EXPECT_TRUE(container.checkDigest(1, error));
  EXPECT_TRUE(container.checkDigest(2, error));
  EXPECT_EQ(file.size(), container.section(2).offset + 100);
  EXPECT_EQ(writer.finish(meta), file);
}

TEST(Container, HeaderErrors) {
  EXPECT_EQ(reject({}), "header 0: not a module: 0 bytes are less than the header's 64");
  EXPECT_EQ(rejectHeader([](Header &h) { h.magic[0] = 'x'; }),
            "header 0: not a module: the first 8 bytes are not the module's magic");
  EXPECT_EQ(rejectHeader([](Header &h) { h.major = 9; }),
            "header 8: module format 9, this runtime reads format 1");
  EXPECT_EQ(rejectHeader([](Header &h) { h.sectionCount = 0; }),
            "header 12: expected 1 to 1024 sections, found 0");
  EXPECT_EQ(rejectHeader([](Header &h) { h.sectionCount = 2000; }),
            "header 12: expected 1 to 1024 sections, found 2000");
  EXPECT_EQ(rejectHeader([](Header &h) { h.zeros[3] = 1; }),
            "header 40: reserved bytes are not zero");
  std::vector<uint8_t> file = makeAffineModule();
  std::string size = std::to_string(file.size());
  std::vector<uint8_t> cut(file.begin(), file.end() - 1);
  EXPECT_EQ(reject(cut), "header 16: the file was written with " + size + " bytes and has " +
                             std::to_string(cut.size()) + ": it is cut");
  file.push_back(0);
  EXPECT_EQ(reject(file), "header 16: the file was written with " + size + " bytes and has " +
                              std::to_string(file.size()) + ": it is too long");
  file = makeAffineModule();
  file[24] ^= 1;
  EXPECT_EQ(reject(file),
            "header 24: the digest of header and table does not match: the file is damaged");
}

TEST(Container, TableErrors) {
  EXPECT_EQ(
      rejectEntry(1, [](SectionEntry &e) { e.kind = 77; }),
      "table 112: section 1 has unknown kind 77 and is required: written by a newer compiler");
  EXPECT_EQ(rejectEntry(0, [](SectionEntry &e) { e.kind = 2; }),
            "table 64: expected META as section 0 and nowhere else, found CONSTANTS as section 0");
  EXPECT_EQ(rejectEntry(1, [](SectionEntry &e) { e.flags = 6; }),
            "table 116: section 1 (CONSTANTS) has unknown flags 0x6");
  EXPECT_EQ(rejectEntry(1, [](SectionEntry &e) { e.zero = 1; }),
            "table 140: reserved bytes of section 1 (CONSTANTS) are not zero");
  EXPECT_EQ(rejectEntry(1, [](SectionEntry &e) { e.log2Alignment = 40; }),
            "table 136: section 1 (CONSTANTS) has alignment 2^40, the most is 2^16");
  EXPECT_NE(rejectEntry(1, [](SectionEntry &e) { e.offset += 64; })
                .find("table 120: expected section 1 (CONSTANTS) at offset"),
            std::string::npos);
  EXPECT_NE(
      rejectEntry(1, [](SectionEntry &e) { e.length = uint64_t(1) << 63; })
          .find("table 128: section 1 (CONSTANTS) of 9223372036854775808 bytes ends past the end"),
      std::string::npos);
  EXPECT_NE(rejectEntry(3, [](SectionEntry &e) { e.length -= 8; }).find("the sections end at"),
            std::string::npos);
}

TEST(Container, UnknownOptionalSectionIsSkipped) {
  EXPECT_EQ(rejectEntry(3, [](SectionEntry &e) { e.kind = 77; }), "accepted");
}

TEST(Container, GapsAreZero) {
  std::vector<uint8_t> file = makeAffineModule();
  Container container;
  Error error;
  ASSERT_TRUE(Container::open(file, container, error));
  uint64_t gap = container.section(2).offset - 1;
  file[gap] = 1;
  EXPECT_EQ(reject(file),
            "HOST_IMAGE " + std::to_string(gap) + ": the gap before section 2 is not zero");
}

TEST(Container, DamagedSections) {
  std::vector<uint8_t> file = makeAffineModule();
  Container container;
  Error error;
  ASSERT_TRUE(Container::open(file, container, error));
  for (uint32_t i = 1; i < container.sectionCount(); ++i) {
    uint64_t offset = container.section(i).offset;
    file[offset] ^= 1;
    EXPECT_FALSE(container.checkDigest(i, error));
    EXPECT_EQ(error.offset, offset);
    EXPECT_NE(std::string(error.message).find("digest of section " + std::to_string(i)),
              std::string::npos);
    file[offset] ^= 1;
  }
  uint64_t meta = container.section(0).offset;
  file[meta + 20] ^= 1;
  EXPECT_EQ(reject(file).find("META " + std::to_string(meta) + ": the digest of section 0"), 0u);
}
