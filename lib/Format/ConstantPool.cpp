// Lays constants out for a CONSTANTS section, sharing equal ones; identity of files.
#include "tw/Format/Metadata.h"

#include <algorithm>
#include <cstring>

using namespace tw::format;

uint64_t ConstantPool::add(std::span<const uint8_t> data, uint32_t alignment) {
  Digest digest = computeDigest(data);
  for (const Entry &entry : entries)
    if (entry.digest == digest && entry.length == data.size() && entry.offset % alignment == 0 &&
        std::equal(data.begin(), data.end(), storage.begin() + entry.offset))
      return entry.offset;
  uint64_t offset = (storage.size() + alignment - 1) / alignment * alignment;
  storage.resize(offset);
  storage.insert(storage.end(), data.begin(), data.end());
  entries.push_back({digest, offset, data.size()});
  return offset;
}

Digest tw::format::computeFileIdentity(std::span<const uint8_t> fileStart) {
  return computeDigest(fileStart.first(std::min<size_t>(fileStart.size(), fileIdentityBytes)));
}
