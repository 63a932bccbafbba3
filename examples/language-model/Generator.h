// A compiled decoder with its state.
#pragma once

#include <twrt/twrt.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Holds a call and the caches that it changes in place. Functions exit with a message where the
/// runtime fails.
class Generator {
public:
  /// `folder` is that of the weights; `threads` 0: one per core.
  Generator(const std::string &module, const std::string &folder, uint32_t threads);
  ~Generator();
  Generator(const Generator &) = delete;
  Generator &operator=(const Generator &) = delete;

  /// Appends tokens to each stream's sequence, as many at once as the module takes; equally many to
  /// each. Gives the logits of each stream.
  const std::vector<std::vector<float>> &feed(const std::vector<std::vector<int64_t>> &tokens);
  /// Sequences that are continued at once.
  int64_t streams() const { return count; }
  /// Tokens of each stream so far.
  int64_t position() const { return length; }
  int64_t capacity() const { return most; }
  /// Forgets the sequences.
  void reset() { length = 0; }

private:
  void step(const std::vector<std::vector<int64_t>> &tokens, size_t first, int64_t rows);

  TwrtInstance *instance = nullptr;
  TwrtDevice *device = nullptr;
  TwrtQueue *queue = nullptr;
  TwrtModule *module = nullptr;
  TwrtProgram *program = nullptr;
  TwrtCall *call = nullptr;
  TwrtBuffer *input = nullptr;
  std::vector<std::vector<float>> logits;
  std::vector<std::vector<int64_t>> caches; // their storage, argument 1 first
  int64_t count = 1, length = 0, most = 0, chunk = 1;
};
