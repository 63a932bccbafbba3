// The loops that are timed: programs in the llvm dialect, so that every instruction set has them.
#pragma once

#include "../InstructionSet.h"

#include "mlir/IR/MLIRContext.h"

#include <map>
#include <memory>
#include <string>

namespace tw::host::measure {

/// A loop of `steps` iterations over memory at `data`; what `mask` means depends on the loop.
using Loop = void(void *data, int64_t steps, int64_t mask);

/// Instructions between the two loads of the loops "ahead<N>".
inline constexpr int64_t fillers[] = {32,  48,  64,  96,  128, 160, 192, 224,
                                      256, 320, 384, 448, 512, 640, 768};

/// Of a register of the machine's lanes, each step:
///
///   chain                 `chainCycles` operations of one cycle, each waiting for the one before
///   fma, shuffle, divide  `independent()` of them; bf16Dot, int8Dot, if there are such
///   fmaChain              one that waits for the one before
///   loadApart             as many, in `places` in turn, `placeBytes` apart, of mask + 1 each
///   load, store, masked   `accesses` of whole registers, one after another in a ring of mask + 1
///                         bytes, a multiple of their size
///   reload                a sum that goes through memory
///   issue                 `mixed` instructions that wait for nothing
///   branch                a branch that is taken at random where the mask is -1, and never for 0
///   chase                 a load of the address of the next one, from data on
///   lines, pages          a load at random of one of mask / 64 + 1 lines; of the lines one of each
///                         page of 4 KiB in a ring of mask + 1 bytes
///   ahead<N>              two chases, from data and `mask` bytes behind it, N instructions apart
class Loops {
public:
  static constexpr int64_t chainCycles = 128, accesses = 32, mixed = 18;
  static constexpr int64_t places = 4, placeBytes = 512 << 10;

  /// Compiles all of them for this machine; null with `error` if that fails.
  static std::unique_ptr<Loops> create(const Description &machine, std::string &error);
  virtual ~Loops() = default;

  /// Null if there is no such loop.
  Loop *find(llvm::StringRef name) const;
  /// Operations that wait for nothing: as many as registers have room for.
  int64_t independent() const { return count; }

protected:
  std::map<std::string, Loop *, std::less<>> loops;
  int64_t count = 0;
};

} // namespace tw::host::measure
