// The next token from logits.
#pragma once

#include <cstdint>
#include <vector>

struct Sampling {
  double temperature = 0; // 0: the most likely one
  uint64_t top = 0;       // of so many most likely ones; 0: of all
  double nucleus = 1;     // of the most likely ones that together have this probability
  uint64_t seed = 0;
};

/// The token at `position` depends on the seed and the position alone, not on calls before.
int64_t sample(const std::vector<float> &logits, const Sampling &sampling, uint64_t position);
