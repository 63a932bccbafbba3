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

/// "2.30 Mcycles: core 98 %, pages 1 %, L2 20 %, L3 0 %, memory 5 %", of the whole.
static std::string getEstimateText(const CandidateReport &candidate) {
  if (candidate.cycles <= 0)
    return "not estimated";
  std::string text = getCyclesText(candidate.cycles), separator = ": ";
  for (auto &[name, cycles] : candidate.limits) {
    text += separator + llvm::formatv("{0} {1:F0} %", name, 100 * cycles / candidate.cycles).str();
    separator = ", ";
  }
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
  const CandidateReport *chosen = row.getChosen();
  if (!row.madeFor.empty())
    line(os, "made for", row.madeFor);
  // Kernels of one name differ in their axes, and those may have been rewritten since.
  if (!row.key.empty() && row.key != row.name + " (" + row.axes + ")")
    line(os, "in a file", row.key);
  if (!chosen) {
    if (row.byHand)
      line(os, "strategy", "none, by hand");
    explainEstimate(row.counted, os);
  } else {
    line(os, "strategy",
         chosen->strategy + llvm::formatv(", {0} of {1} candidates",
                                          chosen - row.candidates.data() + 1, row.candidates.size())
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

static void explainKernel(const KernelReport &row, double total, llvm::raw_ostream &os) {
  os << llvm::formatv("{0} ({1}): {2} flops, {3} bytes, {4} programs, {5} launches", row.name,
                      row.axes, row.flops, row.bytes, row.programs, row.launches);
  if (total > 0 && row.launches > 0)
    os << llvm::formatv(", {0:F1} % of the cycles", 100 * row.getCycles() / total);
  os << "\n";
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

static void explainTotal(const TargetReport &target, llvm::raw_ostream &os) {
  int64_t flops = 0, bytes = 0;
  for (const KernelReport &row : target.kernels) {
    flops += row.launches * row.flops;
    bytes += row.launches * row.bytes;
  }
  os << llvm::formatv("total: {0} kernels, {1} launches, {2} flops, {3} bytes",
                      target.kernels.size(), target.launches, flops, bytes);
  if (double cycles = target.getCycles(); cycles > 0)
    os << ", " << getCyclesText(cycles) << " of one core";
  os << "\n";
}

void CompileReport::explain(llvm::raw_ostream &os) const {
  for (const TargetReport &target : targets) {
    if (targets.size() > 1)
      os << "target " << target.target << "\n\n";
    explainTotal(target, os);
    for (const KernelReport *row : target.getSortedKernels()) {
      os << "\n";
      explainKernel(*row, target.getCycles(), os);
    }
    if (&target != &targets.back())
      os << "\n";
  }
}

/// "joined    reduce (i 4, j 8) into sub_exp_div (i 4, j 8): 3.6 kcycles instead of 4.3"
/// "reordered tensor<1x8x8x64xf32> for conv (p 8, q 8, g 64, r 3, s 3): 21 kcycles instead of 35"
static void explainJoin(const schedule::JoinRecord &join, llvm::raw_ostream &os) {
  std::string why = join.reason.empty()
                        ? getCyclesText(join.whole) + " instead of " + getCyclesText(join.apart)
                        : join.reason;
  std::string what = join.verdict == "reordered" ? join.other + " for " : join.other + " into ";
  line(os, join.verdict, what + join.kernel + ": " + why);
}

void CompileReport::explainFusion(llvm::raw_ostream &os) const {
  for (const TargetReport &target : targets) {
    if (targets.size() > 1)
      os << "target " << target.target << "\n\n";
    auto count = [&](llvm::StringRef verdict) {
      return llvm::count_if(
          target.joins, [&](const schedule::JoinRecord &join) { return join.verdict == verdict; });
    };
    size_t refused = count("refused"), joined = count("joined") + count("kept");
    os << llvm::formatv("fusion: {0} kernels joined, {1} refused; {2} kernels, {3} launches\n",
                        joined, refused, target.kernels.size(),
                        target.launches);
    for (const schedule::JoinRecord &join : target.joins)
      explainJoin(join, os);
    if (&target != &targets.back())
      os << "\n";
  }
}
