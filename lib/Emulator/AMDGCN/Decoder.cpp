// From the text of instructions to operations.
#include "Program.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace tw::emulator;
using namespace tw::emulator::amdgcn;

namespace {

class Decoder {
public:
  Decoder(Kernel &kernel, std::string &error) : kernel(kernel), error(error) {}
  bool run();

private:
  bool fail(const std::string &what);
  bool decode(std::string_view text, Op &op);
  bool decodeDual(std::string_view text, size_t split, Op &op);
  bool decodeWait(std::string_view name, std::string_view rest, Op &op);
  std::string normalize(std::string_view name, Op &op) const;
  bool readOperand(std::string_view text, Operand &operand);
  bool readRegister(std::string_view text, Operand &operand) const;
  bool readModifier(std::string_view word, Op &op);
  bool readList(std::string_view word, std::string_view list, Op &op);
  bool finishAccess(std::string_view name, Op &op);
  bool checkMatrices(const Instruction &known, const Op &op);
  bool findTarget(Op &op);
  void note(const Op &op, bool fills, Op &into) const;

  Kernel &kernel;
  std::string &error;
  size_t index = 0;
  /// Whether a result of the instruction that is read may be clamped.
  bool clamps = false;
};

} // namespace

bool Decoder::fail(const std::string &what) {
  error = "kernel '" + kernel.name + "', instruction " + std::to_string(index) + " '" +
          kernel.text[index] + "': " + what;
  return false;
}

static bool consume(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}
static std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

bool Decoder::readRegister(std::string_view text, Operand &operand) const {
  static const std::map<std::string_view, std::pair<uint16_t, uint16_t>> named = {
      {"vcc", {Vcc, 2}},   {"vcc_lo", {Vcc, 1}},   {"vcc_hi", {Vcc + 1, 1}},   {"m0", {M0, 1}},
      {"exec", {Exec, 2}}, {"exec_lo", {Exec, 1}}, {"exec_hi", {Exec + 1, 1}}, {"null", {Null, 1}}};
  if (auto found = named.find(text); found != named.end()) {
    operand.kind = Operand::Scalar;
    operand.index = found->second.first;
    operand.count = found->second.second;
    return true;
  }
  uint32_t base = 0;
  operand.kind = Operand::Vector;
  if (consume(text, "ttmp")) {
    base = Ttmp;
    operand.kind = Operand::Scalar;
  } else if (consume(text, "a")) {
    base = 256;
  } else if (consume(text, "s")) {
    operand.kind = Operand::Scalar;
  } else if (!consume(text, "v")) {
    return false;
  }
  if (text.ends_with(".l") || text.ends_with(".h")) {
    operand.part = text.back() == 'l' ? Part::Low : Part::High;
    text.remove_suffix(2);
  }
  bool range = consume(text, "[");
  char *end = nullptr;
  std::string digits(text);
  uint32_t first = uint32_t(strtoul(digits.c_str(), &end, 10)), last = first;
  if (end == digits.c_str())
    return false;
  if (range && *end == ':')
    last = uint32_t(strtoul(end + 1, &end, 10));
  if (range && *end++ != ']')
    return false;
  operand.index = uint16_t(base + first);
  operand.count = uint16_t(last - first + 1);
  return *end == 0 && base + last < (operand.kind == Operand::Vector ? vectorCount : ScalarCount);
}

