// Assembles a launch program; see Commands.h for what the commands do.
//
//   ProgramBuilder program("host");
//   BufferRef x = program.bindArgument(0), y = program.bindResult(0);
//   BufferRef t = program.reserve(4096);
//   program.launch(kernel0, {grid, 1, 1}, {x, t});
//   program.launch(kernel1, {grid, 1, 1}, {t, y});
//   Program code = program.finish(report);
//
// Sizes that change: the function's symbols are made with SymbolTable, whatever a program needs of
// them are registers. With x and y of type f32[S], a kernel of bindings f32[s0] takes S as its
// first scalar:
//
//   SymbolTable symbols;
//   uint32_t s = symbols.add({"S", 1, 4096}), eight = symbols.constant(8);
//   uint32_t tiles = symbols.derive(Opcode::CeilDiv, s, eight);
//   RegisterRef size = program.symbol(s, 512), one = program.constant(1);
//   BufferRef t = program.reserve(program.arith(Opcode::Mul, size, program.constant(4)));
//   BufferRef bindings[] = {x, t};
//   program.launch(kernel2, {program.symbol(tiles, 64), one, one}, bindings, {&size, 1});
//
// Blocks are made between the calls that begin and end them. A loop that doubles t ten times, by
// turns into t and u, and then as often as b says:
//
//   BufferRef t = program.reserve(4096), u = program.reserve(4096);
//   program.copy(t, x);
//   program.repeat(program.constant(10));
//   program.launch(kernel0, {grid, 1, 1}, {t, u});
//   program.rotate(t, u);
//   program.endLoop();
//   program.repeatRead(b, program.constant(1000));
//   ...
//   program.endLoop();
//   program.copy(y, t);  // what the last iteration made
//
// What a launch hands to a kernel: its bindings (inputs, then results), then its scalars, in the
// order of Kernel::bindings and as many as Kernel::scalars. A dimension symbolicDim(k) of a
// binding's type is the launch's scalar k, one of an argument's or a result's the function's symbol
// k.
#pragma once

#include "tw/Format/Commands.h"
#include "tw/Format/Metadata.h"
#include "tw/Format/Planner.h"

#include <initializer_list>
#include <map>
#include <span>
#include <tuple>

namespace tw::format {

struct RegisterRef {
  uint32_t index;
};

struct BufferRef {
  uint32_t index;
};

/// What the static plan of a program came to.
struct ArenaReport {
  uint64_t totalBytes = 0;
  uint64_t peakLiveBytes = 0;
};

/// The symbols of a function while they are made. Equal equations share a symbol, so that equal
/// sizes are equal numbers.
class SymbolTable {
public:
  /// A free symbol, or one whose equation the caller has filled in.
  uint32_t add(Symbol symbol);
  uint32_t constant(int64_t value);
  /// Add, Sub, Mul, FloorDiv, CeilDiv, Mod, Min or Max of two symbols, named after them ("S + T")
  /// unless `name` says otherwise. It is late if one of them is. `range` gives what a call's values
  /// are checked against: from 0 on, if nothing is said.
  uint32_t derive(Opcode opcode, uint32_t a, uint32_t b, std::string name = "",
                  std::pair<int64_t, int64_t> range = {0, -1});
  /// Changes what was made, such as the range of an equation or whether it is late.
  Symbol &operator[](uint32_t index) { return symbols[index]; }
  /// In the order of their indices: Function::symbols.
  const std::vector<Symbol> &list() const { return symbols; }

private:
  std::vector<Symbol> symbols;
  /// Equation, a, b or the literal.
  std::map<std::tuple<uint8_t, int64_t, int64_t>, uint32_t> known;
};

class ProgramBuilder {
public:
  /// Starts with one slot, of kind "host" for target "host", else "device". `maxSlab` 0: no limit.
  explicit ProgramBuilder(std::string target, uint64_t maxSlab = 0, uint32_t offsetAlignment = 64);

  /// The location (index into Metadata::locations) of the commands that follow.
  void setLocation(uint32_t location) { currentLocation = location; }

  /// Equal values share one register.
  RegisterRef constant(int64_t value);
  RegisterRef dim(uint32_t argument, uint32_t axis);
  /// The value of the function's symbol `index`; the same one always gives the same register. With
  /// `typical` values of all symbols that sizes come from, finish finds an order in which the
  /// runtime places the arena well.
  RegisterRef symbol(uint32_t index, std::optional<int64_t> typical = std::nullopt);
  /// Add, Sub, Mul, FloorDiv, CeilDiv, Mod, Min or Max.
  RegisterRef arith(Opcode opcode, RegisterRef a, RegisterRef b);
  RegisterRef compare(Predicate predicate, RegisterRef a, RegisterRef b);
  RegisterRef select(RegisterRef condition, RegisterRef a, RegisterRef b);
  void guard(RegisterRef condition);
  /// Two symbols of the function must be equal, for what the current location says: else preparing
  /// a call fails and names both.
  void check(uint32_t symbol, uint32_t other);

  /// What follows runs if `condition` is not 0, up to `otherwise` or `endWhen`; what follows
  /// `otherwise` if it is 0. Chosen when a call is prepared. `condition` comes from no late symbol.
  /// Registers and buffers that are made in a side are used in that side only; those that are
  /// shared (constants, symbols, bindings) are made anew where they are needed.
  void when(RegisterRef condition);
  void otherwise();
  void endWhen();

