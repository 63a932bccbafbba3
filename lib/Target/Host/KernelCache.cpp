// Files of the cache of kernels.
#include "KernelCache.h"

#include "tw/Support/BuildId.h"
#include "tw/Support/CacheLimit.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <cstring>

using namespace mlir;
using namespace tw;
using namespace tw::host;

namespace {

/// Followed by the key and the object.
struct EntryHeader {
  char magic[8];
  uint64_t keyBytes, codeBytes;
  int64_t spills, loopSpills, accesses, guards, loopGuards;
  /// Of key and object.
  uint64_t digest[2];
};
static_assert(sizeof(EntryHeader) == 80);
constexpr StringLiteral kEnding = ".twk";
constexpr char kMagic[8] = {'T', 'W', 'K', 'E', 'R', 'N', 'E', '1'};

llvm::XXH128_hash_t digestOf(StringRef text) {
  return llvm::xxh3_128bits(llvm::arrayRefFromStringRef(text));
}

} // namespace

KernelCache::KernelCache(StringRef folder, const Twine &context)
    : folder(getBuildId().empty() ? "" : folder.str()),
      context("build " + getBuildId() + "\n" + context.str() + "\n") {}

KernelCache::Key KernelCache::getKey(tile::FuncOp kernel) const {
  Key key{"", context};
  llvm::raw_string_ostream out(key.text);
  tile::FuncOp nameless = kernel.clone();
  nameless.setSymName("kernel");
  nameless->print(out, OpPrintingFlags().useLocalScope().assumeVerified());
  nameless->erase();
  llvm::XXH128_hash_t digest = digestOf(key.text);
  key.symbol = "k" + llvm::utohexstr(digest.high64, /*LowerCase=*/true, 16) +
               llvm::utohexstr(digest.low64, /*LowerCase=*/true, 16);
  return key;
}

std::string KernelCache::getPath(const Key &key) const {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, key.symbol + kEnding);
  return std::string(path);
}

std::optional<CachedKernel> KernelCache::find(const Key &key) const {
  if (folder.empty())
    return std::nullopt;
  std::string path = getPath(key);
  // What is no file is not opened: that could wait for ever.
  if (llvm::sys::fs::file_status status;
      llvm::sys::fs::status(path, status) || !llvm::sys::fs::is_regular_file(status))
    return std::nullopt;
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  EntryHeader header;
  if (!file || (*file)->getBufferSize() < sizeof(header))
    return std::nullopt;
  StringRef bytes = (*file)->getBuffer();
  memcpy(&header, bytes.data(), sizeof(header));
  StringRef rest = bytes.drop_front(sizeof(header));
  if (memcmp(header.magic, kMagic, sizeof(kMagic)) != 0 || header.keyBytes > rest.size() ||
      header.codeBytes != rest.size() - header.keyBytes)
    return std::nullopt;
  llvm::XXH128_hash_t digest = digestOf(rest);
  if (digest.high64 != header.digest[0] || digest.low64 != header.digest[1] ||
      rest.take_front(header.keyBytes) != key.text)
    return std::nullopt;
  markUsed(path);
  CachedKernel kernel;
  kernel.object.code = rest.drop_front(header.keyBytes).str();
  kernel.object.spills = header.spills;
  kernel.object.loopSpills = header.loopSpills;
  kernel.counts.accesses = header.accesses;
  kernel.counts.guards = header.guards;
  kernel.counts.loopGuards = header.loopGuards;
  return kernel;
}

uint64_t KernelCache::store(const Key &key, const KernelObject &object,
                            const CodeCounts &counts) const {
  if (folder.empty() || llvm::sys::fs::create_directories(folder))
    return 0;
  std::string rest = key.text + object.code;
  llvm::XXH128_hash_t digest = digestOf(rest);
  EntryHeader header = {{},
                        key.text.size(),
                        object.code.size(),
                        object.spills,
                        object.loopSpills,
                        counts.accesses,
                        counts.guards,
                        counts.loopGuards,
                        {digest.high64, digest.low64}};
  memcpy(header.magic, kMagic, sizeof(kMagic));
  // Not flushed to disk, as the digest tells half an entry.
  auto file = llvm::sys::fs::TempFile::create(getPath(key) + ".%%%%%%%%");
  if (!file) {
    llvm::consumeError(file.takeError());
    return 0;
  }
  bool isWritten;
  {
    llvm::raw_fd_ostream out(file->FD, /*shouldClose=*/false);
    out.write(reinterpret_cast<const char *>(&header), sizeof(header));
    out << rest;
    out.flush();
    isWritten = !out.has_error();
    out.clear_error();
  }
  llvm::consumeError(isWritten ? file->keep(getPath(key)) : file->discard());
  return sizeof(header) + rest.size();
}

void KernelCache::keepWithinLimit(uint64_t stored) const {
  if (!folder.empty())
    tw::keepWithinLimit(folder, kEnding, stored);
}
