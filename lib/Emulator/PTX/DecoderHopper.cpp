// Instructions of PTX that work beside the warps: mbarriers, bulk copies, asynchronous products.
#include "Parser.h"

#include <algorithm>

using namespace tw::emulator::ptx;

#define TEXT(token) int((token).text.size()), (token).text.data()
#define VIEW(view) int((view).size()), (view).data()

static bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

/// cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
///   [local], [map, {x, y}], [mbarrier]
/// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
///   [local], [global], bytes, [mbarrier]
bool Parser::bulk(Op &op, std::string_view name, std::vector<Operand> &operands) {
  bool isTensor = name.substr(13, 8) == ".tensor.";
  uint32_t rank = isTensor ? uint32_t(name[21] - '0') : 0;
  std::string begin = "cp.async.bulk";
  if (isTensor)
    begin += ".tensor." + std::to_string(rank) + "d";
  // No copies to several blocks of a cluster, no hints for caches.
  bool isKnown = false;
  for (const char *where : {".shared::cluster", ".shared::cta"})
    for (const char *mode : {"", ".tile"})
      isKnown |= name == begin + where + ".global" + mode + ".mbarrier::complete_tx::bytes";
  if (!isKnown)
    return false;
  size_t count = isTensor ? 3 : 4;
  if (!countOperands(name, operands, count, count) || !takeAddress(op, operands[0], op.offset))
    return false;
  bool wide = op.wide;
  Operand &from = operands[1];
  if (isTensor) {
    if (from.kind != Operand::Address || from.elements.size() != 2 ||
        from.elements[1].kind != Operand::List || from.elements[1].elements.size() != rank)
      return fail(from.token, "%.*s takes a tensor map and %u coordinates", VIEW(name), rank);
    if (!take(from.elements[0], 'd', false, name))
      return false;
    for (const Operand &coordinate : from.elements[1].elements)
      if (!take(coordinate, 'w', false, name))
        return false;
    op.offset2 = int64_t(from.value);
  } else if (!takeAddress(op, from, op.offset2) || !take(operands[2], 'w', false, name)) {
    return false;
  }
  op.wide = wide;
  Op other = op;
  if (!takeAddress(other, operands.back(), op.offset3))
    return false;
  if (other.wide != wide)
    return fail(operands.back().token, "%.*s takes addresses of equal widths", VIEW(name));
  op.sources = uint8_t(rows.size());
  op.count = uint8_t(rank);
  op.run = set.find(isTensor ? "bulk.tensor" : "bulk");
  return true;
}

/// mbarrier.init.shared.b64 [at], count; .arrive _, [at]; .arrive.expect_tx _, [at], bytes;
/// .expect_tx [at], bytes; .try_wait.parity p, [at], parity; .try_wait p, [at], phase; .inval [at]
bool Parser::mbarrier(Op &op, std::string_view name, std::vector<Operand> &operands) {
  if (!contains(name, ".shared") || contains(name, "cluster.b64") || !name.ends_with(".b64") ||
      contains(name, "noComplete"))
    return false;
  std::string_view rest = name.substr(9);
  auto begins = [&](std::string_view part) { return rest.substr(0, part.size()) == part; };
  const char *handler = nullptr;
  std::string results;
  size_t least = 1, most = 1;
  if (begins("init.")) {
    handler = "mbarrier.init";
    least = most = 2;
  } else if (begins("inval.")) {
    handler = "mbarrier.inval";
  } else if (begins("arrive.expect_tx.")) {
    handler = "mbarrier.arrive.expect_tx";
    results = "d";
    least = most = 3;
  } else if (begins("arrive.")) {
    handler = "mbarrier.arrive";
    results = "d";
    least = 2;
    most = 3;
  } else if (begins("expect_tx.")) {
    handler = "mbarrier.expect_tx";
    least = most = 2;
  } else if (begins("try_wait.") || begins("test_wait.")) {
    handler = contains(name, ".parity.") ? "mbarrier.wait.parity" : "mbarrier.wait";
    results = "p";
    least = 3;
    most = 4;
  } else {
    return false;
  }
  if (!countOperands(name, operands, least, most))
    return false;
  size_t next = 0;
  if (!results.empty() && !take(operands[next++], results[0], true, name))
    return false;
  op.results = uint8_t(rows.size());
  if (!takeAddress(op, operands[next++], op.offset))
    return false;
  bool isToken = std::string_view(handler) == "mbarrier.wait";
  // How long to wait, behind it, is the hardware's business.
  if (next < operands.size() && !take(operands[next++], isToken ? 'd' : 'w', false, name))
    return false;
  op.sources = uint8_t(rows.size() - op.results);
  op.run = set.find(handler);
  kernel->cellBytes = std::min(kernel->cellBytes, 8u);
  return true;
}

/// wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {sums}, left, right, adds, 1, 1, 0, 0;
/// left is a descriptor or {registers}. Its fence and groups.
bool Parser::product(Op &op, std::string_view name, std::vector<Operand> &operands) {
  constexpr std::string_view begin = "wgmma.mma_async.sync.aligned.m64n";
  op.isProduct = true;
  if (name.substr(0, begin.size()) != begin) {
    op.run = set.find(name);
    bool waits = contains(name, "wait_group");
    if (!op.run || !countOperands(name, operands, size_t(waits), size_t(waits)))
      return false;
    op.offset = waits ? int64_t(operands[0].value) : 0;
    return !waits || operands[0].kind == Operand::Immediate;
  }
  std::string_view shape = name.substr(begin.size());
  size_t k = shape.find('k'), types = shape.find('.');
  if (k == shape.npos || types == shape.npos || k > types)
    return false;
  uint32_t columns = uint32_t(atoi(std::string(shape.substr(0, k)).c_str()));
  uint32_t depth = uint32_t(atoi(std::string(shape.substr(k + 1)).c_str()));
  op.run = set.find("wgmma" + std::string(shape.substr(types)));
  if (!op.run || columns < 8 || columns > 256 || columns % 8)
    return false;
  op.bytes = uint8_t(32 / std::max(depth, 1u));
  bool isHalf = op.bytes == 2, isInteger = contains(shape, ".s32.");
  if (depth * op.bytes != 32 || (isHalf != (contains(shape, "f16.") || contains(shape, "bf16."))))
    return false;
  bool isRegister = operands.size() > 1 && operands[1].kind == Operand::List;
  size_t count = 4 + (isInteger ? 0 : 2) + (isHalf ? (isRegister ? 1 : 2) : 0);
  if (!countOperands(name, operands, count, count))
    return false;
  if (operands[0].kind != Operand::List || operands[0].elements.size() != columns / 2)
    return fail(operands[0].token, "%.*s takes %u registers of sums", VIEW(name), columns / 2);
  for (const Operand &sum : operands[0].elements)
    if (!take(sum, 'w', true, name) || rows.back() == none)
      return false;
  op.results = uint8_t(rows.size());
  if (isRegister) {
    if (operands[1].elements.size() != 4)
      return fail(operands[1].token, "%.*s takes 4 registers of its left operand", VIEW(name));
    for (const Operand &element : operands[1].elements)
      if (!take(element, 'w', false, name))
        return false;
  } else if (!take(operands[1], 'd', false, name)) {
    return false;
  }
  if (!take(operands[2], 'd', false, name) || !take(operands[3], 'p', false, name))
    return false;
  op.sources = uint8_t(rows.size() - op.results);
  op.count = uint8_t(columns / 8);
  // Bits: left and right negated, left and right transposed.
  for (size_t i = 4; i < count; ++i) {
    uint64_t value = operands[i].value;
    bool isSign = i < 6;
    bool fits = isSign ? value == 1 || value == uint64_t(-1) : value <= 1;
    if (operands[i].kind != Operand::Immediate || !fits)
      return fail(operands[i].token, "'%.*s' is no operand of %.*s", TEXT(operands[i].token),
                  VIEW(name));
    bool isSet = isSign ? value != 1 : value == 1;
    op.offset |= int64_t(isSet) << (isSign ? i - 4 : i - (isRegister ? 3 : 4));
  }
  kernel->watched.resize(1);
  return true;
}
