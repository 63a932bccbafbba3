// Greedy choice, and draws from the most likely tokens by a counter-based generator.
#include "Sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

/// Philox 4x32-10 (Salmon et al., 2011), first word of the block: a uniform number below 1.
static double drawUniform(uint64_t seed, uint64_t position) {
  uint32_t counter[4] = {uint32_t(position), uint32_t(position >> 32), 0, 0};
  uint32_t key[2] = {uint32_t(seed), uint32_t(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(0xD2511F53) * counter[0], b = uint64_t(0xCD9E8D57) * counter[2];
    uint32_t next[4] = {uint32_t(b >> 32) ^ counter[1] ^ key[0], uint32_t(b),
                        uint32_t(a >> 32) ^ counter[3] ^ key[1], uint32_t(a)};
    std::copy(next, next + 4, counter);
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return double(counter[0]) * 0x1p-32;
}

int64_t sample(const std::vector<float> &logits, const Sampling &sampling, uint64_t position) {
  if (sampling.temperature <= 0)
    return std::max_element(logits.begin(), logits.end()) - logits.begin();
  std::vector<int64_t> tokens(logits.size());
  std::iota(tokens.begin(), tokens.end(), 0);
  size_t kept = sampling.top ? std::min<size_t>(sampling.top, tokens.size()) : tokens.size();
  std::partial_sort(
      tokens.begin(), tokens.begin() + int64_t(kept), tokens.end(), [&](int64_t a, int64_t b) {
        return logits[size_t(a)] != logits[size_t(b)] ? logits[size_t(a)] > logits[size_t(b)]
                                                      : a < b;
      });
  std::vector<double> weights;
  double sum = 0;
  for (size_t i = 0; i < kept; ++i) {
    weights.push_back(std::exp((double(logits[size_t(tokens[i])]) - logits[size_t(tokens[0])]) /
                               sampling.temperature));
    sum += weights.back();
  }
  // The first tokens that together reach the share; the one that reaches it is kept.
  double reached = 0;
  size_t count = 0;
  while (count < kept && (count == 0 || reached < sampling.nucleus * sum))
    reached += weights[count++];
  double at = drawUniform(sampling.seed, position) * reached;
  for (size_t i = 0; i + 1 < count; ++i)
    if ((at -= weights[i]) < 0)
      return tokens[i];
  return tokens[count - 1];
}
