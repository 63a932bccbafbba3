// Prints how each kernel runs and why: schedule, estimates, what is left in the code.
#include "tw/Pipeline/Compiler.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace tw;

/// "1.23 Mcycles"
static std::string getCyclesText(double cycles) {
  if (cycles >= 1e6)
    return llvm::formatv("{0:F2} Mcycles", cycles / 1e6).str();
  return llvm::formatv("{0:F1} kcycles", cycles / 1e3).str();
}

/// "2.30 Mcycles: compute 98 %, L1 61 %, L2 20 %, memory 5 %, overhead 2 %", of the sum.
static std::string getEstimateText(const CandidateReport &candidate) {
  if (candidate.cycles <= 0)
    return "not estimated";
  std::string text = getCyclesText(candidate.cycles), separator = ": ";
  auto add = [&](llvm::StringRef name, double cycles) {
    text += separator + llvm::formatv("{0} {1:F0} %", name, 100 * cycles / candidate.cycles).str();
    separator = ", ";
  };
  for (auto &[name, cycles] : candidate.limits)
    add(name, cycles);
  add("overhead", candidate.overhead);
  return text;
}

static std::string getLimitText(const CandidateReport &candidate) {
  auto largest = llvm::max_element(
      candidate.limits, [](const auto &a, const auto &b) { return a.second < b.second; });
  if (candidate.cycles <= 0 || largest == candidate.limits.end())
    return "";
  return largest->first + ", " + getCyclesText(largest->second);
}

static void line(llvm::raw_ostream &os, llvm::StringRef key, const llvm::Twine &text) {
  os << llvm::formatv("  {0,-12}", key) << text << "\n";
}

static void explainEstimate(const CandidateReport &candidate, llvm::raw_ostream &os) {
  line(os, "estimate", getEstimateText(candidate));
  if (std::string limit = getLimitText(candidate); !limit.empty())
    line(os, "limit", limit);
}

static void explainChoice(const KernelReport &row, llvm::raw_ostream &os) {
  if (row.candidates.empty())
    return;
  auto chosen = llvm::find_if(row.candidates, [](const CandidateReport &c) { return c.chosen; });
  if (chosen == row.candidates.end()) {
    line(os, "strategy", "none, by hand");
    explainEstimate(row.counted, os);
  } else {
    line(os, "strategy",
         chosen->strategy + llvm::formatv(", {0} of {1} candidates",
                                          chosen - row.candidates.begin() + 1,
                                          row.candidates.size())
                                .str());
    // What the list above lacks has become part of the kernels.
    if (chosen->schedule != row.schedule)
      line(os, "in full", chosen->schedule);
    explainEstimate(*chosen, os);
  }
  for (const CandidateReport &candidate : row.candidates)
    if (!candidate.chosen)
      line(os, "candidate",
           candidate.strategy + ", " + getEstimateText(candidate) + "\n              " +
               candidate.schedule);
}

static void explainKernel(const KernelReport &row, llvm::raw_ostream &os) {
  os << llvm::formatv("{0} ({1}): {2} flops, {3} bytes, {4} programs, {5} launches\n", row.name,
                      row.axes, row.flops, row.bytes, row.programs, row.launches);
  for (const PrimitiveReport &primitive : row.primitives)
    line(os, &primitive == &row.primitives.front() ? "schedule" : "",
         llvm::formatv("{0,-14} {1}", primitive.exactness, primitive.text).str());
  if (row.primitives.empty())
    line(os, "schedule", "none: loops in the order of the kernel");
  explainChoice(row, os);
  if (row.registers > 0)
    line(os, "registers",
         llvm::formatv("{0} of {1} in the innermost loop{2}", row.registers, row.registerBudget,
                       row.registers > row.registerBudget
                           ? ": the tile is over the budget, the rest will be spilled"
                           : "")
             .str());
  if (row.counts) {
    const CodeCounts &counts = *row.counts;
    line(os, "guards",
         llvm::formatv("{0} of {1} accesses, {2} in loops", counts.guards, counts.accesses,
                       counts.loopGuards)
             .str());
    line(os, "spills",
         llvm::formatv("{0}, {1} in innermost loops", counts.spills, counts.loopSpills).str());
  }
  if (!row.resources.empty())
    line(os, "resources", row.resources);
}

void CompileReport::explain(llvm::raw_ostream &os) const {
  for (const TargetReport &target : targets) {
    if (targets.size() > 1)
      os << "target " << target.target << "\n\n";
    for (const KernelReport &row : target.kernels) {
      explainKernel(row, os);
      os << "\n";
    }
  }
}
