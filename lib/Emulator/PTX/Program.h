// A PTX module, decoded: what the parser makes and the warps run.
//
// A register is a row of 32 lanes: 128 bytes for 16 and 32 bits (16-bit values have zeros above),
// 256 bytes for 64 bits; a predicate is one mask of 32 bits. All rows of a warp are one array, and
// an operation names them by byte offsets. Immediates, special registers and parameters are rows as
// well, filled before the first operation, so that an operation never asks what its operand is.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tw::emulator::ptx {

struct Warp;
struct Op;
using Handler = void (*)(Warp &, const Op &);

inline constexpr uint32_t none = UINT32_MAX;

/// Local memory ("shared" in PTX) is a window of addresses that starts above 0, so that a null
/// pointer is outside; generic addresses of it have `localWindow` added.
inline constexpr uint64_t localBase = 1024, localWindow = uint64_t(1) << 60;

/// Addresses of parameters, which only bulk copies take: of tensor maps.
inline constexpr uint64_t parameterWindow = uint64_t(1) << 61;

struct Op {
  Handler run = nullptr;
  /// Rows of the operands, results first; `none` for a result that is thrown away.
  const uint32_t *rows = nullptr;
  /// What is added to an address; immediates of instructions that take them.
  int64_t offset = 0, offset2 = 0, offset3 = 0;
  /// With a guard, `run` asks it and `guarded` is what the lanes then do.
  Handler guarded = nullptr;
  uint32_t guard = none;
  /// Branches: where to, and where the lanes meet again (`none`: at the end).
  uint32_t target = none, join = none;
  uint32_t line = 0, index = 0;
  uint8_t results = 0, sources = 0;
  bool negated = false;
  /// A predicate that is read is turned round.
  bool inverted = false;
  /// The lanes leave the kernel here.
  bool ends = false;
  /// A product that may go on with the sums of one that is under way (wgmma).
  bool isProduct = false;
  /// Elements of a vector; the address is in a 64-bit row.
  uint8_t count = 1;
  bool wide = true;
  /// Bytes of one element, for what is not a template over them.
  uint8_t bytes = 4;
};

enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  ClusterCtaRank,
  ClusterNctaRank,
  ClusterCtaidX,
  ClusterNctaidX,
  ClusteridX,
  NclusteridX,
  DynamicBytes,
  TotalBytes,
};

/// A row that is filled when a warp is made. `bits`: 1, 32 or 64.
struct Constant {
  uint32_t row;
  uint8_t bits;
  /// The address of dynamic local memory is added.
  bool dynamic;
  uint64_t value;
};

struct Parameter {
  std::string name;
  uint32_t offset, bytes;
  /// Declared as the address of something (.ptr).
  bool pointer;
};

struct Kernel {
  std::string name;
  std::vector<Op> ops;
  std::vector<uint32_t> rows;
  uint32_t registerBytes = 0;
  std::vector<Constant> constants;
  std::vector<std::pair<Special, uint32_t>> specials;
  std::vector<Parameter> parameters;
  /// Rows that take `bytes` bytes of the parameters from `offset`.
  struct ParameterRow {
    uint32_t row, offset, bytes;
  };
  std::vector<ParameterRow> parameterRows;
  uint32_t parameterBytes = 0;
  /// Local memory that the code declares, and the alignment of what comes with the launch.
  uint32_t localBytes = 0, dynamicAlignment = 16;
  /// Threads of a block as the code demands them (.reqntid); 0: any.
  uint32_t threads[3] = {};
  /// The most that code allows (.maxntid); 0: as many as the device.
  uint32_t maxThreads = 0;
  /// The narrowest access to local memory: what races are looked for in.
  uint32_t cellBytes = 16;
  /// By row / 64, whether asynchronous products (wgmma) use the row; empty: there are none.
  std::vector<uint8_t> watched;
};

struct Program {
  std::string source;
  std::string target;
  /// Local memory that the module declares outside of kernels.
  uint32_t localBytes = 0, dynamicAlignment = 16;
  std::map<std::string, std::unique_ptr<Kernel>, std::less<>> kernels;

  /// Line `number` of the source, from 1, without blanks around it.
  std::string_view line(uint32_t number) const;
};

/// Reads a PTX text. NULL, with `error` naming line and token, if a thing in it is not known.
std::unique_ptr<Program> parse(std::string_view text, std::string &error);

/// Finds where the lanes of each branch meet again: its immediate post-dominator.
void findJoins(Kernel &kernel);

} // namespace tw::emulator::ptx
