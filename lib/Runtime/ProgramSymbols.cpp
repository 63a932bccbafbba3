// What follows for the symbols of a program from some of them.
#include "Program.h"
#include "tw/Format/Commands.h"

#include <span>

using namespace tw::runtime;
using namespace tw::format;

namespace {

/// Sizes of symbols, -1 where they are not known.
struct Deduction {
  const fb::Function *function;
  std::span<int64_t> values;
  bool isChanged = true;

  bool isKnown(uint32_t symbol) const { return values[symbol] >= 0; }
  void set(uint32_t symbol, int64_t value) {
    if (isKnown(symbol) || value < 0)
      return;
    values[symbol] = value;
    isChanged = true;
  }
  void compute(uint32_t index);
  void solve(uint32_t index);
  void run();
};

} // namespace

/// The symbol from its operands.
void Deduction::compute(uint32_t index) {
  const fb::Symbol *symbol = function->symbols()->Get(index);
  if (symbol->equation() == uint8_t(Opcode::Const))
    return set(index, symbol->literal());
  int64_t value;
  if (symbol->equation() != 0 && isKnown(symbol->a()) && isKnown(symbol->b()) &&
      computeArith(Opcode(symbol->equation()), values[symbol->a()], values[symbol->b()], value))
    set(index, value);
}

/// One of its operands from the symbol and the other operand; of what is rounded down the least.
void Deduction::solve(uint32_t index) {
  const fb::Symbol *symbol = function->symbols()->Get(index);
  if (!isArith(symbol->equation()) || !isKnown(index) ||
      isKnown(symbol->a()) == isKnown(symbol->b()))
    return;
  bool isFirst = !isKnown(symbol->a());
  uint32_t open = isFirst ? symbol->a() : symbol->b();
  int64_t other = values[isFirst ? symbol->b() : symbol->a()], value;
  switch (Opcode(symbol->equation())) {
  case Opcode::Add:
    return set(open, values[index] - other);
  case Opcode::Sub:
    if (!isFirst)
      return set(open, other - values[index]);
    if (computeArith(Opcode::Add, values[index], other, value))
      set(open, value);
    return;
  case Opcode::Mul:
    if (other > 0 && values[index] % other == 0)
      set(open, values[index] / other);
    return;
  case Opcode::FloorDiv:
    if (isFirst && computeArith(Opcode::Mul, values[index], other, value))
      set(open, value);
    return;
  default:
    return;
  }
}

void Deduction::run() {
  while (std::exchange(isChanged, false)) {
    for (uint32_t i = 0; i < values.size(); ++i)
      compute(i);
    for (uint32_t i = uint32_t(values.size()); i-- > 0;)
      solve(i);
    const auto *checks = function->programs()->Get(0)->checks();
    for (uint32_t i = 0; checks && i < checks->size(); ++i) {
      const fb::Check *check = checks->Get(i);
      set(check->a(), values[check->b()]);
      set(check->b(), values[check->a()]);
    }
  }
}

TwrtCode twrtProgramDeduceSymbols(const TwrtProgram *program, int64_t *values, size_t count,
                                  TwrtError *error) {
  TWRT_TRY(checkNotNull(program, "program", error));
  if (count != twrtProgramSymbolCount(program))
    return fail(error, TWRT_INVALID_ARGUMENT, "values of %zu symbols for a program that has %zu",
                count, twrtProgramSymbolCount(program));
  if (count > 0) {
    TWRT_TRY(checkNotNull(values, "values", error));
    Deduction{program->function, {values, count}}.run();
  }
  return TWRT_OK;
}
