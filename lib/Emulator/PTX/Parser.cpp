// Declarations, statements and operands of PTX.
#include "Parser.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

using namespace tw::emulator::ptx;

Parser::Parser(std::string_view text, const InstructionSet &set)
    : set(set), lexer({}), sourceText(text) {
  program->source = text;
  lexer = Lexer(program->source);
  scopes.push_back({scopeCount++, {}, {}});
}

void Parser::advance() {
  token = message.empty() ? lexer.next() : Token{Token::End, "", token.line};
}

bool Parser::fail(const Token &at, const char *format, ...) {
  if (!message.empty())
    return false;
  char text[400];
  int length = snprintf(text, sizeof(text), "line %u: ", at.line);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + length, sizeof(text) - size_t(length), format, arguments);
  va_end(arguments);
  message = text;
  token = {Token::End, "", at.line};
  return false;
}

#define TEXT(token) int((token).text.size()), (token).text.data()

bool Parser::accept(char c) {
  if (!token.is(c))
    return false;
  advance();
  return true;
}

bool Parser::expect(char c, const char *what) {
  if (accept(c))
    return true;
  return fail(token, "expected '%c' %s, found '%.*s'", c, what, TEXT(token));
}

std::unique_ptr<Program> Parser::run(std::string &error) {
  advance();
  if (!token.is(".version"))
    fail(token, "a PTX text begins with .version, found '%.*s'", TEXT(token));
  while (message.empty() && token.kind != Token::End)
    moduleDirective();
  if (message.empty())
    return std::move(program);
  error = message;
  return nullptr;
}

bool Parser::moduleDirective() {
  Token directive = token;
  advance();
  if (directive.is(".version")) {
    advance();                     // 7
    if (token.kind == Token::Word) // .0, which is a word to the lexer
      advance();
    return true;
  }
  if (directive.is(".address_size")) {
    if (token.text != "64")
      return fail(token, "expected addresses of 64 bits, found %.*s", TEXT(token));
    advance();
    return true;
  }
  if (directive.is(".target")) {
    program->target = token.text;
    do
      advance();
    while (accept(','));
    return true;
  }
  if (directive.is(".visible") || directive.is(".weak"))
    return true;
  if (directive.is(".extern"))
    return token.is(".shared") ? (advance(), local(true))
                               : fail(token, "external '%.*s' is not known", TEXT(token));
  if (directive.is(".shared"))
    return local(false);
  if (directive.is(".entry"))
    return entry();
  return fail(directive, "'%.*s' is not known at this place", TEXT(directive));
}

uint32_t Parser::addRow(uint32_t bytes) {
  uint32_t row = kernel->registerBytes;
  kernel->registerBytes += (bytes + 63) / 64 * 64;
  return row;
}

static uint32_t rowBytes(uint32_t bits) { return bits == 1 ? 4 : bits == 64 ? 256 : 128; }

bool Parser::entry() {
  auto made = std::make_unique<Kernel>();
  kernel = made.get();
  kernel->name = token.text;
  advance();
  scopes.push_back({scopeCount++, {}, {}});
  constantRows.clear();
  specialRows.clear();
  parameterRows.clear();
  jumps.clear();
  labels.clear();
  firstRows.clear();
  bool done = parameters() && performance() && expect('{', "before the body") && body() &&
              resolveLabels() && finishKernel();
  scopes.pop_back();
  if (done)
    program->kernels[kernel->name] = std::move(made);
  kernel = nullptr;
  return done;
}

static uint32_t typeBits(std::string_view type) {
  if (type == ".pred")
    return 1;
  size_t digits = type.find_first_of("0123456789");
  return digits == type.npos ? 0 : uint32_t(atoi(std::string(type.substr(digits)).c_str()));
}

bool Parser::alignment(uint32_t &bytes) {
  if (!token.is(".align"))
    return true;
  advance();
  bytes = uint32_t(token.value);
  if (token.kind != Token::Number || bytes == 0 || (bytes & (bytes - 1)))
    return fail(token, "expected a power of two after .align, found '%.*s'", TEXT(token));
  advance();
  return true;
}

