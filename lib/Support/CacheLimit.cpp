// Folders of the cache do not grow for ever.
#include "tw/Support/CacheLimit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

static constexpr uint64_t kDefaultLimit = uint64_t(1) << 30;
/// Between two looks through the folder, of its limit.
static constexpr uint64_t kShare = 16;
/// Has a byte for each of them that was written since the last look: appending is atomic.
static constexpr StringLiteral kJournal = "written";
static constexpr uint64_t kJournalUnit = 1024;

std::optional<uint64_t> tw::getCacheLimit() {
  const char *value = getenv("TENSORWRIGHT_CACHE_SIZE");
  StringRef text = value ? value : "";
  if (text.empty())
    return kDefaultLimit;
  unsigned shift = 0;
  if (size_t unit = StringRef("KMG").find(text.back()); unit != StringRef::npos) {
    shift = 10 * unsigned(unit + 1);
    text = text.drop_back();
  }
  uint64_t number;
  if (text.getAsInteger(10, number) || number > UINT64_MAX >> shift)
    return std::nullopt;
  return number << shift;
}

void tw::markUsed(StringRef path) {
  std::string name = path.str();
  struct stat status;
  if (stat(name.c_str(), &status) == 0 && time(nullptr) - status.st_mtime > 3600)
    utimensat(AT_FDCWD, name.c_str(), nullptr, 0);
}

namespace {

struct Entry {
  std::string path;
  sys::TimePoint<> used;
  uint64_t bytes;
};

} // namespace

static void sweep(StringRef folder, StringRef ending, uint64_t most) {
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::string scratch = (ending + ".").str();
  auto hourAgo = std::chrono::system_clock::now() - std::chrono::hours(1);
  std::error_code error;
  for (sys::fs::directory_iterator it(folder, error, /*follow_symlinks=*/false), end;
       !error && it != end; it.increment(error)) {
    sys::fs::file_status status;
    if (sys::fs::status(it->path(), status, /*follow=*/false) || !is_regular_file(status))
      continue;
    StringRef name = sys::path::filename(it->path());
    if (name.ends_with(ending)) {
      entries.push_back({it->path(), status.getLastModificationTime(), status.getSize()});
      total += status.getSize();
    } else if (name.contains(scratch) && status.getLastModificationTime() < hourAgo) {
      unlink(it->path().c_str());
    }
  }
  llvm::sort(entries, [](const Entry &a, const Entry &b) { return a.used < b.used; });
  for (const Entry &entry : entries) {
    if (total <= most)
      break;
    unlink(entry.path.c_str());
    total -= entry.bytes;
  }
}

void tw::keepWithinLimit(StringRef folder, StringRef ending, uint64_t bytes) {
  uint64_t limit = getCacheLimit().value_or(kDefaultLimit);
  if (limit == 0 || bytes == 0)
    return;
  SmallString<128> path(folder);
  sys::path::append(path, kJournal);
  int journal = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (journal < 0)
    return;
  std::string units((bytes + kJournalUnit - 1) / kJournalUnit, '.');
  bool isWritten = write(journal, units.data(), units.size()) == ssize_t(units.size());
  auto isDue = [&] {
    struct stat status;
    return fstat(journal, &status) == 0 && uint64_t(status.st_size) * kJournalUnit > limit / kShare;
  };
  // The lock goes with the descriptor. What others write from now on is counted anew.
  if (isWritten && isDue() && flock(journal, LOCK_EX | LOCK_NB) == 0 && isDue() &&
      ftruncate(journal, 0) == 0)
    sweep(folder, ending, limit - limit / kShare);
  close(journal);
}
