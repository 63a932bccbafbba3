// Tensors on the host: inputs from files or a seed, statistics, comparison.
#pragma once

#include "Options.h"
#include "Problems.h"
#include "Support/Npy.h"

#include <functional>
#include <map>

namespace tw::run {

/// What a program takes or returns. A dimension below zero is a symbol.
struct Value {
  std::string name;
  uint32_t element = 0;
  std::vector<int64_t> dims;
  /// Of the quantised numbers that an output's are, 0 for others.
  double step = 0;
  /// Of an input that has room for more in memory: its dimensions there.
  std::vector<int64_t> storage = {};
  /// The output that takes an input's memory, or -1.
  int32_t shares = -1;
  /// The bytes of the only value that an input may have; empty: any.
  std::vector<uint8_t> assumed = {};
};

struct Tensor {
  std::string name;
  support::NpyArray array;

  /// Of complex numbers both parts are elements, which lie one behind the other.
  size_t count() const;
  uint32_t element() const;
  size_t elementBytes() const;
  /// The element as a number; integers above 2^53 are rounded.
  double at(size_t index) const;
  /// The number of that index, of a complex one its absolute value.
  double size(size_t index) const;
};

/// Splits each "[NAME=]FILE" and finds the value it is for: by name, or in order among those not
/// named. Every problem is added; `what` is "input" or "output".
struct Assignment {
  size_t value;
  std::string file;
};
std::vector<Assignment> assign(const std::vector<std::string> &arguments,
                               const std::vector<Value> &values, const char *what,
                               Problems &problems);

/// Sizes of symbols by dimension, -1 - i for the i-th.
using SymbolSizes = std::map<int64_t, int64_t>;

/// Whether the symbol is one that a program declares: others are called by what they are, a number
/// or `4 * S`.
bool isDeclared(const std::string &symbol);

/// The sizes that a call settles.
struct OpenSizes {
  const std::vector<std::string> &names;
  /// The least size of each above 0.
  const std::vector<int64_t> &least;
  /// Fills in what follows from those that are known.
  std::function<void(SymbolSizes &)> deduce;
};

/// Reads the inputs that have files and makes the others from the seed: floats from -1 to 1, whole
/// numbers from 0 to 9, booleans. Symbols that do not follow from files are the least, which is
/// told.
std::vector<Tensor> makeInputs(const Options &options, const std::vector<Value> &values,
                               const OpenSizes &open, Problems &problems,
                               std::vector<std::string> &notes);

/// The elements of a tensor of `dims` laid out as one of `storage`, at the same coordinates; and
/// back. What is left of the storage has all bits set, NaN as floats.
std::vector<uint8_t> spread(const std::vector<uint8_t> &data, const std::vector<int64_t> &dims,
                            const std::vector<int64_t> &storage, size_t elementBytes);
std::vector<uint8_t> gather(const std::vector<uint8_t> &data, const std::vector<int64_t> &dims,
                            const std::vector<int64_t> &storage, size_t elementBytes);

/// Reads a file that must have exactly the type of `value`.
bool readTensor(const std::string &path, const Value &value, const char *role, Tensor &tensor,
                Problems &problems);

/// Different values are counted among so many elements, the first ones: sorting more of them takes
/// longer than a device needs for all.
constexpr size_t kCountedForDistinct = size_t(1) << 20;

struct Statistics {
  double min = 0, max = 0, mean = 0, deviation = 0;
  /// distinct: different values among the first `kCountedForDistinct` finite ones.
  size_t nans = 0, infinities = 0, distinct = 0;
};
/// Over the finite elements.
Statistics computeStatistics(const Tensor &tensor);

/// Indices of the `count` largest elements of the first row: of the last dimension above 1.
std::vector<size_t> largest(const Tensor &tensor, size_t count);

struct Comparison {
  std::string output, reference;
  double maxError = 0, maxReference = 0, limit = 0;
  /// An error of one step is allowed too; 0: none is.
  double step = 0;
  size_t worst = 0;
  double expected = 0, found = 0;
  /// maxError over maxReference, or maxError where that is 0.
  double relative() const;
  bool holds() const;
};

/// The limit for results of that element type, wider if the options let numbers be changed.
double errorLimit(const Options &options, uint32_t element);

/// Of results that the options have made.
Comparison compare(const Tensor &found, const Tensor &expected, const Options &options);

} // namespace tw::run