/// .param .u64 .ptr .global .align 16 name, or .param .align 64 .b8 name[128]
bool Parser::parameters() {
  if (!accept('('))
    return true;
  while (message.empty() && !accept(')')) {
    if (!token.is(".param"))
      return fail(token, "expected .param, found '%.*s'", TEXT(token));
    advance();
    uint32_t align = 0, bits = 0, ignored = 0;
    bool pointer = false;
    if (!alignment(align))
      return false;
    bits = typeBits(token.text);
    if (bits < 8)
      return fail(token, "expected the type of a parameter, found '%.*s'", TEXT(token));
    advance();
    while (token.is(".ptr") || token.is(".global") || token.is(".align") || token.is(".const") ||
           token.is(".shared"))
      if (token.is(".align")) {
        if (!alignment(ignored))
          return false;
      } else {
        pointer |= token.is(".ptr");
        advance();
      }
    Token name = token;
    advance();
    uint32_t bytes = bits / 8;
    align = std::max(align, bytes);
    if (accept('[')) {
      bytes *= uint32_t(token.value);
      advance();
      if (!expect(']', "after the size of a parameter"))
        return false;
    }
    uint32_t offset = (kernel->parameterBytes + align - 1) / align * align;
    kernel->parameters.push_back({std::string(name.text), offset, bytes, pointer});
    kernel->parameterBytes = offset + bytes;
    scopes.back().symbols[name.text] = {Symbol::Parameter, offset};
    if (!token.is(')') && !expect(',', "between parameters"))
      return false;
  }
  return true;
}

bool Parser::performance() {
  while (token.kind == Token::Word && token.text[0] == '.') {
    Token directive = token;
    advance();
    uint32_t values[3] = {1, 1, 1};
    for (uint32_t i = 0; token.kind == Token::Number && i < 3; ++i) {
      values[i] = uint32_t(token.value);
      advance();
      if (!accept(','))
        break;
    }
    if (directive.is(".reqntid"))
      std::copy(values, values + 3, kernel->threads);
    else if (directive.is(".maxntid"))
      kernel->maxThreads = values[0] * values[1] * values[2];
    else if (!directive.is(".minnctapersm") && !directive.is(".maxnreg") &&
             !directive.is(".noreturn") && !directive.is(".maxnctapersm"))
      return fail(directive, "'%.*s' is not known at this place", TEXT(directive));
  }
  return true;
}

/// .reg .b32 %r<8>, %x;
bool Parser::registers() {
  uint32_t bits = typeBits(token.text);
  if (bits != 1 && bits != 16 && bits != 32 && bits != 64)
    return fail(token, "registers of type '%.*s' are not known", TEXT(token));
  advance();
  do {
    Token name = token;
    if (name.kind != Token::Word)
      return fail(token, "expected the name of a register, found '%.*s'", TEXT(token));
    advance();
    Registers made{bits, 0, (rowBytes(bits) + 63) / 64 * 64, 0};
    uint32_t count = 1;
    if (accept('<')) {
      made.count = count = uint32_t(token.value);
      advance();
      if (!expect('>', "after the number of registers"))
        return false;
    }
    made.first = addRow(made.stride * count);
    scopes.back().registers[name.text] = made;
  } while (accept(','));
  return expect(';', "after registers");
}

/// .shared .align 16 .b8 name[4096]; external: name[], as long as the launch says.
bool Parser::local(bool external) {
  uint32_t align = 1;
  if (!alignment(align))
    return false;
  uint32_t bits = typeBits(token.text);
  if (bits < 8)
    return fail(token, "expected the type of a variable, found '%.*s'", TEXT(token));
  advance();
  Token name = token;
  advance();
  uint64_t bytes = bits / 8;
  align = std::max(align, bits / 8);
  if (accept('[')) {
    bytes *= token.kind == Token::Number ? token.value : 0;
    if (token.kind == Token::Number)
      advance();
    if (!expect(']', "after the size of a variable"))
      return false;
  }
  if (external || bytes == 0) {
    scopes.back().symbols[name.text] = {Symbol::Dynamic, 0};
    if (kernel)
      kernel->dynamicAlignment = std::max(kernel->dynamicAlignment, align);
    else
      program->dynamicAlignment = std::max(program->dynamicAlignment, align);
    return expect(';', "after a variable");
  }
  uint32_t &used = kernel ? kernel->localBytes : program->localBytes;
  if (kernel)
    used = std::max(used, program->localBytes);
  used = (used + align - 1) / align * align;
  scopes.back().symbols[name.text] = {Symbol::Local, localBase + used};
  used += uint32_t(bytes);
  return expect(';', "after a variable");
}

bool Parser::body() {
  uint32_t depth = 1;
  while (message.empty()) {
    if (accept('{')) {
      ++depth;
      scopes.push_back({scopeCount++, {}, {}});
    } else if (token.is('}')) {
      advance();
      if (--depth == 0)
        return true;
      scopes.pop_back();
    } else if (!statement()) {
      return false;
    }
  }
  return false;
}

bool Parser::statement() {
  if (accept(';'))
    return true;
  if (token.is(".reg"))
    return advance(), registers();
  if (token.is(".shared"))
    return advance(), local(false);
  if (token.is(".pragma") || token.is(".loc") || token.is(".file")) {
    while (message.empty() && token.kind != Token::End && !token.is(';'))
      advance();
    return expect(';', "after a directive");
  }
  Op op;
  op.line = token.line;
  if (accept('@')) {
    op.negated = accept('!');
    uint32_t row = none;
    const Registers *found = findRegisters(token.text, row);
    if (!found || found->bits != 1)
      return fail(token, "expected a predicate, found '%.*s'", TEXT(token));
    op.guard = row;
    advance();
  }
  if (token.kind != Token::Word || token.text[0] == '.')
    return fail(token, "expected an instruction, found '%.*s'", TEXT(token));
  return instruction(op);
}

