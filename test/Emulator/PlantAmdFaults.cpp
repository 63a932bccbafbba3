// plant-amd-faults MODULE.twm CHIP: runs two groups of each kernel of a module as it is, which
// nothing may be said against, and with one fault after the other planted into its instructions.
// A fault is found if the emulator reports something or a buffer holds other bits than without it.
//   waits     a wait that there was something to wait for, taken out
//   weaker    such a wait, for all but one more
//   barriers  a barrier taken out
//   offsets   an access to local memory, one element further: a swizzle that is off by one
//   operands  the factors of a matrix instruction exchanged: a wrong map of lanes
// Exit status 1 if a report is missing or false; wrong values may hide behind others, as in a
// largest of many. Faults of which nothing comes are named.
#include "AMDGCN/CodeObject.h"
#include "PlantedSamples.h"
#include "tw/Format/Container.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>

using namespace tw::emulator;
namespace amdgcn = tw::emulator::amdgcn;

namespace {

/// What a run of two groups left.
struct Result {
  std::string fault;
  std::vector<std::vector<float>> buffers;
  std::vector<Counters> counters;
};

struct Fault {
  const char *kind;
  size_t at;
  std::vector<std::pair<size_t, std::string>> edits;
};

} // namespace

static Result run(const amdgcn::Kernel &kernel) {
  Result result;
  Memory memory;
  LaunchShape shape;
  shape.memory = &memory;
  shape.parameters.resize(kernel.parameterBytes + 8);
  for (const KernelCode::Slot &slot : kernel.slots) {
    if (!slot.pointer)
      continue;
    std::vector<float> &buffer = result.buffers.emplace_back(samples(result.buffers.size()));
    uint64_t address = reinterpret_cast<uintptr_t>(buffer.data());
    memory.add(address, bufferBytes);
    memory.markWritten(address, bufferBytes);
    memcpy(&shape.parameters[slot.offset], &address, sizeof(address));
  }
  shape.block[0] = kernel.maxThreads;
  shape.grid[0] = 2;
  result.fault = kernel.run(shape, &result.counters);
  return result;
}

static bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

/// The numbers of waits grow by one: vmcnt(3), 0x3.
static std::string weaken(std::string text) {
  for (const char *before : {"cnt(", "cnt 0x", "cnt null, 0x"})
    for (size_t at = 0; (at = text.find(before, at)) != text.npos;) {
      at += strlen(before);
      bool hex = strchr(before, 'x');
      size_t length = 0;
      unsigned long value = std::stoul(text.substr(at), &length, hex ? 16 : 10) + 1;
      char digits[32];
      snprintf(digits, sizeof(digits), hex ? "%lx" : "%lu", value);
      text.replace(at, length, digits);
    }
  return text;
}

static bool isWait(const std::string &text) {
  return (text.starts_with("s_waitcnt ") || text.starts_with("s_wait_")) &&
         !text.starts_with("s_wait_alu") && !text.starts_with("s_wait_store");
}

/// A load or store of local memory, with its first offset one element further.
static std::string moveAccess(const std::string &text) {
  static constexpr std::pair<const char *, unsigned> sizes[] = {
      {"b128", 16}, {"b96", 4}, {"b64", 8}, {"b32", 4}, {"16", 2}, {"8", 1}};
  // Of pairs of accesses offsets count in elements.
  bool two = contains(text.substr(0, text.find(' ')), "2_") || contains(text, "2addr") ||
             contains(text, "2st64");
  unsigned bytes = 4;
  for (auto [word, size] : sizes)
    if (contains(text.substr(0, text.find(' ')), word)) {
      bytes = size;
      break;
    }
  size_t at = text.find(two ? "offset0:" : "offset:");
  size_t number = at == text.npos ? 0 : at + (two ? 8 : 7);
  if (at == text.npos)
    return text + (two ? " offset0:" : " offset:") + std::to_string(two ? 2 : bytes);
  size_t length = 0;
  unsigned long value = std::stoul(text.substr(number), &length) + (two ? 2 : bytes);
  return std::string(text).replace(number, length, std::to_string(value));
}

/// D, A, B, C with A and B exchanged.
static std::string exchangeFactors(const std::string &text) {
  size_t first = text.find(", "), second = text.find(", ", first + 2),
         third = text.find(", ", second + 2);
  if (third == text.npos)
    return text;
  return text.substr(0, first) + text.substr(second, third - second) +
         text.substr(first, second - first) + text.substr(third);
}

