// Compiled modules kept between runs.
#include "ModuleCache.h"

#include "tw/Support/CacheFolder.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace tw::run;
using namespace tw::support;

namespace {
/// Followed by the key, the stamps, the compiler's texts, each ended by zero, and zeros up to a
/// page; then the module.
struct EntryHeader {
  char magic[8];
  uint64_t keyBytes, stampBytes, textBytes, moduleOffset, moduleBytes;
  /// Of key, stamps and texts.
  uint8_t digest[16];
};
static_assert(sizeof(EntryHeader) == 64);
constexpr char entryMagic[8] = {'T', 'W', 'C', 'A', 'C', 'H', 'E', '2'};
constexpr uint64_t page = 4096;
} // namespace

static std::string digestOf(std::span<const uint8_t> bytes) {
  XXH128_canonical_t digest;
  XXH128_canonicalFromHash(&digest, XXH3_128bits(bytes.data(), bytes.size()));
  return {reinterpret_cast<const char *>(digest.digest), sizeof(digest.digest)};
}

static std::span<const uint8_t> asBytes(const std::string &text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

static std::string hexadecimal(const std::string &bytes) {
  std::string digits;
  for (unsigned char byte : bytes) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

/// Of all tables that --measure has kept: the compiler knows which one is this machine's.
static std::string digestOfMachines() {
  std::string folder = tw::getMachinesFolder(), text, error;
  std::vector<std::string> paths;
  std::error_code none;
  if (!folder.empty())
    for (const auto &entry : std::filesystem::directory_iterator(folder, none))
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths)
    if (MappedFile file; file.open(path, error))
      text += hexadecimal(digestOf(file.bytes()));
  return text.empty() ? "none" : hexadecimal(digestOf(asBytes(text)));
}

bool CacheKey::makeText(std::string &text, std::string &error) const {
  MappedFile file;
  if (!file.open(model, error))
    return false;
  size_t slash = model.rfind('/'), dot = model.rfind('.');
  bool hasEnding = dot != model.npos && (slash == model.npos || dot > slash);
  text = "compiler " + compiler + "\ntarget " + target + "\ndevice " + device + "\nmachines " +
         digestOfMachines() + "\noptions " + options + "\nkind " +
         (hasEnding ? model.substr(dot) : "") + "\nname " +
         model.substr(slash == model.npos ? 0 : slash + 1) + "\nmodel " +
         hexadecimal(digestOf(file.bytes())) + " " + std::to_string(file.bytes().size()) + "\n" +
         import;
  for (size_t at = 0, end; (end = import.find('\n', at)) != import.npos; at = end + 1) {
    std::string entry = import.substr(at, end - at);
    if (!entry.starts_with("assume="))
      continue;
    if (!file.open(entry.substr(entry.rfind('=') + 1), error))
      return false;
    text += hexadecimal(digestOf(file.bytes())) + "\n";
  }
  return true;
}

ModuleCache::ModuleCache() : folder(tw::getCacheFolder()) {}

std::string ModuleCache::path(const std::string &key) const {
  return folder + "/" + hexadecimal(digestOf(asBytes(key))) + ".twc";
}

/// "path size seconds nanoseconds" or nothing for a file that is not there.
static std::string stampOf(const std::string &weightsFolder, const std::string &file) {
  struct stat status;
  if (stat((weightsFolder + "/" + file).c_str(), &status) != 0)
    return "";
  return file + "\t" + std::to_string(status.st_size) + "\t" +
         std::to_string(status.st_mtim.tv_sec) + "\t" + std::to_string(status.st_mtim.tv_nsec) +
         "\n";
}

bool ModuleCache::find(const std::string &key, const std::string &weightsFolder,
                       Entry &entry) const {
  std::string error;
  MappedFile opened;
  if (folder.empty() || !opened.open(path(key), error))
    return false;
  std::span<const uint8_t> bytes = opened.bytes();
  EntryHeader header;
  if (bytes.size() < sizeof(header))
    return false;
  memcpy(&header, bytes.data(), sizeof(header));
  uint64_t rest = bytes.size() - sizeof(header);
  if (memcmp(header.magic, entryMagic, sizeof(entryMagic)) != 0 || header.keyBytes > rest ||
      header.stampBytes > rest - header.keyBytes ||
      header.textBytes > rest - header.keyBytes - header.stampBytes ||
      header.moduleOffset > bytes.size() ||
      header.moduleBytes != bytes.size() - header.moduleOffset)
    return false;
  std::span<const uint8_t> text =
      bytes.subspan(sizeof(header), header.keyBytes + header.stampBytes + header.textBytes);
  if (memcmp(digestOf(text).data(), header.digest, sizeof(header.digest)) != 0)
    return false;
  std::string found(text.begin(), text.end());
  if (found.substr(0, header.keyBytes) != key)
    return false;
  size_t stampsEnd = header.keyBytes + header.stampBytes;
  for (size_t at = header.keyBytes; at < stampsEnd;) {
    size_t end = found.find('\n', at), tab = found.find('\t', at);
    if (end >= stampsEnd || tab > end)
      return false;
    std::string line = found.substr(at, end + 1 - at);
    if (stampOf(weightsFolder, line.substr(0, tab - at)) != line)
      return false;
    at = end + 1;
  }
  entry.texts.clear();
  for (size_t at = stampsEnd, end; (end = found.find('\0', at)) != found.npos; at = end + 1)
    entry.texts.push_back(found.substr(at, end - at));
  entry.module = bytes.subspan(header.moduleOffset, header.moduleBytes);
  entry.file = std::move(opened);
  return true;
}

bool ModuleCache::store(const std::string &key, const std::string &weightsFolder,
                        const std::vector<std::string> &files,
                        const std::vector<std::string> &texts, std::span<const uint8_t> module,
                        std::string &error) const {
  if (folder.empty()) {
    error = "there is no folder for the cache: set TENSORWRIGHT_CACHE or HOME";
    return false;
  }
  std::string text = key;
  for (const std::string &file : files)
    text += stampOf(weightsFolder, file);
  EntryHeader header = {};
  memcpy(header.magic, entryMagic, sizeof(entryMagic));
  header.keyBytes = key.size();
  header.stampBytes = text.size() - key.size();
  for (const std::string &said : texts)
    text += said + '\0';
  header.textBytes = text.size() - key.size() - header.stampBytes;
  memcpy(header.digest, digestOf(asBytes(text)).data(), sizeof(header.digest));
  header.moduleOffset = (sizeof(header) + text.size() + page - 1) / page * page;
  header.moduleBytes = module.size();
  text.resize(header.moduleOffset - sizeof(header));
  return makeFolders(folder, error) &&
         writeFileAtomically(path(key),
                             {{reinterpret_cast<const char *>(&header), sizeof(header)},
                              text,
                              {reinterpret_cast<const char *>(module.data()), module.size()}},
                             error, Replace::Anything);
}
