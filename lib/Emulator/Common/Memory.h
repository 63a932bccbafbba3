// Memory of an emulated device as its kernels see it: which bytes there are, and which were
// written.
//
// Device memory is host memory, and a device address is the host's. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace tw::emulator {

/// Addresses [begin, end). Bit i of `written` says whether byte begin + i holds a value.
struct Range {
  uint64_t begin = 1, end = 0;
  uint64_t *written = nullptr;

  bool holds(uint64_t first, uint64_t last) const { return first >= begin && last <= end; }
};

class Memory {
public:
  void add(uint64_t begin, uint64_t bytes);
  void remove(uint64_t begin);
  void clear() { ranges.clear(); }
  /// What a copy or a fill writes. Nothing happens where the bytes are of no allocation.
  void markWritten(uint64_t begin, uint64_t bytes);
  /// The allocation that holds `address`; NULL if none does.
  const Range *find(uint64_t address) const;

private:
  struct Allocation {
    Range range;
    std::vector<uint64_t> written;
  };
  std::map<uint64_t, Allocation> ranges;
};

} // namespace tw::emulator
