// Reads a module: the container's metadata, verified, as FlatBuffers accessors in place.
#pragma once

#include "tw/Format/Commands.h"
#include "tw/Format/Container.h"
#include "tw/Format/Module_generated.h"

#include <optional>
#include <span>
#include <string_view>

namespace tw::format {

/// Verifies structure and meaning of the metadata of an opened container: after it every index is
/// in range, every register and buffer is made before it is used, code ends with return, memory
/// that is written is arena or result memory, or in an initializer a derived constant, which is
/// bound by no program before its initializer has written to it, static arena places lie inside
/// their slabs, equations are of earlier symbols, no memory moves with a late symbol, blocks are
/// closed and what they make is used in them alone, sizes do not overflow, entries lie inside their
/// images, paths stay beneath their folder. Work and memory are linear in the size of the section.
///
/// `metadata` is section 0 of the container at an address aligned to 8, and outlives `root`. Error
/// offsets count from the start of the file.
bool verifyModule(const Container &container, std::span<const uint8_t> metadata,
                  const fb::Module *&root, Error &error);

/// True for a relative path without empty, "." or ".." parts, backslashes or zeros.
bool isPathBeneath(std::string_view path);

/// Whether a dimension is a symbol of a function or a scalar of a launch.
bool isSymbolic(const fb::TensorType &type);

/// The first dimension that is a late symbol of `function`; null if there is none.
const fb::Symbol *findLateSymbol(const fb::Function &function, const fb::TensorType &type);

/// Whether a register that a command makes comes from a late symbol. `isLate` says it of the
/// registers made before, of which its operands are some.
bool isLateRegister(const fb::Function &function, const OpcodeInfo &info, const uint32_t *operands,
                    const bool *isLate);

/// The extents that an argument has in memory.
const fb::TensorType &storageType(const fb::Argument &argument);

/// The results that callers see: those before the first one that counts for another.
uint32_t countVisibleResults(const fb::Function &function);

/// Bytes of a dense tensor whose dimensions below zero are `symbols[-1 - dim]`, which has as many
/// as the verifier asked for. False on overflow and for symbols below zero.
bool computeTypeBytes(const fb::TensorType &type, std::span<const int64_t> symbols,
                      uint64_t &bytes);

/// Bytes of a dense tensor; false on overflow, for symbols, and for types without a memory layout.
bool computeTypeBytes(const fb::TensorType &type, uint64_t &bytes);

/// Checks the bytes of a DEBUG section, aligned to 4.
bool verifyDebug(std::span<const uint8_t> section, Error &error);

/// The text for a kernel in a verified DEBUG section.
std::optional<std::string_view> findKernelSource(std::span<const uint8_t> section, uint32_t kernel);

} // namespace tw::format