bool Decoder::readOperand(std::string_view text, Operand &operand) {
  std::string_view whole = text;
  if (text == "off")
    return true;
  char first = text.size() > 1 ? text[1] : 0;
  if (text.front() == '-' && !(first >= '0' && first <= '9')) {
    operand.negated = true;
    text.remove_prefix(1);
  }
  if (consume(text, "sext(")) {
    operand.extended = true;
    text.remove_suffix(1);
  }
  if (text.size() > 2 && text.front() == '|' && text.back() == '|') {
    operand.absolute = true;
    text = text.substr(1, text.size() - 2);
  }
  if (readRegister(text, operand))
    return true;
  std::string number(text);
  char *end = nullptr;
  if (text.starts_with("0x")) {
    operand.kind = Operand::Literal;
    operand.integer = int64_t(strtoull(number.c_str(), &end, 16));
  } else if (text.find('.') != text.npos) {
    operand.kind = Operand::Float;
    operand.number = strtod(number.c_str(), &end);
  } else {
    operand.kind = Operand::Integer;
    operand.integer = strtoll(number.c_str(), &end, 10);
  }
  if (end == number.c_str() || *end)
    return fail("the operand '" + std::string(whole) + "' is not known");
  return true;
}

bool Decoder::readList(std::string_view word, std::string_view list, Op &op) {
  for (int i = 0; !list.empty(); ++i) {
    bool set = list.front() == '1';
    list.remove_prefix(std::min<size_t>(2, list.size()));
    if (i == op.sources && word == "op_sel") {
      op.toHigh = set;
      continue;
    }
    if (i >= op.sources)
      return fail("more elements in " + std::string(word) + " than operands");
    Operand &from = op.from[i];
    if (word == "op_sel") {
      from.low = set;
      from.part = set ? Part::High : from.part;
    } else if (word == "op_sel_hi") {
      from.high = set;
    } else if (word == "neg_lo") {
      from.negated = set;
    } else if (word == "neg_hi") {
      from.negatedHigh = set;
    } else {
      return fail("'" + std::string(word) + "' is not known");
    }
  }
  return true;
}

bool Decoder::readModifier(std::string_view word, Op &op) {
  static const std::map<std::string_view, Part> parts = {
      {"DWORD", Part::All},    {"WORD_0", Part::Low},   {"WORD_1", Part::High},
      {"BYTE_0", Part::Byte0}, {"BYTE_1", Part::Byte1}, {"BYTE_2", Part::Byte2},
      {"BYTE_3", Part::Byte3}};
  for (std::string_view hint : {"glc", "slc", "dlc", "sc0", "sc1", "nt"})
    if (word == hint)
      return true;
  if (word.starts_with("th:") || word.starts_with("scope:"))
    return true;
  if (word == "clamp" && clamps)
    return op.clamped = true;
  size_t colon = word.find(':');
  std::string_view key = word.substr(0, colon),
                   value = colon == word.npos ? "" : word.substr(colon + 1);
  int64_t number = strtoll(std::string(value).c_str(), nullptr, 0);
  if (value.starts_with('['))
    return readList(key, value.substr(1, value.size() - 2), op);
  if (key == "offset" || key == "offset0")
    op.offset = number;
  else if (key == "offset1")
    op.offset2 = number;
  else if (key == "bitop3")
    op.table = uint8_t(number);
  else if (key == "dst_sel" && parts.count(value))
    op.partly = (op.to[0].part = parts.at(value)) != Part::All;
  else if (key == "dst_unused")
    op.beside = value == "UNUSED_PRESERVE" ? Beside::Kept
                : value == "UNUSED_SEXT"   ? Beside::Sign
                                           : Beside::Zero;
  else if ((key == "src0_sel" || key == "src1_sel") && parts.count(value))
    op.from[key[3] - '0'].part = parts.at(value);
  else
    return fail("'" + std::string(word) + "' is not known");
  return true;
}

static void replace(std::string &text, std::string_view from, std::string_view to) {
  if (size_t at = text.find(from); at != text.npos)
    text.replace(at, from.size(), to);
}

