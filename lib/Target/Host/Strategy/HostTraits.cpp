// The traits of a CPU by name: as text for pass options, and as values of a file.
#include "tw/Target/Host/HostTraits.h"

#include "tw/Support/Similar.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <variant>

using namespace llvm;
using namespace tw::schedule;

namespace {

struct Field {
  StringLiteral name;
  std::variant<int64_t HostTraits::*, double HostTraits::*, bool HostTraits::*> member;
};

#define FIELD(name) {#name, &HostTraits::name}
constexpr Field fields[] = {FIELD(lanes),
                            FIELD(registers),
                            FIELD(dataPathBytes),
                            FIELD(masks),
                            FIELD(fma),
                            FIELD(fmaPerCycle),
                            FIELD(fmaLatency),
                            FIELD(loadsPerCycle),
                            FIELD(storesPerCycle),
                            FIELD(loadLatency),
                            FIELD(l1Bytes),
                            FIELD(l2Bytes),
                            FIELD(l3Bytes),
                            FIELD(l1Ways),
                            FIELD(l2Ways),
                            FIELD(l3Ways),
                            FIELD(lineBytes),
                            FIELD(l1SharedBy),
                            FIELD(l2SharedBy),
                            FIELD(l3SharedBy),
                            FIELD(l2BytesPerCycle),
                            FIELD(l3BytesPerCycle),
                            FIELD(memoryBytesPerCycle),
                            FIELD(bf16Dot),
                            FIELD(int8Dot),
                            FIELD(int16Dot),
                            FIELD(bf16DotPerCycle),
                            FIELD(int8DotPerCycle),
                            FIELD(l2Latency),
                            FIELD(l3Latency),
                            FIELD(memoryLatency),
                            FIELD(missesAtOnce),
                            FIELD(issuePerCycle),
                            FIELD(instructionsAhead),
                            FIELD(branchMissCycles),
                            FIELD(shufflesPerCycle),
                            FIELD(divideCycles),
                            FIELD(maskedStoreCycles),
                            FIELD(pageBytes),
                            FIELD(nearPages),
                            FIELD(farPages),
                            FIELD(farPageCycles),
                            FIELD(pageWalkCycles),
                            FIELD(threads),
                            FIELD(allMemoryBytesPerCycle),
                            FIELD(launchCycles)};
#undef FIELD

/// Every integer is below it, so that products of two fit.
constexpr int64_t limit = int64_t(1) << 40;

bool parse(StringRef text, bool &value) {
  value = text == "true";
  return value || text == "false";
}

bool parse(StringRef text, int64_t &value) {
  return !text.getAsInteger(10, value) && value > 0 && value <= limit;
}

bool parse(StringRef text, double &value) {
  return !text.getAsDouble(value) && std::isfinite(value) && value > 0;
}

StringRef expected(bool) { return "true or false"; }
StringRef expected(int64_t) { return "a positive integer"; }
StringRef expected(double) { return "a positive number"; }

std::string print(bool value) { return value ? "true" : "false"; }
std::string print(int64_t value) { return std::to_string(value); }
std::string print(double value) {
  std::string text;
  raw_string_ostream(text) << format("%g", value);
  return text;
}

} // namespace

void tw::schedule::forEachTrait(const HostTraits &traits,
                                function_ref<void(StringRef, StringRef)> take) {
  for (const Field &field : fields)
    std::visit([&](auto member) { take(field.name, print(traits.*member)); }, field.member);
}

bool tw::schedule::setTrait(HostTraits &traits, StringRef name, StringRef value,
                            std::string &error) {
  SmallVector<StringRef> known;
  for (const Field &field : fields) {
    known.push_back(field.name);
    if (field.name != name)
      continue;
    return std::visit(
        [&](auto member) {
          auto parsed = traits.*member;
          StringRef what = expected(parsed);
          bool good = parse(value, parsed);
          if (good && name == "lanes") {
            what = "a power of two from 4 to 64";
            good = isPowerOf2_64(uint64_t(parsed)) && parsed >= 4 && parsed <= 64;
          }
          if (good)
            traits.*member = parsed;
          else
            error = name.str() + " is '" + value.str() + "', expected " + what.str();
          return good;
        },
        field.member);
  }
  error = "a CPU has no trait '" + name.str() + "'" + listKnown(name, known);
  return false;
}

std::string tw::schedule::toText(const HostTraits &traits) {
  std::string text;
  forEachTrait(traits, [&](StringRef name, StringRef value) {
    text += (text.empty() ? "" : ",") + name.str() + "=" + value.str();
  });
  return text;
}

bool tw::schedule::parseTraits(StringRef text, HostTraits &traits, std::string &error) {
  SmallVector<StringRef> entries;
  text.split(entries, ',', -1, /*KeepEmpty=*/false);
  for (StringRef entry : entries) {
    auto [name, value] = entry.split('=');
    if (value.empty()) {
      error = "expected NAME=VALUE, found '" + entry.str() + "'";
      return false;
    }
    if (!setTrait(traits, name, value, error))
      return false;
  }
  return true;
}
