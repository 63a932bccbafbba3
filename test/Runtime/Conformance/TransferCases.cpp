// Writes, reads, copies and fills: odd offsets and sizes, overlaps, order, ranges refused.
#include "Buffer.h"
#include "Suite.h"

using namespace tw::test;

static std::vector<uint8_t> part(const std::vector<uint8_t> &data, uint64_t offset,
                                 uint64_t bytes) {
  return {data.begin() + int64_t(offset), data.begin() + int64_t(offset + bytes)};
}

struct RangeRow {
  const char *name;
  uint64_t from, to, bytes;
};

static constexpr RangeRow ranges[] = {
    {"0At0", 0, 0, 0},
    {"1At0", 0, 0, 1},
    {"1At1", 1, 0, 1},
    {"1From3To5", 3, 5, 1},
    {"2From1To2", 1, 2, 2},
    {"3From5To1", 5, 1, 3},
    {"4From2To7", 2, 7, 4},
    {"5From7To3", 7, 3, 5},
    {"31From1To1", 1, 1, 31},
    {"64From33To65", 33, 65, 64},
    {"257From0To3", 0, 3, 257},
    {"4099From1To2", 1, 2, 4099},
    {"65537From13To1001", 13, 1001, 65537},
    {"0AtEnd", 70000, 70000, 0},
};

ROWS(WritesAtOddOffsets, ranges) {
  std::vector<uint8_t> data = pattern(70000), piece = pattern(row.bytes, 2);
  Buffer buffer = bench.buffer(70000);
  bench.write(buffer, 0, data);
  bench.write(buffer, row.to, piece);
  std::copy(piece.begin(), piece.end(), data.begin() + int64_t(row.to));
  bench.expectBytes(buffer, 0, data);
}

ROWS(ReadsAtOddOffsets, ranges) {
  std::vector<uint8_t> data = pattern(70000);
  Buffer buffer = bench.buffer(70000);
  bench.write(buffer, 0, data);
  bench.expectBytes(buffer, row.from, part(data, row.from, row.bytes));
}

ROWS(CopiesAtOddOffsets, ranges) {
  std::vector<uint8_t> data = pattern(70000), other = pattern(70000, 2);
  Buffer from = bench.buffer(70000), to = bench.buffer(70000);
  bench.write(from, 0, data);
  bench.write(to, 0, other);
  bench.wait(bench.copy(bench.queue, to, row.to, from, row.from, row.bytes));
  std::copy_n(data.begin() + int64_t(row.from), row.bytes, other.begin() + int64_t(row.to));
  bench.expectBytes(to, 0, other);
  bench.expectBytes(from, 0, data);
}

static constexpr RangeRow overlaps[] = {
    {"SamePlace", 100, 100, 5000},     {"ForwardBy1", 100, 101, 5000},
    {"BackBy1", 101, 100, 5000},       {"ForwardBy7", 10, 17, 40000},
    {"BackBy7", 17, 10, 40000},        {"ForwardBy64", 0, 64, 30000},
    {"BackBy64", 64, 0, 30000},        {"ForwardByMost", 0, 4999, 5000},
    {"BackByMost", 4999, 0, 5000},     {"Touching", 0, 5000, 5000},
    {"Large", 3, 100003, 3000000},     {"LargeBack", 100003, 3, 3000000},
    {"LargeFar", 1, 1500001, 3000000}, {"LargeFarBack", 1500001, 1, 3000000},
};

ROWS(CopiesOverlap, overlaps) {
  uint64_t size = std::max(row.from, row.to) + row.bytes + 10;
  std::vector<uint8_t> data = pattern(size);
  Buffer buffer = bench.buffer(size);
  bench.write(buffer, 0, data);
  bench.wait(bench.copy(bench.queue, buffer, row.to, buffer, row.from, row.bytes));
  memmove(data.data() + row.to, data.data() + row.from, row.bytes);
  bench.expectBytes(buffer, 0, data);
}

struct FillRow {
  const char *name;
  uint32_t width;
  uint64_t offset, bytes;
  int64_t pattern;
};

static constexpr FillRow fills[] = {
    {"Byte", 1, 0, 100, 0x5a},
    {"ByteOdd", 1, 3, 77, 0x81},
    {"ByteOne", 1, 5, 1, 0xff},
    {"Two", 2, 0, 200, 0x1234},
    {"TwoOdd", 2, 1, 30, 0x1234},
    {"TwoEqualHalves", 2, 2, 64, 0x7777},
    {"Four", 4, 0, 4096, 0x3fc00001},
    {"FourAt4", 4, 4, 100, 0x01020304},
    {"FourOdd", 4, 3, 400, 0x01020304},
    {"FourLarge", 4, 0, 5 << 20, 0x0badcafe},
    {"Eight", 8, 0, 8000, 0x0102030405060708},
    {"EightOdd", 8, 5, 8000, 0x0102030405060708},
    {"EightOne", 8, 8, 8, -2},
    {"EightEqualHalves", 8, 8, 64, 0x1234567812345678},
    {"EightLarge", 8, 0, 5 << 20, 0x0102030405060708},
    {"Zero", 8, 0, 1 << 20, 0},
    {"Nothing", 4, 8, 0, 1},
};