/// One name for what generations and encodings call differently.
std::string Decoder::normalize(std::string_view view, Op &op) const {
  std::string name(view);
  for (std::string_view suffix : {"_e32", "_e64", "_sdwa"})
    if (name.ends_with(suffix))
      name.resize(name.size() - suffix.size());
  replace(name, "v_dual_", "v_");
  if (name.starts_with("v_mfma_") || name.starts_with("v_wmma_")) {
    // v_mfma_f32_32x32x8_f16, v_mfma_f32_32x32x8bf16_1k
    unsigned m = 0, n = 0, k = 0;
    int taken = 0;
    if (sscanf(name.c_str() + 11, "%ux%ux%u%n", &m, &n, &k, &taken) != 3 || m != n || m > 32 ||
        k > 64 || uint64_t(m) * m / kernel.chip.waveLanes > 16)
      return name;
    op.extent = uint16_t(m);
    op.depth = uint16_t(k);
    std::string type = name.substr(11 + size_t(taken));
    if (type.ends_with("_1k"))
      type.resize(type.size() - 3);
    if (type.starts_with("_"))
      type = type.substr(1);
    std::string unit = name.substr(0, 6);
    if (unit == "v_wmma" && kernel.chip.generation >= 12)
      unit = "v_wmma12";
    // The first chips with floats of 8 bits have others under the names of OCP's.
    if (type.ends_with("f8") || type.ends_with("fp8"))
      type += kernel.chip.name.starts_with("gfx94") ? "_fnuz" : "";
    return unit + name.substr(6, 5) + type;
  }
  if (name == "v_cvt_f32_fp8" || name == "v_cvt_f32_bf8")
    return kernel.chip.name.starts_with("gfx94") ? name + "_fnuz" : name;
  static const std::pair<std::string_view, std::string_view> words[] = {
      {"ds_load_2addr_stride64", "ds_read2st64"},
      {"ds_store_2addr_stride64", "ds_write2st64"},
      {"ds_load_2addr", "ds_read2"},
      {"ds_store_2addr", "ds_write2"},
      {"ds_load", "ds_read"},
      {"ds_store_b8_d16", "ds_write_b8_d16"},
      {"ds_store", "ds_write"},
      {"dwordx16", "b512"},
      {"dwordx8", "b256"},
      {"dwordx4", "b128"},
      {"dwordx3", "b96"},
      {"dwordx2", "b64"},
      {"dword", "b32"},
      {"short_d16_hi", "d16_hi_b16"},
      {"short_d16", "d16_b16"},
      {"ubyte_d16_hi", "d16_hi_u8"},
      {"ubyte_d16", "d16_u8"},
      {"sbyte_d16_hi", "d16_hi_i8"},
      {"sbyte_d16", "d16_i8"},
      {"byte_d16_hi", "d16_hi_b8"},
      {"ubyte", "u8"},
      {"sbyte", "i8"},
      {"ushort", "u16"},
      {"sshort", "i16"},
      {"store_short", "store_b16"},
      {"store_byte", "store_b8"}};
  if (name.starts_with("ds_") || name.starts_with("global_") || name.starts_with("scratch_") ||
      name.starts_with("s_load"))
    for (auto [from, to] : words)
      replace(name, from, to);
  return name;
}

/// Bytes of an access, from what it is called.
static uint32_t bytesOf(std::string_view name) {
  static constexpr std::pair<std::string_view, uint32_t> sizes[] = {
      {"b128", 16}, {"b256", 32}, {"b512", 64}, {"b96", 12}, {"b64", 8}, {"b32", 4},
      {"b16", 2},   {"u16", 2},   {"i16", 2},   {"b8", 1},   {"u8", 1},  {"i8", 1}};
  for (auto [word, bytes] : sizes)
    if (name.find(word) != name.npos)
      return bytes;
  return 4;
}

bool Decoder::finishAccess(std::string_view name, Op &op) {
  op.bytes = bytesOf(name);
  if (!name.starts_with("ds_"))
    return true;
  if (name != "ds_bpermute_b32")
    kernel.cellBytes = std::min(kernel.cellBytes, op.bytes);
  if (name.find("2_") == name.npos && name.find("2st64") == name.npos)
    return true;
  // With equal offsets there is one access, and one register.
  if (op.offset == op.offset2)
    return fail("two accesses at one offset");
  uint32_t unit = op.bytes * (name.find("st64") == name.npos ? 1 : 64);
  op.offset *= unit;
  op.offset2 *= unit;
  return true;
}

