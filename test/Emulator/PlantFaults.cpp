// plant-faults FILE.ptx: runs two blocks of each kernel as it is, which nothing may be said
// against, and with one fault after the other planted into its text. A fault is found if the
// emulator reports something or a buffer holds other bits than without it.
//   barriers  a barrier taken out. Those of a block of one warp order its lanes alone, which the
//             emulator does not judge
//   waits     a wait for asynchronous copies, taken out; weaker: for all but one more
//   fences    what makes local memory visible to units that read it, taken out
//   products  a wait for such units, taken out
//   arrivals  what a thread says of bytes that copies of boxes bring, taken out; wrong: one more
//   releases  what a subgroup says of a slot that may be filled again, taken out
//   boxes     a copy of a box, taken out; a wait for one that goes on at once; mbarriers that
//             copies do not know
//   operands  the second and the third register of a matrix instruction's rows exchanged: a wrong
//             map of lanes
//   swizzles  16 bytes of local memory read one further, by loads of matrices and of vectors
// Buffers hold small numbers. Exit status 1 if a report is missing or false; wrong values may hide
// behind others, as in a largest of many.
#include "PTX/Launch.h"
#include "PTX/TensorMap.h"
#include "PlantedSamples.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

using namespace tw::emulator;

using Buffers = std::vector<std::vector<float>>;

/// The map of a tensor that a comment of the text describes: "// gemm: parameter 3 is a map of
/// parameter 0, bf16, extents 64 512 8, strides 1024 128, box 64 64 4, swizzle 128".
static ptx::TensorMap makeMap(const std::string &text, const std::string &name, size_t parameter,
                              const Buffers &buffers) {
  std::string begin = "// " + name + ": parameter " + std::to_string(parameter) + " is a map of ";
  size_t at = text.find(begin);
  std::istringstream line(text.substr(at, text.find('\n', at) - at).substr(begin.size()));
  std::string word, type;
  size_t buffer = 0;
  std::map<std::string, std::vector<uint64_t>> numbers;
  line >> word >> buffer >> word >> type;
  for (std::string list; line >> word;) {
    if (isdigit(word[0]))
      numbers[list].push_back(strtoull(word.c_str(), nullptr, 10));
    else
      list = word;
  }
  ptx::TensorMap map;
  std::vector<uint32_t> box(numbers["box"].begin(), numbers["box"].end()), ones(box.size(), 1);
  uint64_t swizzle = numbers["swizzle"].empty() ? 0 : numbers["swizzle"][0];
  constexpr uint32_t f16 = 6, bf16 = 9;
  if (!ptx::encodeTiled(map, type == "f16," ? f16 : bf16, uint32_t(box.size()),
                        reinterpret_cast<uintptr_t>(buffers.at(buffer).data()),
                        numbers["extents"].data(), numbers["strides"].data(), box.data(),
                        ones.data(), 0, swizzle == 128 ? 3 : uint32_t(swizzle / 32), 0))
    printf("%s: no map of parameter %zu\n", name.c_str(), parameter);
  return map;
}

static std::string run(const std::string &text, const std::string &name, Buffers &buffers) {
  std::string error;
  std::unique_ptr<ptx::Program> program = ptx::parse(text, error);
  if (!program)
    return "error: " + error;
  ptx::Launch launch;
  launch.program = program.get();
  launch.kernel = program->kernels.at(name).get();
  Memory memory;
  launch.memory = &memory;
  launch.parameters.resize(launch.kernel->parameterBytes);
  for (const ptx::Parameter &parameter : launch.kernel->parameters) {
    constexpr uint32_t mapBytes = 128;
    if (parameter.bytes == mapBytes) {
      size_t number = size_t(&parameter - launch.kernel->parameters.data());
      ptx::TensorMap map = makeMap(text, name, number, buffers);
      memcpy(&launch.parameters[parameter.offset], &map, sizeof(map));
    }
    if (!parameter.pointer)
      continue;
    std::vector<float> &buffer = buffers.emplace_back(samples(buffers.size()));
    uint64_t address = reinterpret_cast<uintptr_t>(buffer.data());
    memory.add(address, bufferBytes);
    memory.markWritten(address, bufferBytes);
    memcpy(&launch.parameters[parameter.offset], &address, sizeof(address));
  }
  for (int i = 0; i < 3; ++i)
    launch.block[i] = launch.kernel->threads[i] ? launch.kernel->threads[i] : 1;
  launch.grid[0] = 2;
  // Local memory that comes with a launch: as much as sm_90 has.
  for (const ptx::Constant &constant : launch.kernel->constants)
    if (constant.dynamic)
      launch.dynamicBytes = 227 << 10;
  return ptx::run(launch).fault;
}

namespace {

struct Fault {
  const char *kind;
  size_t at;
  std::string text;
};

/// The faults that may be planted into a kernel, which is the text from `begin` to `end`.
class Faults {
public:
  Faults(const std::string &text, size_t begin, size_t end) : text(text), begin(begin), end(end) {}

