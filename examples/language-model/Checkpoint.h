// A folder with config.json and *.safetensors.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

/// What config.json says of a Llama or Phi-3 architecture.
struct Config {
  std::string architecture; // "llama", "mistral", "phi3"
  int64_t width = 0, layers = 0, heads = 0, groups = 0, headSize = 0, inner = 0, vocabulary = 0;
  int64_t positions = 0;
  double epsilon = 1e-5, ropeBase = 10000;
  bool tiesEmbeddings = false;
  std::vector<int64_t> stops;
};

/// Where the elements of a tensor lie.
struct StoredTensor {
  std::string file; // beneath the folder
  std::string dtype;
  std::vector<int64_t> shape;
  uint64_t offset = 0, length = 0;
};

class Checkpoint {
public:
  static llvm::Expected<Checkpoint> open(const std::string &folder);

  /// An error names what is missing.
  llvm::Expected<StoredTensor> find(llvm::StringRef name) const;
  bool contains(llvm::StringRef name) const { return tensors.contains(name); }

  std::string folder;
  Config config;

private:
  llvm::Error readConfig();
  llvm::Error readHeader(const std::string &file);

  llvm::StringMap<StoredTensor> tensors;
};
