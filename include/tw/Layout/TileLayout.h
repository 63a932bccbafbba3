// Tile layouts: which thread holds which element of a tile, and in which register.
//
// A layout is a mixed-radix repetition of an atom. The atom is linear over bits: each bit of the
// register, lane and warp number has a basis, and an element's coordinates are the exclusive or of
// the bases of the bits that are set. Around it repetitions of any count put copies of the atom
// side by side along a dimension, one digit of the resource's number each. So tiles of any shape
// have layouts (12x32, 64x192), and matrix fragments and swizzles are atoms.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tw::layout {

/// What holds elements: a register of a thread, a lane (a thread of a subgroup), a warp (a subgroup
/// of the program).
enum class Resource : uint8_t { Reg, Lane, Warp };
inline constexpr std::array<Resource, 3> allResources = {Resource::Reg, Resource::Lane,
                                                         Resource::Warp};
const char *getName(Resource resource);

/// `count` copies side by side along a dimension, or of the same elements (no dimension).
struct Repetition {
  Resource resource = Resource::Reg;
  std::optional<unsigned> dim;
  int64_t count = 1;

  bool operator==(const Repetition &) const = default;
};

/// An offset per dimension; all zero: the bit changes nothing, so that two holders hold the same.
using Basis = std::vector<int64_t>;

/// The number of a thread and a register.
struct Holder {
  int64_t reg = 0, lane = 0, warp = 0;

  bool operator==(const Holder &) const = default;
};

/// How a tile gets from one layout to another.
enum class Exchange : uint8_t { None, Registers, Shuffles, Local };

class TileLayout {
public:
  std::vector<int64_t> shape;
  /// Outermost first. The digits of a resource stand above its atom bits, the last one lowest.
  std::vector<Repetition> repetitions;
  /// Extents of the atom, powers of two.
  std::vector<int64_t> atom;
  /// Bit i of a resource's number has basis bases[resource][i].
  std::array<std::vector<Basis>, 3> bases;

  bool operator==(const TileLayout &) const = default;

  /// Empty if valid: the atom times the repetitions is the shape, the bases lie in the atom and
  /// reach all of it. Else what is wrong.
  std::string verify() const;

  /// How many registers, lanes or warps there are.
  int64_t count(Resource resource) const;
  int64_t countThreads() const { return count(Resource::Lane) * count(Resource::Warp); }
  /// The element that a holder holds.
  std::vector<int64_t> coordinates(const Holder &holder) const;
  /// The first register of a thread that holds an element, if one does.
  std::optional<int64_t> findRegister(std::span<const int64_t> element, int64_t lane,
                                      int64_t warp) const;

  /// The layout of tiles that have extent 1 in `dims` and are otherwise like this one: the same
  /// threads hold the element that is broadcast along `dims`, in registers that differ only there
  /// merged.
  TileLayout slice(std::span<const unsigned> dims) const;
  /// Numbers of lanes (or warps) that hold the same elements as smaller numbers do have a bit or
  /// digit set that changes nothing. True if the thread is the first of its kind.
  bool isFirstReplica(int64_t lane, int64_t warp) const;
  bool isReplicated() const;

  /// Whether no two bases share a bit of a coordinate and none has bits in several dimensions: then
  /// an element's coordinates are a sum over the bits and digits of its holder.
  bool isPlain() const;
  /// A holder's coordinate where lane and warp are 0, of a plain layout: that of the register
  /// alone.
  std::vector<int64_t> registerCoordinates(int64_t reg) const { return coordinates({reg, 0, 0}); }
  /// Of a plain layout: what is left when elements that one thread holds along `dims` (if
  /// `acrossLanes`, that one warp holds) are combined. These dimensions have as many elements as
  /// threads (warps) share one, and no registers.
  TileLayout fold(std::span<const unsigned> dims, bool acrossLanes) const;
  /// Of a plain layout: the lowest `bits` bits by which lanes and warps number elements of `dims`
  /// become registers, below those there are; the threads that differed in them hold copies.
  TileLayout gather(std::span<const unsigned> dims, unsigned bits) const;

  /// How many registers from register 0 on, a power of two, hold elements next to each other along
  /// a dimension; every aligned group of as many registers does.
  int64_t contiguousRegisters(unsigned dim) const;

  /// A layout of `shape` over lanes x warps threads, both powers of two. Each thread holds blocks
  /// of `block` elements (powers of two), side by side in the order of dimensions `order`, fastest
  /// first; lanes fill that order before warps do. What is left of the shape is repeated in
  /// registers, threads that are left over hold copies. Block extents are cut to what the shape's
  /// largest power of two divisor allows.
  static TileLayout distribute(std::span<const int64_t> shape, std::span<const int64_t> block,
                               std::span<const unsigned> order, int64_t lanes, int64_t warps);
};

/// The cheapest way for a tile from one layout to another of the same shape and threads.
Exchange findExchange(const TileLayout &from, const TileLayout &to);

/// The worst number of different words of one bank that a subgroup accesses at once, when each
/// lane accesses `width` consecutive elements (from its register `reg` on) of memory with these
/// strides, over all warps and registers. 1: no conflict. Banks: 32 of 4 bytes
/// (NVIDIA CUDA C Programming Guide, "Shared Memory"; AMD LDS likewise).
int64_t countBankConflicts(const TileLayout &layout, std::span<const int64_t> strides,
                           int64_t elementBytes, int64_t width);

/// Strides, row-major over `shape`, whose rows are padded by as many elements as give the fewest
/// bank conflicts over all the layouts that access the memory; no padding when none helps.
std::vector<int64_t> choosePadding(std::span<const int64_t> shape, int64_t elementBytes,
                                   std::span<const TileLayout *const> layouts);

} // namespace tw::layout
