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
  Trait trait;
  std::variant<int64_t HostTraits::*, double HostTraits::*, bool HostTraits::*> member;
};

#define FIELD(name, unit) {{#name, unit}, &HostTraits::name}
constexpr Field fields[] = {
    FIELD(lanes, "lanes of 32 bits"),
    FIELD(registers, "registers"),
    FIELD(dataPathBytes, "bytes"),
    FIELD(masks, "whether there are any"),
    FIELD(fmaPerCycle, "registers a cycle"),
    FIELD(fmaLatency, "cycles"),
    FIELD(loadsPerCycle, "registers a cycle"),
    FIELD(storesPerCycle, "registers a cycle"),
    FIELD(maskedStoreCycles, "cycles"),
    FIELD(reloadCycles, "cycles"),
    FIELD(l1Bytes, "bytes"),
    FIELD(l2Bytes, "bytes"),
    FIELD(l3Bytes, "bytes"),
    FIELD(l1Ways, "lines of a set"),
    FIELD(l2Ways, "lines of a set"),
    FIELD(l3Ways, "lines of a set"),
    FIELD(lineBytes, "bytes"),
    FIELD(l2BytesPerCycle, "bytes a cycle"),
    FIELD(l3BytesPerCycle, "bytes a cycle"),
    FIELD(memoryBytesPerCycle, "bytes a cycle"),
    FIELD(l3BusyBytesPerCycle, "bytes a cycle"),
    FIELD(bf16Dot, "whether there are any"),
    FIELD(int8Dot, "whether there are any"),
    FIELD(int16Dot, "whether there are any"),
    FIELD(bf16DotPerCycle, "registers a cycle"),
    FIELD(int8DotPerCycle, "registers a cycle"),
    FIELD(l2Latency, "cycles"),
    FIELD(l3Latency, "cycles"),
    FIELD(memoryLatency, "cycles"),
    FIELD(missesAtOnce, "lines"),
    FIELD(streams, "places"),
    FIELD(joinedLines, "lines"),
    FIELD(issuePerCycle, "instructions a cycle"),
    FIELD(instructionsAhead, "instructions"),
    FIELD(branchMissCycles, "cycles"),
    FIELD(foretoldTrips, "iterations"),
    FIELD(shufflesPerCycle, "registers a cycle"),
    FIELD(divideCycles, "cycles"),
    FIELD(pageBytes, "bytes"),
    FIELD(nearPages, "pages"),
    FIELD(farPages, "pages"),
    FIELD(farPageCycles, "cycles"),
    FIELD(pageWalkCycles, "cycles"),
    FIELD(pagesAtOnce, "pages"),
    FIELD(threads, "threads"),
    FIELD(allMemoryBytesPerCycle, "bytes a cycle"),
    FIELD(launchCycles, "cycles"),
    FIELD(commandCycles, "cycles"),
};
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
                                function_ref<void(const Trait &, StringRef)> take) {
  for (const Field &field : fields)
    std::visit([&](auto member) { take(field.trait, print(traits.*member)); }, field.member);
}

bool tw::schedule::setTrait(HostTraits &traits, StringRef name, StringRef value,
                            std::string &error) {
  SmallVector<StringRef> known;
  for (const Field &field : fields) {
    known.push_back(field.trait.name);
    if (field.trait.name != name)
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

bool tw::schedule::setTrait(HostTraits &traits, StringRef name, double value, std::string &error) {
  const Field *field = find_if(fields, [&](const Field &each) { return each.trait.name == name; });
  bool isWhole =
      field != std::end(fields) && std::holds_alternative<int64_t HostTraits::*>(field->member);
  std::string text;
  raw_string_ostream(text) << format(isWhole ? "%.0f" : "%.4g", value);
  return setTrait(traits, name, text, error);
}

std::string tw::schedule::toText(const HostTraits &traits) {
  std::string text;
  forEachTrait(traits, [&](const Trait &trait, StringRef value) {
    text += (text.empty() ? "" : ",") + trait.name.str() + "=" + value.str();
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
