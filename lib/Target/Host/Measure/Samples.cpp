// Which samples count, and when rounds agree.
#include "Samples.h"

#include <algorithm>
#include <cmath>

using namespace tw::host;

std::optional<double> measure::getLeastCycles(llvm::ArrayRef<Sample> samples) {
  constexpr double mostDrift = 0.02;
  std::optional<double> least;
  for (const Sample &sample : samples) {
    auto [shorter, longer] = std::minmax(sample.secondsOfCycleBefore, sample.secondsOfCycleAfter);
    if (longer > (1 + mostDrift) * shorter)
      continue;
    double cycles = 2 * sample.seconds / (shorter + longer);
    least = std::min(cycles, least.value_or(cycles));
  }
  return least;
}

std::optional<double> measure::settle(llvm::ArrayRef<double> rounds) {
  constexpr double mostApart = 0.05;
  std::optional<double> settled;
  double closest = 1 + mostApart;
  for (size_t i = 0; i < rounds.size(); ++i)
    for (size_t j = i + 1; j < rounds.size(); ++j) {
      auto [less, more] = std::minmax(rounds[i], rounds[j]);
      if (less <= 0 || more > closest * less)
        continue;
      closest = more / less;
      settled = (less + more) / 2;
    }
  return settled;
}

bool measure::isPlausible(double measured, double expected) {
  return measured > 0 && measured <= 2 * expected && expected <= 2 * measured;
}

double measure::toQuarters(double rate) {
  double nearest = std::round(4 * rate) / 4;
  return nearest > 0 && std::abs(rate - nearest) <= nearest / 20 ? nearest : rate;
}

std::optional<double> measure::findStep(llvm::ArrayRef<Growth> growth, double limit) {
  for (size_t i = 0; i < growth.size(); ++i)
    if (growth[i].cycles >= limit)
      return i == 0 ? std::nullopt : std::optional(growth[i - 1].size);
  return std::nullopt;
}
