// Reading files whole, and writing them so that they appear whole or not at all. No LLVM.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tw::support {

/// A file's bytes, mapped for reading. Movable.
class MappedFile {
public:
  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  /// False with the reason in `error` ("cannot open x.npy: No such file or directory").
  bool open(const std::string &path, std::string &error);
  std::span<const uint8_t> bytes() const { return {data, size}; }

private:
  const uint8_t *data = nullptr;
  size_t size = 0;
};

/// Writes the pieces, one after the other, to a temporary file in the folder of `path`, syncs it
/// and renames it to `path`: whoever reads `path` sees the old file or the whole new one. Removes
/// the temporary file when anything fails. Several processes may write the same path at once. A
/// link is followed; devices and pipes are written to directly unless anything is to be replaced.
enum class Replace { Files, Anything };
bool writeFileAtomically(const std::string &path, std::initializer_list<std::string_view> pieces,
                         std::string &error, Replace replace = Replace::Files);

/// Makes the folder and those above it; true if they are there in the end.
bool makeFolders(const std::string &path, std::string &error);

} // namespace tw::support