bool Decoder::decodeWait(std::string_view name, std::string_view rest, Op &op) {
  op.run = instructions().at("wait").run;
  auto set = [&](Counter counter, int64_t value) { op.waits[size_t(counter)] = int16_t(value); };
  std::string text(rest);
  if (name == "s_waitcnt") {
    if (size_t at = rest.find("vmcnt("); at != rest.npos)
      set(Counter::Vector, atoi(text.c_str() + at + 6));
    if (size_t at = rest.find("lgkmcnt("); at != rest.npos) {
      set(Counter::Local, atoi(text.c_str() + at + 8));
      set(Counter::Scalar, atoi(text.c_str() + at + 8));
    }
    return rest.find("cnt(") != rest.npos || fail("a wait for nothing known");
  }
  size_t comma = text.find(", ");
  int64_t value = strtoll(text.c_str() + (comma == text.npos ? 0 : comma + 2), nullptr, 0);
  if (name == "s_waitcnt_vscnt" || name == "s_wait_storecnt") {
    set(Counter::Store, value);
  } else if (name == "s_wait_loadcnt") {
    set(Counter::Vector, value);
  } else if (name == "s_wait_dscnt") {
    set(Counter::Local, value);
  } else if (name == "s_wait_kmcnt") {
    set(Counter::Scalar, value);
  } else if (name == "s_wait_loadcnt_dscnt" || name == "s_wait_storecnt_dscnt") {
    set(name[7] == 'l' ? Counter::Vector : Counter::Store, value >> 8 & 63);
    set(Counter::Local, value & 63);
  } else if (name != "s_wait_samplecnt" && name != "s_wait_bvhcnt" && name != "s_wait_expcnt" &&
             name != "s_wait_xcnt") {
    return fail("'" + std::string(name) + "' is not known");
  }
  return true;
}

bool Decoder::decodeDual(std::string_view text, size_t split, Op &op) {
  op.run = instructions().at("dual").run;
  op.first = std::make_shared<Op>();
  op.second = std::make_shared<Op>();
  if (!decode(trim(text.substr(0, split)), *op.first) ||
      !decode(trim(text.substr(split + 4)), *op.second))
    return false;
  note(*op.first, false, op);
  note(*op.second, false, op);
  return true;
}

/// The registers that `op` reads, and writes unless a load fills them in order.
void Decoder::note(const Op &op, bool fills, Op &into) const {
  auto add = [&](const Operand &operand) {
    if (operand.kind == Operand::Vector || operand.kind == Operand::Scalar)
      into.touched.push_back({operand.kind == Operand::Vector, operand.index, operand.count});
  };
  for (int i = 0; i < op.sources; ++i)
    add(op.from[i]);
  for (int i = 0; i < op.results && !fills; ++i)
    add(op.to[i]);
}

/// Forms with several blocks have names like those with one: registers tell them apart.
bool Decoder::checkMatrices(const Instruction &known, const Op &op) {
  uint32_t lanesUsed = kernel.chip.waveLanes, m = op.extent, k = op.depth;
  uint32_t perLane = known.copies ? k : k * m / lanesUsed;
  uint32_t each = (perLane + known.elements - 1) / known.elements, sums = m * m / lanesUsed;
  if (known.copies && lanesUsed != 32)
    return fail("such a matrix instruction in a wave of 64");
  if (op.from[0].count != each || op.from[1].count != each || op.to[0].count != sums)
    return fail("a matrix instruction of " + std::to_string(op.from[0].count) + " and " +
                std::to_string(op.from[1].count) + " registers to " +
                std::to_string(op.to[0].count) + ", not of " + std::to_string(each) + " to " +
                std::to_string(sums));
  return true;
}

