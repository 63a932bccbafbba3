// Assembles a launch program; see Commands.h for what the commands do.
//
//   ProgramBuilder program("host");
//   BufferRef x = program.bindArgument(0), y = program.bindResult(0);
//   BufferRef t = program.reserve(4096);
//   program.launch(kernel0, {grid, 1, 1}, {x, t});
//   program.launch(kernel1, {grid, 1, 1}, {t, y});
//   Program code = program.finish(report);
#pragma once

#include "tw/Format/Commands.h"
#include "tw/Format/Metadata.h"
#include "tw/Format/Planner.h"

#include <initializer_list>
#include <map>
#include <span>

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

class ProgramBuilder {
public:
  /// Starts with one slot, of kind "host" for target "host", else "device". `maxSlab` 0: no limit.
  explicit ProgramBuilder(std::string target, uint64_t maxSlab = 0, uint32_t offsetAlignment = 64);

  /// The location (index into Metadata::locations) of the commands that follow.
  void setLocation(uint32_t location) { currentLocation = location; }

  /// Equal values share one register.
  RegisterRef constant(int64_t value);
  RegisterRef dim(uint32_t argument, uint32_t axis);
  /// Add, Sub, Mul, FloorDiv, CeilDiv, Mod, Min or Max.
  RegisterRef arith(Opcode opcode, RegisterRef a, RegisterRef b);
  RegisterRef compare(Predicate predicate, RegisterRef a, RegisterRef b);
  RegisterRef select(RegisterRef condition, RegisterRef a, RegisterRef b);
  void guard(RegisterRef condition);

  /// The whole of an argument, a result or a constant; the same one always gives the same buffer.
  BufferRef bindArgument(uint32_t index) { return bind(BindKind::Argument, index); }
  BufferRef bindResult(uint32_t index) { return bind(BindKind::Result, index); }
  BufferRef bindConstant(uint32_t index) { return bind(BindKind::Constant, index); }
  BufferRef bind(BindKind kind, uint32_t index);

  /// Arena memory. Its lifetime, from the first to the last command that uses it or a slice of
  /// it, is found by finish; so is its place, unless `place` gives one.
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

  /// Adds the return, settles lifetimes and, when all sizes are constant, plans the arena. The
  /// builder is empty afterwards.
  Program finish(ArenaReport *report = nullptr);

private:
  uint32_t emit(Opcode opcode, uint32_t target, std::initializer_list<uint32_t> operands);
  uint32_t literal(int64_t value);
  void use(BufferRef buffer);
  void plan(ArenaReport *report);

  Program program;
  uint32_t currentLocation = UINT32_MAX;
  bool hasLocations = false;
  std::map<int64_t, uint32_t> literals, constants;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> binds;
  /// The interval behind each buffer, or -1.
  std::vector<int64_t> intervalOf;
  /// The constant in each register, where there is one.
  std::vector<std::optional<int64_t>> constantOf;
};

} // namespace tw::format