bool Parser::resolveLabels() {
  for (const Jump &jump : jumps) {
    bool found = false;
    for (uint32_t scope : jump.scopes)
      if (auto at = labels.find({scope, jump.label.text}); !found && at != labels.end()) {
        kernel->ops[jump.op].target = at->second;
        found = true;
      }
    if (!found)
      return fail(jump.label, "no label '%.*s'", TEXT(jump.label));
  }
  return true;
}

/// Which rows asynchronous products use.
static void watchProducts(Kernel &kernel) {
  kernel.watched.assign(kernel.registerBytes / 64 + 1, 0);
  for (const Op &op : kernel.ops)
    if (op.isProduct && op.results)
      // The sums, and a left operand in registers; descriptors and conditions are read at once.
      for (uint32_t i = 0; i < op.results + (op.sources > 3 ? 4u : 0u); ++i)
        kernel.watched[op.rows[i] / 64] = 1;
}

/// A path that runs off the end leaves the kernel there; rows get their final place.
bool Parser::finishKernel() {
  Op end;
  end.run = set.find("ret");
  end.ends = true;
  end.line = token.line;
  kernel->ops.push_back(end);
  firstRows.push_back(0);
  kernel->rows.push_back(0);
  kernel->dynamicAlignment = std::max(kernel->dynamicAlignment, program->dynamicAlignment);
  kernel->localBytes = std::max(kernel->localBytes, program->localBytes);
  for (uint32_t i = 0; i < kernel->ops.size(); ++i) {
    kernel->ops[i].rows = kernel->rows.data() + firstRows[i];
    kernel->ops[i].index = i;
  }
  if (!kernel->watched.empty())
    watchProducts(*kernel);
  findJoins(*kernel);
  return true;
}

const Registers *Parser::findRegisters(std::string_view name, uint32_t &row) const {
  size_t digits = name.find_last_not_of("0123456789") + 1;
  uint32_t number = uint32_t(atoi(std::string(name.substr(digits)).c_str()));
  for (size_t i = scopes.size(); i-- > 0;) {
    if (auto found = scopes[i].registers.find(name);
        found != scopes[i].registers.end() && !found->second.count) {
      row = found->second.first;
      return &found->second;
    }
    auto found = scopes[i].registers.find(name.substr(0, digits));
    if (found != scopes[i].registers.end() && digits < name.size() &&
        number < found->second.count) {
      row = found->second.first + number * found->second.stride;
      return &found->second;
    }
  }
  return nullptr;
}

const Symbol *Parser::findSymbol(std::string_view name) const {
  for (size_t i = scopes.size(); i-- > 0;)
    if (auto found = scopes[i].symbols.find(name); found != scopes[i].symbols.end())
      return &found->second;
  return nullptr;
}

uint32_t Parser::specialRow(std::string_view name, uint32_t &bits) {
  static const std::map<std::string_view, Special> names = {
      {"%tid.x", Special::TidX},
      {"%tid.y", Special::TidY},
      {"%tid.z", Special::TidZ},
      {"%ntid.x", Special::NtidX},
      {"%ntid.y", Special::NtidY},
      {"%ntid.z", Special::NtidZ},
      {"%ctaid.x", Special::CtaidX},
      {"%ctaid.y", Special::CtaidY},
      {"%ctaid.z", Special::CtaidZ},
      {"%nctaid.x", Special::NctaidX},
      {"%nctaid.y", Special::NctaidY},
      {"%nctaid.z", Special::NctaidZ},
      {"%laneid", Special::LaneId},
      {"%warpid", Special::WarpId},
      {"%nwarpid", Special::NwarpId},
      {"%lanemask_eq", Special::LanemaskEq},
      {"%lanemask_le", Special::LanemaskLe},
      {"%lanemask_lt", Special::LanemaskLt},
      {"%lanemask_ge", Special::LanemaskGe},
      {"%lanemask_gt", Special::LanemaskGt},
      {"%dynamic_smem_size", Special::DynamicBytes},
      {"%total_smem_size", Special::TotalBytes}};
  auto known = names.find(name);
  if (known == names.end())
    return none;
  bits = 32;
  auto [found, isNew] = specialRows.try_emplace(known->first, 0u, 0u);
  if (isNew) {
    found->second.first = addRow(128);
    kernel->specials.push_back({known->second, found->second.first});
  }
  return found->second.first;
}

