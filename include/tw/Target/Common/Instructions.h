// Instructions of chips that run groups of threads which no dialect of thread form has, as data:
// matrix units, loads of matrices from local memory, and asynchronous copies.
//
// Each is an intrinsic of LLVM. Which thread holds which element of a fragment is said by the
// offset that each bit of a register's and of a lane's number adds to the element's row and column:
// a linear map over bits, as the atoms of TileLayout are. What follows from it (loads, copies in
// several threads, conversions) is derived and in no table.
#pragma once

#include "tw/Format/Element.h"
#include "tw/Layout/TileLayout.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tw {

/// An operand or the sums of a matrix instruction.
struct MatrixFragment {
  struct Offset {
    int64_t row, column;
  };
  /// By bits of the number; no offset: the lane holds a copy.
  llvm::ArrayRef<Offset> registers, lanes;
  /// Registers that make an argument of the intrinsic: one element, or a vector of several.
  int64_t word = 1;
  /// What an argument of several elements is.
  enum class Word : uint8_t {
    Elements, ///< a vector of the elements
    Integers, ///< a vector of integers of their width
    Words,    ///< a vector of integers of 32 bits
    Integer   ///< one integer of their widths together
  } as = Word::Elements;
  /// By bits of the number of a subgroup, where several have the fragment together.
  llvm::ArrayRef<Offset> subgroups = {};
};

/// sums (rows x columns) += lhs (rows x depth) * rhs (depth x columns), by the threads of a
/// subgroup together. The products are exact. Floats are added in f32, in any order; integers wrap.
struct MatrixUnit {
  /// For messages and IR: "mma.m16n8k16.bf16".
  llvm::StringLiteral name;
  int64_t rows, columns, depth;
  format::ElementType operands, results;
  /// The intrinsic takes the words of the three in this order, then zeros of 32 bits; it returns
  /// the sums' words, in a struct if there are several.
  llvm::StringLiteral intrinsic;
  MatrixFragment lhs, rhs, sums;
  int64_t zeros = 0;
  /// Of one that reads local memory: whether operands lie there along the depth alone.
  bool readsAlongDepth = false;
  /// What code with it needs beside what the chip's has: a feature of LLVM.
  llvm::StringLiteral features = "";
  /// Significant bits that sums of floats keep from one product to the next.
  int64_t sumBits = 24;
  /// How integers of the operands count.
  bool lhsUnsigned = false, rhsUnsigned = false;
  /// Whether the intrinsic is told so, by a bit before the words of each, which is set where they
  /// are signed; a last bit says that sums do not wrap.
  bool takesSigns = false;

  /// Subgroups that multiply together.
  int64_t countSubgroups() const { return int64_t(1) << sums.subgroups.size(); }
};

/// How an operand lies in local memory that a unit reads there: in runs of 16 bytes along one of
/// its sides. Runs of neighbours along the other side lie one behind the other.
struct LocalOperand {
  static constexpr int64_t runBytes = 16;
  /// Whether runs go along the depth, and bytes from a run to the next of the same side.
  bool alongDepth = true;
  int64_t step = 0;
  /// Bytes of rows in which runs trade places (ttile.swizzle); 0: in none. Then `step` is from
  /// a row to the next of the same side, and neighbours along the other side are rows.
  int64_t swizzle = 0;

  /// Bytes that lie one behind the other along the side.
  int64_t getRowBytes() const { return swizzle ? swizzle : runBytes; }
};

/// Products of blocks by a unit that reads local memory: sums += lhs * rhs.
struct LocalProduct {
  /// Numbers of the registers of the sums, in the order of the unit's fragment.
  llvm::SmallVector<unsigned> sums;
  /// Bytes by which the blocks lie behind the first ones.
  int64_t lhs = 0, rhs = 0;
  /// Where the lhs is in registers, the operands of the text that are its words.
  llvm::SmallVector<unsigned> words;
  /// Whether there are sums before; else what their registers hold does not count.
  bool adds = true;
};

/// Operands of such products, and those of the text that describe them.
struct LocalProductOperands {
  /// Of the lhs, where it lies in local memory.
  std::optional<LocalOperand> lhs;
  LocalOperand rhs;
  unsigned lhsNumber = 0, rhsNumber = 0;
};

/// Which products go on behind those that are written: none, these alone, or all that are open.
enum class OpenProducts : uint8_t { None, Alone, All };