bool Decoder::findTarget(Op &op) {
  const std::vector<uint64_t> &addresses = kernel.addresses;
  uint64_t address = addresses[index] + 4 + uint64_t(int64_t(int16_t(op.from[0].integer)) * 4);
  auto found = std::lower_bound(addresses.begin(), addresses.end(), address);
  if (found == addresses.end() || *found != address)
    return fail("a branch to where no instruction begins");
  op.target = uint32_t(found - addresses.begin());
  return true;
}

static std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      if (std::string_view part = trim(text.substr(begin, i - begin)); !part.empty())
        parts.push_back(part);
      begin = i + 1;
    } else if (text[i] == '[' || text[i] == '(') {
      ++depth;
    } else if (text[i] == ']' || text[i] == ')') {
      --depth;
    }
  }
  return parts;
}

bool Decoder::decode(std::string_view text, Op &op) {
  op.line = uint32_t(index);
  if (size_t dual = text.find(" :: "); dual != text.npos)
    return decodeDual(text, dual, op);
  size_t space = text.find(' ');
  std::string_view written = text.substr(0, space),
                   rest = space == text.npos ? "" : trim(text.substr(space));
  if (written.starts_with("s_waitcnt") && written != "s_waitcnt_depctr")
    return decodeWait(written, rest, op);
  if (written.starts_with("s_wait_") && written != "s_wait_alu")
    return decodeWait(written, rest, op);
  std::string name = normalize(written, op);
  auto found = instructions().find(name);
  if (found == instructions().end())
    return fail("'" + std::string(written) + "' is not known to the emulator");
  const Instruction &known = found->second;
  op.run = known.run;
  op.results = known.results;
  if (known.ignored)
    return true;
  if (name.starts_with("v_cmpx_") && kernel.chip.generation < 10)
    op.results = 1;
  op.keepsHalf = known.keepsHalf || kernel.chip.generation >= 10;
  clamps = known.clamps;
  if (name.starts_with("v_fma_mix"))
    for (Operand &from : op.from)
      from.high = false;
  std::vector<std::string_view> parts = split(rest);
  std::string_view modifiers;
  if (!parts.empty())
    if (size_t blank = parts.back().find(' '); blank != std::string_view::npos) {
      modifiers = trim(parts.back().substr(blank));
      parts.back() = parts.back().substr(0, blank);
    }
  if (parts.size() < op.results || parts.size() > op.results + 4u)
    return fail(std::to_string(parts.size()) + " operands");
  for (size_t i = 0; i < parts.size(); ++i)
    if (!readOperand(parts[i], i < op.results ? op.to[i] : op.from[op.sources++]))
      return false;
  if (known.accumulates)
    op.from[op.sources++] = op.to[0];
  if (name == "v_cndmask_b32" && op.sources == 2) {
    op.from[2].kind = Operand::Scalar;
    op.from[2].index = Vcc;
    op.sources = 3;
  }
  while (!modifiers.empty()) {
    size_t end = std::min(modifiers.find(' '), modifiers.size());
    if (!readModifier(modifiers.substr(0, end), op))
      return false;
    modifiers = trim(modifiers.substr(end));
  }
  bool access =
      name.starts_with("ds_") || name.starts_with("global_") || name.starts_with("scratch_");
  if ((access || name.starts_with("s_load_")) && !finishAccess(name, op))
    return false;
  if (op.extent && !checkMatrices(known, op))
    return false;
  note(op, access && op.results, op);
  if (name.starts_with("v_div_fmas_") || name.starts_with("s_cbranch_vcc"))
    op.touched.push_back({false, Vcc, 2});
  bool branches = name == "s_branch" || name.starts_with("s_cbranch_");
  return !branches || findTarget(op);
}

bool Decoder::run() {
  for (index = 0; index < kernel.addresses.size(); ++index) {
    std::string_view text = kernel.text[index];
    for (std::string_view comment : {";", "//"})
      text = text.substr(0, text.find(comment));
    if (!decode(trim(text), kernel.ops.emplace_back()))
      return false;
  }
  return true;
}

bool tw::emulator::amdgcn::decode(Kernel &kernel, std::string &error) {
  return Decoder(kernel, error).run();
}