uint32_t Parser::constantRow(uint64_t value, uint32_t bits, bool dynamic) {
  if (bits == 1)
    value = value ? UINT32_MAX : 0;
  else if (bits < 64)
    value &= (uint64_t(1) << bits) - 1;
  auto [found, isNew] =
      constantRows.try_emplace({value, bits == 16 ? 32 : bits + (dynamic ? 1000 : 0)}, 0u);
  if (isNew) {
    found->second = addRow(rowBytes(bits));
    kernel->constants.push_back({found->second, uint8_t(bits == 16 ? 32 : bits), dynamic, value});
  }
  return found->second;
}

uint32_t Parser::parameterRow(uint32_t offset, uint32_t bytes) {
  auto [found, isNew] = parameterRows.try_emplace({offset, bytes}, 0u);
  if (isNew) {
    found->second = addRow(bytes == 8 ? 256 : 128);
    kernel->parameterRows.push_back({found->second, offset, bytes});
  }
  return found->second;
}

/// A word: a register, a special register, a variable, or a label.
bool Parser::named(Operand &result) {
  result.token = token;
  if (const Registers *found = findRegisters(token.text, result.row)) {
    result.kind = Operand::Register;
    result.registers = *found;
  } else if (token.text == "_") {
    result.kind = Operand::Sink;
  } else if (uint32_t bits = 0, row = specialRow(token.text, bits); row != none) {
    result.kind = Operand::Register;
    result.row = row;
    result.registers.bits = bits;
  } else if (const Symbol *symbol = findSymbol(token.text)) {
    result.kind = Operand::Symbol;
    result.symbol = *symbol;
  } else if (token.text[0] == '%') {
    return fail(token, "no register '%.*s'", TEXT(token));
  } else {
    result.kind = Operand::Label;
  }
  advance();
  return true;
}

/// [%rd1+8], [%rd1+-8], [name+16], [16]
bool Parser::address(Operand &result) {
  result.kind = Operand::Address;
  result.token = token;
  Operand base;
  if (token.kind == Token::Number) {
    base.kind = Operand::Immediate;
    base.token = token;
    base.value = token.value;
    advance();
  } else if (token.kind != Token::Word || !named(base)) {
    return fail(token, "expected an address, found '%.*s'", TEXT(token));
  }
  if (base.kind == Operand::Label)
    return fail(base.token, "no variable '%.*s'", TEXT(base.token));
  result.elements.push_back(base);
  if (token.is('+') || token.is('-')) {
    bool negative = accept('-');
    if (!negative) {
      advance();
      negative = accept('-');
    }
    if (token.kind != Token::Number)
      return fail(token, "expected a number in an address, found '%.*s'", TEXT(token));
    result.value = negative ? 0 - token.value : token.value;
    advance();
  }
  return true;
}

std::optional<Operand> Parser::operand() {
  Operand result;
  result.token = token;
  if (accept('[')) {
    // Copies of tensors have lists of coordinates in it.
    if (!address(result))
      return std::nullopt;
    while (accept(',')) {
      std::optional<Operand> more = operand();
      if (!more)
        return std::nullopt;
      result.elements.push_back(std::move(*more));
    }
    if (!expect(']', "after an address"))
      return std::nullopt;
    return result;
  }
  if (accept('{')) {
    result.kind = Operand::List;
    do {
      std::optional<Operand> element = operand();
      if (!element)
        return std::nullopt;
      result.elements.push_back(std::move(*element));
    } while (accept(','));
    if (!expect('}', "after a list"))
      return std::nullopt;
    return result;
  }
  bool negative = false;
  if (accept('!'))
    result.negated = true;
  else
    negative = accept('-');
  if (token.kind == Token::Number || token.kind == Token::Float32 || token.kind == Token::Float64) {
    result.kind = Operand::Immediate;
    result.token = token;
    result.value = negative ? 0 - token.value : token.value;
    advance();
    return result;
  }
  if (token.kind != Token::Word || negative) {
    fail(token, "expected an operand, found '%.*s'", TEXT(token));
    return std::nullopt;
  }
  if (!named(result))
    return std::nullopt;
  // name+8 of a variable.
  if (result.kind == Operand::Symbol && accept('+')) {
    result.value = token.value;
    advance();
  }
  return result;
}

std::unique_ptr<Program> tw::emulator::ptx::parse(std::string_view text, std::string &error) {
  return Parser(text, instructions()).run(error);
}

std::string_view Program::line(uint32_t number) const {
  std::string_view rest = source;
  for (uint32_t i = 1; i < number; ++i)
    rest.remove_prefix(std::min(rest.find('\n') + 1, rest.size()));
  rest = rest.substr(0, rest.find('\n'));
  size_t first = rest.find_first_not_of(" \t");
  return first == rest.npos ? std::string_view() : rest.substr(first);
}