  /// What follows runs if the byte in `condition` is not 0 when a call reaches it, up to
  /// `beginElse` or `endIf`. For what is made in a side or a loop `when` says what holds.
  void beginIf(BufferRef condition);
  void beginElse();
  void endIf();
  /// What follows, up to `endLoop`, runs as often as `count` says, which comes from no late symbol;
  /// below 0: not at all.
  void repeat(RegisterRef count);
  /// As often as the 64 bits in `amount` say when a call reaches it: more than `limit` is an error
  /// of the call.
  void repeatRead(BufferRef amount, RegisterRef limit);
  /// As long as the byte in `condition` is not 0 before an iteration; one after `limit` of them is
  /// an error of the call.
  void beginWhile(BufferRef condition, RegisterRef limit);
  void endLoop();
  /// The last calls before `endLoop`: `a` and `b` have each other's memory from the next iteration
  /// on, and behind the loop. Both are reserved, not slices, in one block outside of the loop, with
  /// the same size register and alignment.
  void rotate(BufferRef a, BufferRef b);
  /// In iteration i of the innermost loop, from 0 on, `bytes` of `whole` from `offset` + i * `step`
  /// on. None of the numbers comes from a late symbol.
  BufferRef advance(BufferRef whole, RegisterRef offset, RegisterRef step, RegisterRef bytes);

  /// The whole of an argument, a result or a constant; the same one always gives the same buffer.
  BufferRef bindArgument(uint32_t index) { return bind(BindKind::Argument, index); }
  BufferRef bindResult(uint32_t index) { return bind(BindKind::Result, index); }
  BufferRef bindConstant(uint32_t index) { return bind(BindKind::Constant, index); }
  BufferRef bind(BindKind kind, uint32_t index);

  /// Arena memory. Its lifetime, from the first to the last command that uses it or a slice of
  /// it, is found by finish, and takes in loops that use it from outside; so is its place, unless
  /// `place` gives one.
  BufferRef reserve(RegisterRef bytes, uint32_t alignment = 64,
                    std::optional<Placement> place = std::nullopt);
  BufferRef reserve(uint64_t bytes, uint32_t alignment = 64,
                    std::optional<Placement> place = std::nullopt);
  BufferRef slice(BufferRef buffer, RegisterRef offset, RegisterRef bytes);

  struct Grid {
    uint32_t x = 1, y = 1, z = 1;
  };
  void launch(uint32_t kernel, Grid grid, std::span<const BufferRef> bindings,
              std::span<const RegisterRef> scalars = {});
  void launch(uint32_t kernel, Grid grid, std::initializer_list<BufferRef> bindings) {
    launch(kernel, grid, std::span<const BufferRef>(bindings.begin(), bindings.size()));
  }
  /// With a grid that the program computes.
  void launch(uint32_t kernel, const RegisterRef (&grid)[3], std::span<const BufferRef> bindings,
              std::span<const RegisterRef> scalars);
  void copy(BufferRef to, BufferRef from);
  void fill(BufferRef buffer, int64_t pattern, uint32_t width);

  /// What runs once, made by a builder of its own: there, derived constants may be written. Its
  /// arena is not part of this program's.
  void setInitializer(Program initializer) {
    program.initializer.assign(1, std::move(initializer));
  }

  /// Adds the return, settles lifetimes and, when all sizes are constant and no memory is reserved
  /// in a `when`, plans the arena; else the runtime does when a call is prepared. The builder is
  /// empty afterwards.
  Program finish(ArenaReport *report = nullptr);

private:
  uint32_t emit(Opcode opcode, uint32_t target, std::initializer_list<uint32_t> operands);
  uint32_t literal(int64_t value);
  void use(BufferRef buffer);
  RegisterRef make(Opcode opcode, std::initializer_list<uint32_t> operands,
                   std::optional<int64_t> typical);
  void open(Opcode opcode, std::initializer_list<uint32_t> operands);
  void openOther(Opcode opcode);
  void close(Opcode opcode);
  void shareLifetimes();
  bool planStatically(ArenaReport *report);
  void orderIntervals();

  Program program;
  uint32_t currentLocation = UINT32_MAX;
  bool hasLocations = false;
  std::map<int64_t, uint32_t> literals, constants;
  std::map<uint32_t, uint32_t> symbols;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> binds;
  /// The interval behind each buffer, or -1.
  std::vector<int64_t> intervalOf;
  /// The constant in each register, where there is one, and what it holds at typical sizes.
  std::vector<std::optional<int64_t>> constantOf, typicalOf;
  /// A block that is open now.
  struct Block {
    Opcode opcode;
    /// Made before it, or before its other side.
    uint32_t registers, buffers;
    /// Of a loop: where it begins, the intervals reserved before it, and those of them used in it.
    uint32_t begin, intervals;
    std::vector<uint32_t> used = {};

    bool isLoop() const { return opcode != Opcode::When && opcode != Opcode::If; }
  };
  std::vector<Block> blocks;
  /// Intervals that rotate.
  std::vector<std::pair<uint32_t, uint32_t>> rotated;
  bool reservesInWhen = false, hasTypicals = false;
};

} // namespace tw::format
