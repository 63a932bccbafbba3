// Settles the symbols of a call: from arguments, then by equations, within ranges.
#include "Call.h"
#include "tw/Format/Commands.h"
#include "tw/Format/Metadata.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

using namespace tw::runtime;
using namespace tw::format;

namespace {

/// Text in fixed memory, cut where that ends.
struct Line {
  char text[360] = "";
  size_t length = 0;

  [[gnu::format(printf, 2, 3)]] void add(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(text + length, sizeof(text) - length, format, arguments);
    va_end(arguments);
    length = std::min(sizeof(text) - 1, length + size_t(std::max(written, 0)));
  }
};

struct Settler {
  const TwrtCall &call;
  std::span<int64_t> values;
  TwrtError *error;
  const fb::Function *function = call.program->function;
  const fb::Symbol *symbol(uint32_t index) const { return function->symbols()->Get(index); }
  const char *name(uint32_t index) const { return symbol(index)->name()->c_str(); }

  /// Calls `f(argument, dimension, symbol, value)` for all dimensions of arguments, in memory and
  /// not, that are symbols.
  template <typename F> TwrtCode forEachDim(F f) const;
  TwrtCode settleFree();
  TwrtCode solve();
  TwrtCode checkDerivedDims();
  TwrtCode checkEqual();

  bool isInRange(uint32_t index) const;
  void addRange(Line &line, uint32_t index) const;
  bool addOrigin(Line &line, uint32_t index) const;
  void addEquation(Line &line, uint32_t index) const;
  void addValue(Line &line, uint32_t index) const;
  void addOperands(Line &line, uint32_t index) const;
};

} // namespace

template <typename F> TwrtCode Settler::forEachDim(F f) const {
  for (uint32_t a = 0; a < call.arguments.size(); ++a) {
    const fb::Argument *argument = function->arguments()->Get(a);
    const CallValue &value = call.arguments[a];
    auto each = [&](const fb::TensorType *type, const Array<int64_t> &dims) {
      for (uint32_t d = 0; type && d < dims.size(); ++d)
        if (int64_t dim = type->dims()->Get(d); dim < 0)
          TWRT_TRY(f(argument, d, uint32_t(-1 - dim), dims[d]));
      return TWRT_OK;
    };
    TWRT_TRY(each(argument->type(), value.dims));
    TWRT_TRY(each(argument->storage(), value.storage));
  }
  return TWRT_OK;
}

bool Settler::isInRange(uint32_t index) const {
  const fb::Symbol *at = symbol(index);
  int64_t value = values[index];
  return value >= at->min() && (at->max() < 0 || value <= at->max()) && value % at->multiple() == 0;
}

void Settler::addRange(Line &line, uint32_t index) const {
  const fb::Symbol *at = symbol(index);
  if (at->max() >= 0)
    line.add("from %" PRId64 " to %" PRId64, at->min(), at->max());
  else
    line.add("at least %" PRId64, at->min());
  if (at->multiple() != 1)
    line.add(" and a multiple of %" PRId64, at->multiple());
}

/// " (dimension 0 of argument 'x')", for a symbol that is one; else false.
bool Settler::addOrigin(Line &line, uint32_t index) const {
  bool found = false;
  forEachDim([&](const fb::Argument *argument, uint32_t d, uint32_t of, int64_t) {
    if (of == index && !found)
      line.add(" (dimension %u of argument '%.80s')", d, argument->name()->c_str());
    found |= of == index;
    return TWRT_OK;
  });
  return found;
}

/// "L = P + S", or the name alone where that says it.
void Settler::addEquation(Line &line, uint32_t index) const {
  const fb::Symbol *at = symbol(index);
  Line equation;
  if (isArith(at->equation()))
    equation.add("%.40s %s %.40s", name(at->a()), arithSign(Opcode(at->equation())).data(),
                 name(at->b()));
  line.add("%.80s", name(index));
  if (equation.length && at->name()->string_view() != equation.text)
    line.add(" = %s", equation.text);
}

/// "L = P + S is 7", and where that is from.
void Settler::addValue(Line &line, uint32_t index) const {
  addEquation(line, index);
  line.add(" is %" PRId64, values[index]);
  if (!addOrigin(line, index))
    addOperands(line, index);
}

