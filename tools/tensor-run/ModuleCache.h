// Compiled modules kept between runs.
//
// One file for each entry, named by the digest of its key; the key holds all that the module
// depends on and stands whole in the file, followed by the size and time of change of each file
// that the compiler read besides the model, and by what it said. Whatever does not match is a miss,
// never an error.
#pragma once

#include "Support/File.h"

#include <string>
#include <vector>

namespace tw::run {

/// What a compiled module depends on.
struct CacheKey {
  std::string compiler, target, device, options;
  /// TwcInput::import, whose files are read too.
  std::string import;
  /// The model's path, whose folder holds further files, and its bytes.
  std::string model;

  /// The key's text; reads the model. False if that fails.
  bool makeText(std::string &text, std::string &error) const;
};

class ModuleCache {
public:
  /// In TENSORWRIGHT_CACHE, XDG_CACHE_HOME/tensorwright or ~/.cache/tensorwright.
  ModuleCache();

  /// Finds the module for `key`, and what the compiler said of it; `entry.module` points into
  /// `entry.file`.
  struct Entry {
    support::MappedFile file;
    std::span<const uint8_t> module;
    std::vector<std::string> texts;
  };
  bool find(const std::string &key, const std::string &weightsFolder, Entry &entry) const;

  /// Keeps a module; `files` are those that the module lists, relative to the folder, `texts` what
  /// the compiler said.
  bool store(const std::string &key, const std::string &weightsFolder,
             const std::vector<std::string> &files, const std::vector<std::string> &texts,
             std::span<const uint8_t> module, std::string &error) const;

private:
  std::string path(const std::string &key) const;

  std::string folder;
};

} // namespace tw::run