  void takeOut(const char *kind, const char *what) {
    eachStatement(what, [&](size_t at, const std::string &) { add(kind, at, ""); });
  }
  void weaken(const char *kind, const char *what) {
    eachStatement(what, [&](size_t at, const std::string &statement) {
      size_t number = statement.find_last_of(" \t") + 1;
      add(kind, at, statement.substr(0, number) + std::to_string(atoi(&statement[number]) + 1));
    });
  }
  /// The registers of the second braces: d, a, b, c. None where the operand is not in registers.
  void exchangeRows(const char *kind, const char *what) {
    eachStatement(what, [&](size_t at, const std::string &statement) {
      size_t rows = statement.find('{', statement.find('{') + 1);
      if (rows == statement.npos)
        return;
      size_t first = statement.find(',', rows) + 1, second = statement.find(',', first) + 1,
             last = statement.find_first_of(",}", second);
      add(kind, at,
          statement.substr(0, first) + statement.substr(second, last - second) + "," +
              statement.substr(first, second - 1 - first) + statement.substr(last));
    });
  }
  void move(const char *kind, const char *what) {
    eachStatement(what, [&](size_t at, const std::string &statement) {
      size_t close = statement.find(']'), plus = statement.rfind('+', close);
      int offset = plus == statement.npos ? 0 : atoi(&statement[plus + 1]);
      add(kind, at,
          statement.substr(0, plus == statement.npos ? close : plus) + "+" +
              std::to_string(offset + 16) + statement.substr(close));
    });
  }
  std::vector<Fault> list;

private:
  template <typename F> void eachStatement(const char *what, F body) {
    for (size_t at = begin; (at = text.find(what, at)) < end; at += strlen(what))
      body(at, text.substr(at, text.find(';', at) - at));
  }
  void add(const char *kind, size_t at, const std::string &statement) {
    std::string changed = text;
    size_t semicolon = text.find(';', at);
    // Nothing is no statement, and has no guard.
    bool none = statement.empty();
    size_t line = text.rfind('\n', at) + 1, guard = text.find('@', line);
    size_t from = none && guard < at ? guard : at;
    list.push_back({kind, at, changed.replace(from, semicolon - from + none, statement)});
  }

  const std::string &text;
  size_t begin, end;
};

} // namespace

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

int main(int argc, char **argv) {
  std::ifstream file(argc == 2 ? argv[1] : "/dev/stdin");
  std::stringstream stream;
  stream << file.rdbuf();
  std::string text = stream.str(), error;
  std::unique_ptr<ptx::Program> program = ptx::parse(text, error);
  if (!program) {
    printf("%s\n", error.c_str());
    return 1;
  }
  bool good = true;
  for (const auto &[name, kernel] : program->kernels) {
    // The kernel's part of the text.
    size_t begin = text.find(".entry " + name + "("), end = text.find(".entry", begin + 1);
    Buffers buffers;
    std::string plain = run(text, name, buffers);
    if (!plain.empty())
      printf("%s: false: %s\n", name.c_str(), plain.c_str());
    good &= plain.empty();
    Faults faults(text, begin, end);
    if (kernel->threads[0] > 32)
      faults.takeOut("barriers", "bar.sync");
    else
      printf("%s: one warp\n", name.c_str());
    faults.takeOut("waits", "cp.async.wait_group");
    faults.weaken("weaker", "cp.async.wait_group");
    faults.takeOut("fences", "fence.proxy.async");
    faults.takeOut("products", "wgmma.wait_group");
    faults.takeOut("arrivals", "mbarrier.arrive.expect_tx");
    faults.weaken("wrong", "mbarrier.arrive.expect_tx");
    faults.takeOut("releases", "mbarrier.arrive.shared::cta");
    faults.takeOut("boxes", "cp.async.bulk.tensor");
    faults.takeOut("boxes", "filled bra AWAIT");
    faults.takeOut("boxes", "fence.mbarrier_init");
    faults.exchangeRows("operands", "mma.sync");
    faults.exchangeRows("operands", "wgmma.mma_async");
    faults.move("swizzles", "ldmatrix.sync");
    faults.move("swizzles", "ld.shared.v4");
    thin(faults.list);
    std::map<std::string, std::pair<unsigned, unsigned>> counts;
    for (const Fault &fault : faults.list) {
      Buffers changed;
      bool found = !run(fault.text, name, changed).empty();
      for (size_t i = 0; i < buffers.size() && !found; ++i)
        found = memcmp(buffers[i].data(), changed[i].data(), bufferBytes) != 0;
      auto &[planted, seen] = counts[fault.kind];
      ++planted;
      seen += found;
      if (!found)
        printf("%s: not found: %s at %zu '%s'\n", name.c_str(), fault.kind, fault.at,
               text.substr(fault.at, text.find(';', fault.at) - fault.at).c_str());
    }
    printf("%s:", name.c_str());
    for (const auto &[kind, count] : counts) {
      printf(" %s %u of %u", kind.c_str(), count.second, count.first);
      good &= count.first == count.second || kind == "operands" || kind == "swizzles";
    }
    printf("\n");
  }
  return good ? 0 : 1;
}
