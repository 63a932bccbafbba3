// Rounds of samples: interleaved over all loops, until two of them agree.
#include "Measure.h"

#include "Quantities.h"
#include "Threads.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <ctime>

using namespace tw::host;
using namespace tw::host::measure;

/// One after the other, so that what disturbs for a while disturbs one sample of each. Three rounds
/// stay within a minute.
static Cycles runRound(const Quantities &quantities, unsigned samples) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds longest(12);
  Clock::time_point end = Clock::now() + longest;
  std::map<std::string, std::vector<Sample>> taken;
  for (unsigned i = 0; i < samples && (i == 0 || Clock::now() < end); ++i) {
    double before = quantities.getSecondsOfCycle();
    for (const Quantity &quantity : quantities.getAll()) {
      double seconds = quantity.run();
      double after = quantities.getSecondsOfCycle();
      taken[quantity.name].push_back({seconds, before, after});
      before = after;
    }
  }
  Cycles cycles;
  for (const Quantity &quantity : quantities.getAll())
    if (std::optional<double> least = getLeastCycles(taken[quantity.name]))
      cycles[quantity.name] = *least / quantity.units;
  return cycles;
}

static std::string getDate() {
  std::time_t now = std::time(nullptr);
  char text[16];
  std::tm parts;
  return std::string(text, std::strftime(text, sizeof(text), "%Y-%m-%d", gmtime_r(&now, &parts)));
}

bool measure::measureMachine(const Description &machine, unsigned samples, Table &table,
                             llvm::function_ref<void(const std::string &)> note,
                             std::string &error) {
  std::unique_ptr<Loops> loops = Loops::create(machine, error);
  if (!loops)
    return false;
  if (!hasThreads(unsigned(machine.traits.threads))) {
    error = "the system gives no " + std::to_string(machine.traits.threads) + " threads at once";
    return false;
  }
  Quantities quantities(machine, *loops);
  if (!quantities.hasMemory()) {
    error = "no memory for loops over four times the last cache";
    return false;
  }
  constexpr unsigned mostRounds = 3;
  std::map<std::string, std::vector<double>> rounds;
  auto areSettled = [&] {
    return llvm::all_of(rounds, [](const auto &entry) { return settle(entry.second).has_value(); });
  };
  for (unsigned i = 0; i < mostRounds && (i < 2 || !areSettled()); ++i)
    for (const auto &[name, value] : toTraits(runRound(quantities, samples), machine.traits))
      rounds[name].push_back(value);

  table = {{}, getDate()};
  schedule::forEachTrait(machine.traits, [&](const schedule::Trait &trait, llvm::StringRef text) {
    std::string name = trait.name.str();
    auto found = rounds.find(name);
    if (found == rounds.end())
      return;
    std::string kept;
    llvm::raw_string_ostream os(kept);
    os << name << " stays " << text << ": ";
    double expected = 0;
    bool isNumber = !text.getAsDouble(expected);
    // A row says what all threads of the CPU get; those of a virtual machine get no more than each.
    if (trait.name == "allMemoryBytesPerCycle")
      expected = std::min(machine.traits.getSharedMemoryBytesPerCycle(),
                          double(machine.traits.threads) * machine.traits.memoryBytesPerCycle);
    std::optional<double> value = settle(found->second);
    if (!value) {
      os << "rounds measured";
      for (double round : found->second)
        os << llvm::format(" %.4g", round);
      note(kept);
    } else if (!isNumber || !isPlausible(*value, expected)) {
      os << llvm::format("measured was %.4g", *value);
      note(kept);
    } else {
      table.values[name] = *value;
    }
  });
  return true;
}