/// Copies of boxes of tensors from global to local memory, which one thread has made, and words in
/// local memory that count what arrives. Texts of the assembler. Each acts for one thread: where
/// the condition $0 holds.
struct BoxCopies {
  /// Bytes of a map of a tensor, which a kernel takes by value, and what its address is a multiple
  /// of.
  int64_t mapBytes = 0, mapAlignment = 0;
  /// Makes `count` words at $1, each of which counts so many threads.
  std::string (*make)(int64_t count, int64_t threads) = nullptr;
  /// For all threads: lets copies know of words that were made.
  llvm::StringLiteral made = "";
  /// So many bytes will arrive, and then the next filling begins, at word `number` of $1.
  std::string (*expect)(int64_t number, int64_t bytes) = nullptr;
  /// A box of the map $2, at the coordinates $4, $5 .., innermost first, goes `offset` bytes behind
  /// $1, and is counted at word `number` of $3.
  std::string (*copy)(int64_t rank, int64_t offset, int64_t number) = nullptr;
  /// For all threads: waits until the last filling that is even (where $1 is 0) or odd (1) is
  /// there, at word `number` of $0.
  std::string (*await)(int64_t number) = nullptr;
  /// The thread is counted at word `number` of $1.
  std::string (*release)(int64_t number) = nullptr;
};

/// Threads of a program that do different things, as intrinsics.
struct ThreadRoles {
  /// A barrier: its number from 1 on, and how many threads meet there.
  llvm::StringLiteral meet = "";
  /// Gives registers of a thread away, and takes more; how many it has then. All subgroups of
  /// `together` that follow each other do so at once.
  llvm::StringLiteral shrink = "", grow = "";
  int64_t together = 1;
  /// Registers of all threads together, of which each has a multiple of `unit` and `most` at most,
  /// and what is enough for one that has boxes copied.
  int64_t registers = 0, unit = 1, most = 0, few = 0;
};

/// A float of 8 bits that the chip converts by instructions, exactly, or rounded once.
struct SmallFloat {
  format::ElementType type;
  /// f32 of a byte, and the byte of f32; null where the chip has no instruction that rounds as
  /// arith.truncf does.
  mlir::Value (*extend)(mlir::OpBuilder &builder, mlir::Location location, mlir::Value byte);
  mlir::Value (*truncate)(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value);
};

/// What a chip has; empty names where it has none.
struct ChipInstructions {
  llvm::ArrayRef<MatrixUnit> units = {};
  /// Four matrices of 8 rows of 16 bytes in local memory, lane i gives the address of row i % 8 of
  /// matrix i / 8. Lane i gets of each the 4 bytes of row i / 4 at 4 * (i % 4); transposed, of
  /// elements of 16 bits, those of column i / 4 in rows 2 * (i % 4) and 2 * (i % 4) + 1.
  llvm::StringLiteral loadMatrices = "", loadTransposed = "";
  /// A copy of 4, 8 or 16 bytes from global to local memory: addresses there and here, and how many
  /// bytes are read, the rest being 0. It is done when the thread has waited for the group of
  /// copies that it committed.
  llvm::StringLiteral copy4 = "", copy8 = "", copy16 = "";
  llvm::StringLiteral commit = "", wait = "";
  /// Units that subgroups have together and whose operands lie in local memory, tried before the
  /// others: the rhs has no fragment, that of the lhs is how it may lie in registers instead, and
  /// the intrinsic is the instruction's name.
  llvm::ArrayRef<MatrixUnit> localUnits = {};
  /// The number that describes an operand whose first block begins at local address 0. An address
  /// is added in units of 16 bytes, of which `localAddressBits` bits count.
  uint64_t (*describe)(const LocalOperand &operand) = nullptr;
  int64_t localAddressBits = 0;
  /// The text of products, which awaits those that do not stay open. Its first operands are the
  /// registers of sums.
  std::string (*writeProducts)(const MatrixUnit &unit, llvm::ArrayRef<LocalProduct> products,
                               const LocalProductOperands &operands, OpenProducts open) = nullptr;
  /// The text that awaits all products of the thread.
  llvm::StringLiteral awaitProducts = "";
  /// The text that makes what the thread wrote to local memory visible to such units.
  llvm::StringLiteral publish = "";

  llvm::ArrayRef<SmallFloat> smallFloats = {};

  /// Null where it has none; where it has copies of boxes, it has roles.
  const BoxCopies *boxes = nullptr;
  const ThreadRoles *roles = nullptr;

  bool copies() const { return !copy16.empty(); }
};

/// Those of "cuda:sm_80", none where the target has no such things.
const ChipInstructions &getInstructions(llvm::StringRef chip);

/// What is multiplied: the elements of both operands, how integers among them count, and the sums'.
struct UnitTypes {
  mlir::Type operands, sums;
  bool lhsUnsigned = false, rhsUnsigned = false;
};

/// The units of the chip ("" for those of all) for these elements and subgroups of so many threads,
/// in the order of the table.
std::vector<const MatrixUnit *> findMatrixUnits(llvm::StringRef chip, const UnitTypes &types,
                                                int64_t subgroup);

/// Of those that read local memory.
std::vector<const MatrixUnit *> findLocalUnits(llvm::StringRef chip, const UnitTypes &types,
                                               int64_t subgroup);

/// By name, of all targets.
const MatrixUnit *findMatrixUnit(llvm::StringRef name);

} // namespace tw
