// Instructions of PTX: from the written form to a handler and rows.
#include "Atomics.h"
#include "Parser.h"

#include <algorithm>

using namespace tw::emulator::ptx;

#define TEXT(token) int((token).text.size()), (token).text.data()
#define VIEW(view) int((view).size()), (view).data()

static bool startsWith(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

/// ".b32" in "ld.global.v4.b32"? As a whole word between dots.
static bool hasPart(std::string_view name, std::string_view part) {
  for (size_t at = 0; (at = name.find(part, at)) != name.npos; at += part.size()) {
    size_t end = at + part.size();
    if (at && name[at - 1] == '.' && (end == name.size() || name[end] == '.'))
      return true;
  }
  return false;
}

static std::string_view lastPart(std::string_view name) { return name.substr(name.rfind('.') + 1); }

bool Parser::instruction(Op op) {
  Token name = instructionName = token;
  advance();
  if (accept(':')) {
    labels[{scopes.back().number, name.text}] = uint32_t(kernel->ops.size());
    return op.guard == none || fail(name, "a guard before a label");
  }
  std::vector<Operand> operands;
  while (message.empty() && !token.is(';')) {
    std::optional<Operand> read = operand();
    if (!read)
      return false;
    operands.push_back(std::move(*read));
    // Two results: d|p.
    if (!accept(',') && !accept('|') && !token.is(';'))
      return fail(token, "expected ',' or ';' after an operand of %.*s, found '%.*s'", TEXT(name),
                  TEXT(token));
  }
  if (!expect(';', "after an instruction"))
    return false;
  rows.clear();
  if (!decode(op, name.text, operands))
    return fail(name, "the instruction '%.*s' is not known", TEXT(name));
  // Branches and ends look at their guard themselves.
  if (op.guard != none && op.run != set.find("bra") && op.run != set.find("ret")) {
    op.guarded = op.run;
    op.run = set.find("guarded");
  }
  firstRows.push_back(uint32_t(kernel->rows.size()));
  kernel->rows.insert(kernel->rows.end(), rows.begin(), rows.end());
  kernel->ops.push_back(op);
  return true;
}

/// False without a message: the instruction is not known.
bool Parser::decode(Op &op, std::string_view name, std::vector<Operand> &operands) {
  auto plain = set.lanewise.find(name);
  if (startsWith(name, "cvt.") && operands.size() > 1 && operands[1].kind == Operand::Register &&
      operands[1].registers.bits == 64) {
    std::string wide = std::string(name) + "@64";
    if (auto found = set.lanewise.find(wide); found != set.lanewise.end())
      plain = found;
  }
  if (plain != set.lanewise.end())
    return lanewise(op, name, plain->second, operands);
  if (startsWith(name, "ld.param"))
    return loadParameter(op, name, operands);
  if (startsWith(name, "ld.") || startsWith(name, "st.") || startsWith(name, "ldu."))
    return access(op, name, operands);
  if (startsWith(name, "mov."))
    return move(op, name, operands);
  if (name == "bra" || name == "bra.uni")
    return branch(op, operands);
  if (name == "ret" || name == "exit" || name == "ret.uni") {
    op.run = set.find("ret");
    op.ends = true;
    return countOperands(name, operands, 0, 0);
  }
  if (startsWith(name, "bar.") || startsWith(name, "barrier."))
    return barrier(op, name, operands);
  if (startsWith(name, "fence.proxy.async") || startsWith(name, "fence.mbarrier_init")) {
    op.run = set.find("fence.proxy");
    return true;
  }
  if (startsWith(name, "membar") || startsWith(name, "fence.") || startsWith(name, "prefetch") ||
      startsWith(name, "griddepcontrol")) {
    op.run = set.find("nothing");
    return true;
  }
  if (name == "trap") {
    op.run = set.find("trap");
    return true;
  }
  if (startsWith(name, "ldmatrix.") || startsWith(name, "stmatrix.") || startsWith(name, "mma."))
    return matrix(op, name, operands);
  if (startsWith(name, "cp.async.bulk"))
    return bulk(op, name, operands);
  if (startsWith(name, "mbarrier."))
    return mbarrier(op, name, operands);
  if (startsWith(name, "wgmma."))
    return product(op, name, operands);
  if (startsWith(name, "setmaxnreg.")) {
    op.run = set.find("nothing");
    return countOperands(name, operands, 1, 1) && operands[0].value >= 24 &&
           operands[0].value <= 256 && operands[0].value % 8 == 0;
  }
  if (startsWith(name, "cp.async"))
    return asynchronous(op, name, operands);
  if (startsWith(name, "atom.") || startsWith(name, "red."))
    return atomic(op, name, operands);
  if (startsWith(name, "cvta."))
    return convertAddress(op, name, operands);
  return exchange(op, name, operands);
}

bool Parser::countOperands(std::string_view name, const std::vector<Operand> &operands,
                           size_t least, size_t most) {
  if (operands.size() >= least && operands.size() <= most)
    return true;
  return fail(instructionName, "%.*s takes %zu operands, found %zu", VIEW(name), least,
              operands.size());
}

/// Appends the row of an operand that has the width that `letter` says.
bool Parser::take(const Operand &operand, char letter, bool result, std::string_view name) {
  uint32_t bits = letter == 'p'   ? 1
                  : letter == 'b' ? 8
                  : letter == 'h' ? 16
                  : letter == 'w' ? 32
                                  : 64;
  if (operand.kind == Operand::Sink && result) {
    rows.push_back(none);
    return true;
  }
  if (operand.kind == Operand::Register) {
    uint32_t has = operand.registers.bits;
    // Bytes lie in the low part of a register of 16 or 32 bits, what is converted in one of 32.
    bool fits = has == bits || (letter == 'b' && (has == 16 || has == 32)) ||
                (letter == 'h' && has == 32 && startsWith(name, "cvt."));
    if (!fits)
      return fail(operand.token, "%.*s takes %u bits here, '%.*s' has %u", VIEW(name), bits,
                  TEXT(operand.token), has);
    if (operand.negated)
      return fail(operand.token, "'!' before '%.*s' is not known here", TEXT(operand.token));
    rows.push_back(operand.row);
    return true;
  }
  if (result)
    return fail(operand.token, "expected a register for the result of %.*s, found '%.*s'",
                VIEW(name), TEXT(operand.token));
  if (operand.kind == Operand::Immediate) {
    bool isFloat = operand.token.kind == Token::Float32 || operand.token.kind == Token::Float64;
    if (isFloat && bits != (operand.token.kind == Token::Float32 ? 32u : 64u))
      return fail(operand.token, "%.*s takes %u bits here, '%.*s' has others", VIEW(name), bits,
                  TEXT(operand.token));
    rows.push_back(constantRow(operand.value, bits == 8 ? 32 : bits));
    return true;
  }
  if (operand.kind == Operand::Symbol && operand.symbol.kind == Symbol::Parameter && bits == 64) {
    rows.push_back(constantRow(parameterWindow + operand.symbol.address, bits));
    return true;
  }
  if (operand.kind == Operand::Symbol && operand.symbol.kind != Symbol::Parameter && bits >= 32) {
    rows.push_back(constantRow(operand.symbol.address + operand.value, bits,
                               operand.symbol.kind == Symbol::Dynamic));
    return true;
  }
  return fail(operand.token, "'%.*s' is no operand of %.*s", TEXT(operand.token), VIEW(name));
}

bool Parser::lanewise(Op &op, std::string_view name, const Instruction &found,
                      std::vector<Operand> &operands) {
  std::string_view signature = found.signature;
  size_t results = signature.find('=');
  op.run = found.run;
  op.results = uint8_t(results);
  op.sources = uint8_t(signature.size() - results - 1);
  if (!countOperands(name, operands, signature.size() - 1, signature.size() - 1))
    return false;
  for (size_t i = 0; i < operands.size(); ++i)
    if (!take(operands[i], signature[i < results ? i : i + 1], i < results, name))
      return false;
  for (uint32_t row : rows)
    if (row == none)
      return fail(operands[0].token, "the result of %.*s cannot be thrown away", VIEW(name));
  return true;
}

/// Appends the row of an address; what is added to it goes to `offset`.
bool Parser::takeAddress(Op &op, const Operand &operand, int64_t &offset) {
  if (operand.kind != Operand::Address || operand.elements.size() != 1)
    return fail(operand.token, "expected an address, found '%.*s'", TEXT(operand.token));
  const Operand &base = operand.elements[0];
  offset = int64_t(operand.value);
  op.wide = true;
  if (base.kind == Operand::Register) {
    if (base.registers.bits != 32 && base.registers.bits != 64)
      return fail(base.token, "an address has 32 or 64 bits, '%.*s' has %u", TEXT(base.token),
                  base.registers.bits);
    op.wide = base.registers.bits == 64;
    rows.push_back(base.row);
    return true;
  }
  if (base.kind == Operand::Immediate) {
    rows.push_back(constantRow(base.value, 64));
    return true;
  }
  if (base.kind == Operand::Symbol && base.symbol.kind != Symbol::Parameter) {
    rows.push_back(constantRow(base.symbol.address, 64, base.symbol.kind == Symbol::Dynamic));
    return true;
  }
  return fail(base.token, "'%.*s' is no address", TEXT(base.token));
}

namespace {

/// What the parts of ld and st say.
struct AccessParts {
  uint32_t space = 2, count = 1, bytes = 0;
  bool isSigned = false, known = true;
};

} // namespace

static AccessParts readParts(std::string_view name) {
  AccessParts parts;
  name.remove_prefix(name.find('.') + 1);
  while (!name.empty()) {
    size_t end = std::min(name.find('.'), name.size());
    std::string_view part = name.substr(0, end);
    name.remove_prefix(std::min(end + 1, name.size()));
    if (part == "global")
      parts.space = 0;
    else if (startsWith(part, "shared"))
      parts.space = 1;
    else if (part == "v2" || part == "v4" || part == "v8")
      parts.count = uint32_t(part[1] - '0');
    else if (part.size() > 1 && std::string_view("busf").find(part[0]) != part.npos &&
             part.find_first_not_of("0123456789", 1) == part.npos) {
      parts.bytes = uint32_t(atoi(std::string(part.substr(1)).c_str())) / 8;
      parts.isSigned = part[0] == 's';
    } else if (part != "nc" && part != "weak" && part != "volatile" && part != "relaxed" &&
               part != "acquire" && part != "release" && part != "gpu" && part != "cta" &&
               part != "sys" && part != "cluster" && part != "ca" && part != "cg" && part != "cs" &&
               part != "lu" && part != "cv" && part != "wb" && part != "wt" &&
               !startsWith(part, "L1::") && !startsWith(part, "L2::"))
      parts.known = false;
  }
  return parts;
}

static uint32_t logarithmOf(uint32_t bytes) {
  return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
}

/// ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1+16]; st.shared.b32 [%rd1], %r1
bool Parser::access(Op &op, std::string_view name, std::vector<Operand> &operands) {
  AccessParts parts = readParts(name);
  if (!parts.known || parts.bytes == 0 || parts.bytes > 8)
    return false;
  bool loads = name[0] == 'l';
  if (!countOperands(name, operands, 2, 2))
    return false;
  Operand &values = operands[loads ? 0 : 1];
  std::vector<Operand> elements =
      values.kind == Operand::List ? values.elements : std::vector<Operand>{values};
  if (elements.size() != parts.count)
    return fail(values.token, "%.*s takes %u registers, found %zu", VIEW(name), parts.count,
                elements.size());
  uint32_t bits = 0;
  for (const Operand &element : elements)
    if (element.kind == Operand::Register)
      bits = element.registers.bits;
  if (!bits)
    bits = std::max(parts.bytes * 8, 16u);
  if (bits < 8 * parts.bytes)
    return fail(values.token, "%.*s takes %u bits here, '%.*s' has %u", VIEW(name), 8 * parts.bytes,
                TEXT(elements[0].token), bits);
  char letter = bits == 16 ? 'h' : bits == 32 ? 'w' : 'd';
  if (!loads && !takeAddress(op, operands[0], op.offset))
    return false;
  for (const Operand &element : elements)
    if (!take(element, letter, loads, name))
      return false;
  if (loads && !takeAddress(op, operands[1], op.offset))
    return false;
  uint32_t sign = parts.isSigned ? bits == 16 ? 2 : 1 : 0;
  op.run = loads ? set.accesses.load[parts.space][logarithmOf(parts.bytes)][sign][bits == 64]
                 : set.accesses.store[parts.space][logarithmOf(parts.bytes)][bits == 64];
  op.count = uint8_t(parts.count);
  op.bytes = uint8_t(parts.bytes);
  op.results = uint8_t(loads ? parts.count : 0);
  op.sources = uint8_t(rows.size() - op.results);
  if (parts.space != 0)
    kernel->cellBytes = std::min(kernel->cellBytes, parts.bytes * parts.count);
  return op.run != nullptr;
}

/// A parameter is the same for all: a row, and this a move.
bool Parser::loadParameter(Op &op, std::string_view name, std::vector<Operand> &operands) {
  AccessParts parts = readParts(name.substr(3)); // "param.b64"
  if (!parts.known ||
      (parts.bytes != 1 && parts.bytes != 2 && parts.bytes != 4 && parts.bytes != 8) ||
      parts.count != 1)
    return false;
  if (!countOperands(name, operands, 2, 2))
    return false;
  const Operand &at = operands[1];
  if (at.kind != Operand::Address || at.elements[0].kind != Operand::Symbol ||
      at.elements[0].symbol.kind != Symbol::Parameter)
    return fail(at.token, "expected a parameter, found '%.*s'", TEXT(at.token));
  if (!take(operands[0], parts.bytes == 8 ? 'd' : parts.bytes == 4 ? 'w' : 'h', true, name))
    return false;
  rows.push_back(parameterRow(uint32_t(at.elements[0].symbol.address + at.value), parts.bytes));
  op.run = set.find(parts.bytes == 8 ? "mov.64" : "mov.32");
  op.results = op.sources = 1;
  return rows[0] != none;
}

/// mov: a register, an immediate or an address; {a, b} on either side takes a register apart or
/// puts it together.
bool Parser::move(Op &op, std::string_view name, std::vector<Operand> &operands) {
  std::string_view type = lastPart(name);
  uint32_t bits = uint32_t(atoi(std::string(type.substr(1)).c_str()));
  if (name.find('.') != name.rfind('.') || (bits != 16 && bits != 32 && bits != 64))
    return false;
  if (!countOperands(name, operands, 2, 2))
    return false;
  bool apart = operands[0].kind == Operand::List, together = operands[1].kind == Operand::List;
  char whole = bits == 64 ? 'd' : bits == 32 ? 'w' : 'h';
  op.wide = bits == 64;
  if (!apart && !together) {
    op.run = set.find(bits == 64 ? "mov.64" : "mov.32");
    op.results = op.sources = 1;
    return take(operands[0], whole, true, name) && take(operands[1], whole, false, name) &&
           rows[0] != none;
  }
  std::vector<Operand> &parts = operands[apart ? 0 : 1].elements;
  uint32_t partBits = bits / uint32_t(parts.size());
  if ((partBits != 16 && partBits != 32 && partBits != 8) || partBits * parts.size() != bits)
    return fail(operands[0].token, "%.*s cannot have %zu parts", VIEW(name), parts.size());
  char part = partBits == 32 ? 'w' : partBits == 16 ? 'h' : 'b';
  if (together && !take(operands[0], whole, true, name))
    return false;
  for (const Operand &element : parts)
    if (!take(element, part, apart, name))
      return false;
  if (apart && !take(operands[1], whole, false, name))
    return false;
  op.run = set.find(apart ? "unpack" : "pack");
  op.bytes = uint8_t(partBits / 8);
  op.results = uint8_t(apart ? parts.size() : 1);
  op.sources = uint8_t(apart ? 1 : parts.size());
  return true;
}

bool Parser::branch(Op &op, std::vector<Operand> &operands) {
  if (!countOperands("bra", operands, 1, 1))
    return false;
  if (operands[0].kind != Operand::Label)
    return fail(operands[0].token, "expected a label, found '%.*s'", TEXT(operands[0].token));
  std::vector<uint32_t> visible;
  for (size_t i = scopes.size(); i-- > 0;)
    visible.push_back(scopes[i].number);
  jumps.push_back({uint32_t(kernel->ops.size()), operands[0].token, std::move(visible)});
  op.run = set.find("bra");
  return true;
}

/// bar.sync 0; bar.sync 1, 128; barrier.sync.aligned the same.
bool Parser::barrier(Op &op, std::string_view name, std::vector<Operand> &operands) {
  std::string plain;
  for (std::string_view part : {"sync", "arrive", "warp"})
    if (hasPart(name, part))
      plain = plain.empty() || part != "warp" ? "bar." + std::string(part) : "bar.warp.sync";
  op.run = set.find(plain);
  if (!op.run || hasPart(name, "cluster"))
    return false;
  if (!countOperands(name, operands, 1, 2))
    return false;
  for (const Operand &operand : operands)
    if (!take(operand, 'w', false, name))
      return false;
  op.sources = uint8_t(rows.size());
  return true;
}

/// Shuffles, votes, reductions over a warp.
bool Parser::exchange(Op &op, std::string_view name, std::vector<Operand> &operands) {
  op.run = set.find(name);
  if (!op.run)
    return false;
  std::string signature;
  if (startsWith(name, "shfl.sync"))
    signature = operands.size() == 6 ? "wp=wwww" : "w=wwww";
  else if (name == "vote.sync.ballot.b32")
    signature = "w=pw";
  else if (startsWith(name, "vote.sync"))
    signature = "p=pw";
  else if (startsWith(name, "redux.sync"))
    signature = "w=ww";
  else if (name == "activemask.b32")
    signature = "w=";
  else if (name == "elect.sync")
    signature = "wp=w";
  else
    return false;
  if (startsWith(name, "vote.sync") && operands.size() > 1 && operands[1].negated) {
    op.inverted = true;
    operands[1].negated = false;
  }
  size_t results = signature.find('=');
  op.results = uint8_t(results);
  op.sources = uint8_t(signature.size() - results - 1);
  if (!countOperands(name, operands, signature.size() - 1, signature.size() - 1))
    return false;
  for (size_t i = 0; i < operands.size(); ++i)
    if (!take(operands[i], signature[i < results ? i : i + 1], i < results, name))
      return false;
  return true;
}

/// ldmatrix {d...}, [address]; stmatrix [address], {s...}; mma {d...}, {a...}, {b...}, {c...}
bool Parser::matrix(Op &op, std::string_view name, std::vector<Operand> &operands) {
  if (startsWith(name, "mma.")) {
    op.run = set.find(name);
    if (!op.run)
      return false;
    if (!countOperands(name, operands, 4, 4))
      return false;
    for (size_t i = 0; i < 4; ++i) {
      std::vector<Operand> elements =
          operands[i].kind == Operand::List ? operands[i].elements : std::vector{operands[i]};
      for (const Operand &element : elements)
        if (!take(element, 'w', i == 0, name))
          return false;
      if (i == 0)
        op.results = uint8_t(rows.size());
    }
    op.sources = uint8_t(rows.size() - op.results);
    // The registers of A, B and C are counted together: shapes differ in them.
    std::string_view shape = name.substr(name.find("m16n8"));
    uint32_t k = uint32_t(atoi(std::string(shape.substr(6)).c_str()));
    uint32_t bits = hasPart(name, "tf32")                                      ? 32
                    : name.find("16.f32") != name.npos || hasPart(name, "f16") ? 16
                                                                               : 8;
    uint32_t sums = startsWith(shape.substr(shape.find("col.") + 4), "f16.") ? 2 : 4;
    uint32_t expected = k * bits / 64 + k * bits / 128 + sums;
    if (op.results != sums || op.sources != expected)
      return fail(operands[0].token,
                  "%.*s takes %u result and %u source registers, found %u and %u", VIEW(name), sums,
                  expected, op.results, op.sources);
    return std::count(rows.begin(), rows.end(), none) == 0;
  }
  bool loads = name[0] == 'l';
  if (!hasPart(name, "m8n8") || !hasPart(name, "b16") || !hasPart(name, "sync") ||
      !hasPart(name, "aligned"))
    return false;
  uint32_t count = hasPart(name, "x4") ? 4 : hasPart(name, "x2") ? 2 : 1;
  if (!countOperands(name, operands, 2, 2))
    return false;
  Operand &values = operands[loads ? 0 : 1];
  std::vector<Operand> elements =
      values.kind == Operand::List ? values.elements : std::vector{values};
  if (elements.size() != count)
    return fail(values.token, "%.*s takes %u registers, found %zu", VIEW(name), count,
                elements.size());
  if (!loads && !takeAddress(op, operands[0], op.offset))
    return false;
  for (const Operand &element : elements)
    if (!take(element, 'w', loads, name) || rows.back() == none)
      return false;
  if (loads && !takeAddress(op, operands[1], op.offset))
    return false;
  std::string handler = loads ? "ldmatrix" : "stmatrix";
  op.run = set.find(hasPart(name, "trans") ? handler + ".trans" : handler);
  op.count = uint8_t(count);
  op.results = uint8_t(loads ? count : 0);
  op.bytes = 16;
  return true;
}

/// cp.async.ca.shared.global [local], [global], 16 {, bytes of the source}; its groups.
bool Parser::asynchronous(Op &op, std::string_view name, std::vector<Operand> &operands) {
  if (name == "cp.async.commit_group" || name == "cp.async.wait_all") {
    op.run = set.find(name);
    return countOperands(name, operands, 0, 0);
  }
  if (name == "cp.async.wait_group") {
    op.run = set.find(name);
    if (!countOperands(name, operands, 1, 1))
      return false;
    op.offset = int64_t(operands[0].value);
    return operands[0].kind == Operand::Immediate;
  }
  if (!hasPart(name, "global") || name.find("shared") == name.npos || hasPart(name, "bulk") ||
      hasPart(name, "mbarrier"))
    return false;
  if (!countOperands(name, operands, 3, 4) || !takeAddress(op, operands[0], op.offset))
    return false;
  bool wide = op.wide;
  if (!takeAddress(op, operands[1], op.offset2))
    return false;
  if (!op.wide)
    return fail(operands[1].token, "a global address has 64 bits");
  op.wide = wide;
  op.bytes = uint8_t(operands[2].value);
  bool fits = op.bytes == 16 || (hasPart(name, "ca") && (op.bytes == 4 || op.bytes == 8));
  if (operands[2].kind != Operand::Immediate || !fits)
    return fail(operands[2].token, "%.*s copies 16 bytes, or 4 or 8 with .ca, not %u", VIEW(name),
                op.bytes);
  if (operands.size() > 3 && !take(operands[3], 'w', false, name))
    return false;
  op.sources = uint8_t(rows.size());
  op.run = set.find("cp.async");
  kernel->cellBytes = std::min<uint32_t>(kernel->cellBytes, op.bytes);
  return true;
}

/// cvta.to.global, cvta.global: the same number. Those of local memory add or take away its window.
bool Parser::convertAddress(Op &op, std::string_view name, std::vector<Operand> &operands) {
  bool to = hasPart(name, "to"), shared = name.find("shared") != name.npos;
  if (lastPart(name) != "u64" || (!shared && !hasPart(name, "global") && !hasPart(name, "param")))
    return false;
  if (!countOperands(name, operands, 2, 2) || !take(operands[0], 'd', true, name) ||
      !take(operands[1], 'd', false, name) || rows[0] == none)
    return false;
  op.results = 1;
  op.sources = shared ? 2 : 1;
  op.run = set.find("mov.64");
  if (shared) {
    rows.push_back(constantRow(localWindow, 64));
    op.run = set.lanewise.at(to ? "sub.u64" : "add.u64").run;
  }
  return true;
}

/// atom.global.add.f32 d, [address], value; red the same without a result.
bool Parser::atomic(Op &op, std::string_view name, std::vector<Operand> &operands) {
  static const std::map<std::string_view, AtomicOperation> names = {
      {"add", AtomicOperation::Add},       {"min", AtomicOperation::Min},
      {"max", AtomicOperation::Max},       {"and", AtomicOperation::And},
      {"or", AtomicOperation::Or},         {"xor", AtomicOperation::Xor},
      {"exch", AtomicOperation::Exchange}, {"cas", AtomicOperation::CompareAndSwap},
      {"inc", AtomicOperation::Increment}, {"dec", AtomicOperation::Decrement}};
  bool hasResult = startsWith(name, "atom.");
  const AtomicOperation *operation = nullptr;
  for (const auto &[part, known] : names)
    if (hasPart(name, part))
      operation = &known;
  op.run = set.find("atom." + std::string(lastPart(name)));
  if (!op.run || !operation)
    return false;
  size_t count = (hasResult ? 3 : 2) + (*operation == AtomicOperation::CompareAndSwap);
  if (!countOperands(name, operands, count, count))
    return false;
  char letter = lastPart(name).substr(1) == "64" ? 'd' : 'w';
  size_t next = 0;
  if (hasResult && !take(operands[next++], letter, true, name))
    return false;
  if (!takeAddress(op, operands[next++], op.offset))
    return false;
  while (next < operands.size())
    if (!take(operands[next++], letter, false, name))
      return false;
  op.results = hasResult;
  op.sources = uint8_t(rows.size() - op.results);
  op.count = uint8_t(*operation);
  op.bytes = hasPart(name, "global") ? 0 : name.find("shared") != name.npos ? 1 : 2;
  if (op.bytes)
    kernel->cellBytes = std::min(kernel->cellBytes, letter == 'd' ? 8u : 4u);
  return true;
}