/// ", where P is 3 (dimension 0 of argument 'x') and S is 4".
void Settler::addOperands(Line &line, uint32_t index) const {
  const fb::Symbol *at = symbol(index);
  if (!isArith(at->equation()))
    return;
  const char *word = ", where ";
  uint32_t operands[] = {at->a(), at->b()};
  for (uint32_t i = 0; i < (at->a() == at->b() ? 1u : 2u); ++i) {
    if (symbol(operands[i])->equation() == uint8_t(Opcode::Const))
      continue;
    line.add("%s%.40s is %" PRId64, word, name(operands[i]), values[operands[i]]);
    addOrigin(line, operands[i]);
    word = " and ";
  }
}

TwrtCode Settler::settleFree() {
  std::fill(values.begin(), values.end(), -1);
  for (uint32_t a = 0; a < call.arguments.size(); ++a)
    if (!call.arguments[a].buffer)
      return fail(error, TWRT_INVALID_ARGUMENT, "argument %u '%.80s' is not set", a,
                  function->arguments()->Get(a)->name()->c_str());
  return forEachDim([&](const fb::Argument *argument, uint32_t d, uint32_t index, int64_t found) {
    if (symbol(index)->equation() != 0)
      return TWRT_OK;
    if (values[index] >= 0 && values[index] != found) {
      Line line;
      addValue(line, index);
      return fail(error, TWRT_INVALID_ARGUMENT,
                  "dimension %u of argument '%.80s' is %" PRId64 ", but %s", d,
                  argument->name()->c_str(), found, line.text);
    }
    values[index] = found;
    if (isInRange(index))
      return TWRT_OK;
    Line line;
    addRange(line, index);
    return fail(error, TWRT_INVALID_ARGUMENT,
                "dimension %u of argument '%.80s' is %" PRId64 ", %.40s must be %s", d,
                argument->name()->c_str(), found, name(index), line.text);
  });
}

TwrtCode Settler::solve() {
  for (uint32_t i = 0; i < values.size(); ++i) {
    const fb::Symbol *at = symbol(i);
    if (at->equation() == 0)
      continue;
    Line line;
    if (at->equation() == uint8_t(Opcode::Const)) {
      values[i] = at->literal();
    } else if (!computeArith(Opcode(at->equation()), values[at->a()], values[at->b()], values[i])) {
      addEquation(line, i);
      line.add(" overflows or divides by zero");
      addOperands(line, i);
      return fail(error, TWRT_INVALID_ARGUMENT, "%s", line.text);
    }
    if (isInRange(i))
      continue;
    addEquation(line, i);
    line.add(" is %" PRId64, values[i]);
    addOperands(line, i);
    line.add("; it must be ");
    addRange(line, i);
    return fail(error, TWRT_INVALID_ARGUMENT, "%s", line.text);
  }
  return TWRT_OK;
}

/// Dimensions of arguments that equations give.
TwrtCode Settler::checkDerivedDims() {
  return forEachDim([&](const fb::Argument *argument, uint32_t d, uint32_t index, int64_t found) {
    if (values[index] == found)
      return TWRT_OK;
    Line line;
    addEquation(line, index);
    line.add(" is %" PRId64, values[index]);
    addOperands(line, index);
    return fail(error, TWRT_INVALID_ARGUMENT,
                "dimension %u of argument '%.80s' is %" PRId64 ", but %s", d,
                argument->name()->c_str(), found, line.text);
  });
}

/// Symbols that the program needs to be equal.
TwrtCode Settler::checkEqual() {
  if (!call.commands->checks())
    return TWRT_OK;
  for (const fb::Check *check : *call.commands->checks()) {
    if (values[check->a()] == values[check->b()])
      continue;
    Line line;
    addValue(line, check->a());
    line.add(", but ");
    addValue(line, check->b());
    const fb::Location *where =
        check->location() == UINT32_MAX
            ? nullptr
            : call.program->module->root->locations()->Get(check->location());
    if (where && where->node())
      line.add(" at node '%.80s'", where->node()->c_str());
    return fail(error, TWRT_INVALID_ARGUMENT, "%s", line.text);
  }
  return TWRT_OK;
}

TwrtCode tw::runtime::settleSymbols(const TwrtCall &call, std::span<int64_t> values,
                                    TwrtError *error) {
  Settler settler{call, values, error};
  TWRT_TRY(settler.settleFree());
  TWRT_TRY(settler.solve());
  TWRT_TRY(settler.checkDerivedDims());
  return settler.checkEqual();
}