static std::vector<Fault> findFaults(const amdgcn::Kernel &kernel, const Result &plain) {
  std::vector<Fault> faults;
  for (size_t i = 0; i < kernel.text.size(); ++i) {
    const std::string &text = kernel.text[i];
    uint64_t executions = plain.counters[i].executions;
    if (!executions)
      continue;
    if (isWait(text) && plain.counters[i].waited) {
      faults.push_back({"waits", i, {{i, "s_nop 0"}}});
      faults.push_back({"weaker", i, {{i, weaken(text)}}});
    } else if (text == "s_barrier") {
      faults.push_back({"barriers", i, {{i, "s_nop 0"}}});
    } else if (text.starts_with("s_barrier_signal")) {
      size_t wait = i;
      while (wait < kernel.text.size() && !kernel.text[wait].starts_with("s_barrier_wait"))
        ++wait;
      faults.push_back({"barriers", i, {{i, "s_nop 0"}, {wait, "s_nop 0"}}});
    } else if (text.starts_with("ds_") && !contains(text, "permute")) {
      faults.push_back({"offsets", i, {{i, moveAccess(text)}}});
    } else if (text.starts_with("v_mfma") || text.starts_with("v_wmma")) {
      faults.push_back({"operands", i, {{i, exchangeFactors(text)}}});
    }
  }
  return faults;
}

/// Leaves as many of each kind as there shall be.
static void thin(std::vector<Fault> &faults) {
  std::map<std::string, std::vector<Fault>> kinds;
  for (Fault &fault : faults)
    kinds[fault.kind].push_back(std::move(fault));
  faults.clear();
  for (auto &[kind, list] : kinds)
    for (size_t i = 0, count = std::min(list.size(), mostOfAKind); i < count; ++i)
      faults.push_back(std::move(list[i * list.size() / count]));
}

static bool examine(const amdgcn::Kernel &kernel) {
  Result plain = run(kernel);
  if (!plain.fault.empty()) {
    printf("%s: false: %s\n", kernel.name.c_str(), plain.fault.c_str());
    return false;
  }
  std::map<std::string, std::pair<unsigned, unsigned>> counts;
  std::vector<Fault> faults = findFaults(kernel, plain);
  thin(faults);
  for (const Fault &fault : faults) {
    amdgcn::Kernel changed = kernel;
    changed.ops.clear();
    for (const auto &[at, text] : fault.edits)
      changed.text[at] = text;
    std::string error;
    // What is no instruction was found by whoever reads it.
    bool found = !amdgcn::decode(changed, error);
    if (!found) {
      Result result = run(changed);
      found = !result.fault.empty();
      for (size_t i = 0; i < plain.buffers.size(); ++i)
        found |= memcmp(plain.buffers[i].data(), result.buffers[i].data(), bufferBytes) != 0;
    }
    auto &[planted, seen] = counts[fault.kind];
    ++planted;
    seen += found;
    if (!found)
      printf("%s: not found: %s at %zu '%s'\n", kernel.name.c_str(), fault.kind, fault.at,
             kernel.text[fault.at].c_str());
  }
  bool good = true;
  printf("%s:", kernel.name.c_str());
  for (const auto &[kind, count] : counts) {
    printf(" %s %u of %u", kind.c_str(), count.second, count.first);
    good &= count.first == count.second || kind == "offsets" || kind == "operands";
  }
  printf("\n");
  return good;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  std::ifstream file(argv[1], std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  tw::format::Container container;
  tw::format::Error reason;
  if (!tw::format::Container::open(bytes, container, reason)) {
    printf("%s\n", reason.message);
    return 1;
  }
  bool good = true;
  for (uint32_t i = 0; i < container.sectionCount(); ++i) {
    std::span<const uint8_t> section = container.sectionBytes(i);
    if (section.size() < SELFMAG || memcmp(section.data(), ELFMAG, SELFMAG) != 0)
      continue;
    std::map<std::string, amdgcn::Kernel> kernels;
    std::string error;
    if (!amdgcn::readKernels(section.data(), argv[2], kernels, error)) {
      printf("%s\n", error.c_str());
      return 1;
    }
    for (const auto &[name, kernel] : kernels)
      good &= examine(kernel);
  }
  return good ? 0 : 1;
}
