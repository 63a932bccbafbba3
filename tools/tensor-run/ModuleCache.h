// Compiled modules kept between runs.
//
// One file for each entry, named by the digest of its key; the key holds all that the module
// depends on and stands whole in the file, followed by the size and time of change of each file
// that the compiler read besides the model. Whatever does not match is a miss, never an error.
#pragma once

#include "Support/File.h"

#include <string>
#include <vector>

namespace tw::run {

/// What a compiled module depends on.
struct CacheKey {
  std::string compiler, target, device, options;
  /// The model's path, whose folder holds further files, and its bytes.
  std::string model;

  /// The key's text; reads the model. False if that fails.
  bool makeText(std::string &text, std::string &error) const;
};

class ModuleCache {
public:
  /// In TENSORWRIGHT_CACHE, XDG_CACHE_HOME/tensorwright or ~/.cache/tensorwright.
  ModuleCache();

  /// Finds the module for `key`; `module` points into `file`, which must be kept.
  bool find(const std::string &key, const std::string &weightsFolder, support::MappedFile &file,
            std::span<const uint8_t> &module) const;

  /// Keeps a module; `files` are those that the module lists, relative to the folder.
  bool store(const std::string &key, const std::string &weightsFolder,
             const std::vector<std::string> &files, std::span<const uint8_t> module,
             std::string &error) const;

private:
  std::string path(const std::string &key) const;

  std::string folder;
};

} // namespace tw::run