ROWS(Fills, fills) {
  uint64_t size = row.offset + row.bytes + 9;
  std::vector<uint8_t> data = pattern(size);
  Buffer buffer = bench.buffer(size);
  bench.write(buffer, 0, data);
  // The C API has no fill; launch programs use the driver's.
  uint64_t point = 0;
  ASSERT_OK(bench.device->driver->fill(bench.queue->handle,
                                       {&buffer->memory, row.offset, row.bytes}, row.pattern,
                                       row.width, &point, &error));
  bench.wait({bench.queue.get(), point});
  for (uint64_t i = 0; i < row.bytes; ++i)
    data[row.offset + i] = uint8_t(uint64_t(row.pattern) >> (8 * (i % row.width)));
  bench.expectBytes(buffer, 0, data);
}

CASE(LastWriteWins) {
  Buffer buffer = bench.buffer(1000);
  std::vector<uint8_t> first = pattern(1000), second = pattern(1000, 2);
  bench.write(bench.queue, buffer, 0, first);
  bench.wait(bench.write(bench.queue, buffer, 0, second));
  bench.expectBytes(buffer, 0, second);
}

CASE(CommandsRunInOrder) {
  Buffer a = bench.buffer(5000), b = bench.buffer(5000), c = bench.buffer(5000);
  std::vector<uint8_t> data = pattern(5000), other = pattern(5000, 2);
  bench.write(bench.queue, a, 0, data);
  bench.copy(bench.queue, b, 0, a, 0, 5000);
  TwrtPoint kept = bench.write(bench.queue, a, 0, other);
  bench.copy(bench.queue, c, 1, b, 0, 4999);
  bench.copy(bench.queue, c, 0, a, 7, 1);
  std::vector<uint8_t> expected = data;
  std::copy_n(data.begin(), 4999, expected.begin() + 1);
  expected[0] = other[7];
  bench.expectBytes(c, 0, expected);
  bench.wait(kept);
}

CASE(SourceMayChangeAfterThePoint) {
  Buffer buffer = bench.buffer(3 << 20);
  std::vector<uint8_t> data = pattern(3 << 20), kept = data;
  bench.wait(bench.write(bench.queue, buffer, 0, data));
  std::fill(data.begin(), data.end(), 0);
  bench.expectBytes(buffer, 0, kept);
}

CASE(ManyWritesInFlight) {
  Buffer buffer = bench.buffer(400 * 40000);
  std::vector<uint8_t> data = pattern(400 * 40000);
  TwrtPoint point = {};
  for (uint32_t i = 0; i < 400; ++i)
    ASSERT_OK(twrtBufferWrite(bench.queue.get(), buffer.get(), i * 40000,
                              {data.data() + i * 40000, 40000}, &point, &error));
  bench.wait(point);
  bench.expectBytes(buffer, 0, data);
}

CASE(WithoutAPointWaits) {
  Buffer buffer = bench.buffer(300000);
  std::vector<uint8_t> data = pattern(300000), kept = data, found(300000, 0xee);
  ASSERT_OK(twrtBufferWrite(bench.queue.get(), buffer.get(), 0, {data.data(), data.size()}, nullptr,
                            &error));
  data.clear();
  data.shrink_to_fit();
  ASSERT_OK(twrtBufferRead(bench.queue.get(), buffer.get(), 0, found.data(), found.size(), nullptr,
                           &error));
  if (!bench.target.computes)
    kept.assign(kept.size(), 0);
  EXPECT_EQ(found, kept);
}

struct RefusedRow {
  const char *name;
  uint64_t offset, bytes;
};
static constexpr RefusedRow refused[] = {
    {"OneTooMany", 0, 101},       {"AtTheEnd", 100, 1},
    {"Behind", 101, 0},           {"Overflowing", 8, UINT64_MAX - 3},
    {"FarBehind", UINT64_MAX, 0},
};

ROWS(RefusesRanges, refused) {
  Buffer buffer = bench.buffer(100), other = bench.buffer(50);
  uint8_t byte = 0;
  EXPECT_FAILS(twrtBufferWrite(bench.queue.get(), buffer.get(), row.offset,
                               {&byte, size_t(row.bytes)}, nullptr, &error),
               TWRT_INVALID_ARGUMENT, "of a buffer of 100 bytes");
  EXPECT_FAILS(twrtBufferRead(bench.queue.get(), buffer.get(), row.offset, &byte, size_t(row.bytes),
                              nullptr, &error),
               TWRT_INVALID_ARGUMENT, "of a buffer of 100 bytes");
  EXPECT_FAILS(twrtBufferCopy(bench.queue.get(), buffer.get(), row.offset, buffer.get(), 0,
                              row.bytes, nullptr, &error),
               TWRT_INVALID_ARGUMENT, "of a buffer of 100 bytes");
  EXPECT_FAILS(
      twrtBufferCopy(bench.queue.get(), buffer.get(), 0, other.get(), 20, 31, nullptr, &error),
      TWRT_INVALID_ARGUMENT, "31 bytes at offset 20 of a buffer of 50 bytes");
}

CASE(RefusesNulls) {
  Buffer buffer = bench.buffer(10);
  EXPECT_FAILS(twrtBufferWrite(nullptr, buffer.get(), 0, {nullptr, 0}, nullptr, &error),
               TWRT_INVALID_ARGUMENT, "queue is NULL");
  EXPECT_FAILS(twrtBufferWrite(bench.queue.get(), buffer.get(), 0, {nullptr, 1}, nullptr, &error),
               TWRT_INVALID_ARGUMENT, "data is NULL");
  EXPECT_FAILS(twrtBufferRead(bench.queue.get(), nullptr, 0, nullptr, 0, nullptr, &error),
               TWRT_INVALID_ARGUMENT, "buffer is NULL");
  EXPECT_FAILS(twrtBufferCreate(nullptr, 1, 0, nullptr, &error), TWRT_INVALID_ARGUMENT,
               "device is NULL");
}
