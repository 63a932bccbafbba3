// Sums of multiples of symbols, of products of two and of quotients, from what sizes are at
// samples.
#include "SizeSolver.h"

#include "tw/Support/SizeProducts.h"

#include <numeric>

using namespace mlir;
using namespace tw;
using namespace tw::onnx;

/// Neither 0 nor 1, of which operators make other programs that are the same.
static int64_t least(const SizeRange &range) {
  int64_t size = std::max(range.min, range.step == 1 ? 2 : range.step);
  return range.min == range.max ? range.max : size;
}

int64_t onnx::getMostSampled(const SizeRange &range) {
  return range.min == range.max ? range.max : std::max(range.max, least(range) + range.step);
}

/// Neighbours in some order, of all remainders by eight and less: what a program does with odd
/// sizes, or with what is left of a part, is not what it does with others.
static constexpr int64_t kNeighbours = 8;

SizeRange onnx::widen(SizeRange range) {
  if (range.min != range.max)
    range.max = std::max(getMostSampled(range), least(range) + (kNeighbours - 1) * range.step);
  return range;
}

std::vector<std::vector<int64_t>> onnx::chooseSizes(ArrayRef<SizeRange> ranges, size_t paired) {
  paired = std::min(paired, ranges.size());
  auto beside = [&](const SizeRange &range, int64_t place) {
    int64_t steps = (getMostSampled(range) - least(range)) / range.step;
    int64_t first = std::max<int64_t>(0, std::min(steps * 5 / 16, steps - (kNeighbours - 1)));
    return least(range) + (first + place % kNeighbours) % (steps + 1) * range.step;
  };
  std::vector<std::vector<int64_t>> all;
  auto add = [&](auto sizeOf) {
    std::vector<int64_t> &sizes = all.emplace_back();
    for (size_t i = 0; i < ranges.size(); ++i)
      sizes.push_back(sizeOf(i));
  };
  add([&](size_t i) { return getMostSampled(ranges[i]); });
  for (size_t changed = 0; changed < ranges.size(); ++changed)
    add([&](size_t i) { return i == changed ? least(ranges[i]) : getMostSampled(ranges[i]); });
  // Pairs, for products of symbols.
  for (size_t first = 0; first < paired; ++first)
    for (size_t second = first + 1; second < paired; ++second)
      add([&](size_t i) {
        return i == first || i == second ? least(ranges[i]) : getMostSampled(ranges[i]);
      });
  // To check: the least ones, neighbours, which come in another order for each symbol, and some
  // that are far from all.
  add([&](size_t i) { return least(ranges[i]); });
  for (int64_t round = 0; round < kNeighbours; ++round)
    add([&](size_t i) { return beside(ranges[i], (2 * int64_t(i) + 1) * round + int64_t(i)); });
  for (int64_t part : {11, 14})
    add([&](size_t i) {
      int64_t steps = (getMostSampled(ranges[i]) - least(ranges[i])) / ranges[i].step;
      return least(ranges[i]) + steps * ((part + 3 * int64_t(i)) % 16) / 16 * ranges[i].step;
    });
  return all;
}

SizeSolver::SizeSolver(MLIRContext *context, ArrayRef<std::vector<int64_t>> sizes,
                       ArrayRef<std::string> names, ArrayRef<SizeRange> ranges, size_t paired)
    : sizes(sizes), ranges(ranges), paired(std::min(paired, names.size())),
      quotients(names.size()) {
  for (const std::string &name : names)
    symbols.push_back(StringAttr::get(context, name));
}

std::optional<graph::Dim> SizeSolver::findKnown(ArrayRef<int64_t> values) const {
  for (const auto *each : {&learned.sizes, &learned.numbers})
    if (auto found = each->find(values.vec()); found != each->end())
      return found->second;
  return std::nullopt;
}

std::optional<graph::Dim> SizeSolver::findKnownOfSome(ArrayRef<int64_t> values,
                                                      ArrayRef<int64_t> lengths) const {
  std::optional<graph::Dim> found;
  for (const auto *each : {&learned.sizes, &learned.numbers})
    for (const auto &[own, dim] : *each) {
      bool isAlike = own.size() == values.size();
      for (size_t i = 0; isAlike && i < own.size(); ++i)
        isAlike = own[i] == values[i] || lengths[i] == 0;
      if (!isAlike)
        continue;
      if (found && *found != dim)
        return std::nullopt;
      found = dim;
    }
  return found;
}

std::optional<graph::Dim> SizeSolver::solve(ArrayRef<int64_t> values) {
  if (std::optional<graph::Dim> dim = findKnown(values))
    return dim;
  if (auto found = noted.find(values.vec()); found != noted.end() && found->second)
    return found->second;
  SmallVector<unsigned> choice(symbols.size(), 0);
  constexpr unsigned mostChoices = 256;
  for (unsigned i = 0; i < mostChoices; ++i) {
    Variables variables = getVariables(choice);
    if (std::optional<graph::Dim> dim = solveLinear(values, variables))
      return dim;
    if (std::optional<graph::Dim> dim = solveProducts(values, variables))
      return dim;
    // The next choice, as a number is counted up.
    size_t digit = 0;
    while (digit < choice.size() && ++choice[digit] > quotients[digit].size())
      choice[digit++] = 0;
    if (digit == choice.size())
      break;
  }
  if (std::optional<graph::Dim> dim =
          looksBesideParts ? solveBesideParts(values) : std::optional<graph::Dim>())
    return dim;
  if (std::optional<graph::Dim> dim = solveQuotient(values))
    return dim;
  if (std::optional<graph::Dim> dim = solveBesideQuotient(values))
    return dim;
  if (std::optional<graph::Dim> dim = solveSquare(values))
    return dim;
  return solveBesideMultiple(values);
}

std::optional<graph::Dim> SizeSolver::solveBesideQuotient(ArrayRef<int64_t> values) {
  Variables variables = getVariables(SmallVector<unsigned>(symbols.size(), 0));
  for (auto [symbol, known] : llvm::zip(symbols, quotients))
    for (const graph::Dim &quotient : known)
      for (int64_t sign : {-1, 1}) {
        SmallVector<int64_t> rest;
        for (auto [value, sample] : llvm::zip(values, sizes))
          rest.push_back(value - sign * evaluate(quotient, sample).value_or(0));
        std::optional<graph::Dim> linear = solveLinear(rest, variables);
        if (!linear)
          continue;
        // k * S - N floordiv c -> (k * c * S - N + c - 1) floordiv c
        SizeQuotient parts = *getQuotient(quotient.getTerms().front().first);
        int64_t factor = 0;
        for (auto [name, each] : linear->getTerms())
          factor = name == symbol ? each : factor;
        graph::Dim own = graph::Dim::symbol(symbol, factor);
        graph::Dim numerator =
            own * parts.divisor + parts.numerator * sign + (sign < 0 ? parts.divisor - 1 : 0);
        return divideDown(numerator, parts.divisor) + (*linear - own);
      }
  return std::nullopt;
}

SizeSolver::Variables SizeSolver::getVariables(ArrayRef<unsigned> choice) {
  Variables variables;
  variables.sizes.resize(sizes.size());
  for (auto [i, number] : llvm::enumerate(choice)) {
    variables.dims.push_back(number == 0 ? graph::Dim::symbol(symbols[i])
                                         : quotients[i][number - 1]);
    variables.steps.push_back(number == 0 ? ranges[i].step : 1);
    for (auto [own, sample] : llvm::zip(variables.sizes, sizes))
      own.push_back(evaluate(variables.dims.back(), sample).value_or(0));
  }
  return variables;
}

void SizeSolver::noteQuotients(const graph::Dim &dim) {
  for (auto [name, factor] : dim.getTerms())
    for (StringAttr part : getFactors(name)) {
      std::optional<SizeQuotient> quotient = getQuotient(part);
      SmallVector<StringAttr, 2> bases = getBases(part);
      if (!quotient || quotient->isExact || bases.size() != 1)
        continue;
      auto &known = quotients[llvm::find(symbols, bases.front()) - symbols.begin()];
      if (!llvm::is_contained(known, graph::Dim::symbol(part)))
        known.push_back(graph::Dim::symbol(part));
    }
}

std::optional<graph::Dim> SizeSolver::solveQuotient(ArrayRef<int64_t> values) {
  constexpr int64_t mostDivisor = 64;
  std::optional<graph::Dim> found;
  for (StringAttr symbol : symbols)
    for (int64_t divisor = 2; divisor <= mostDivisor; ++divisor)
      for (int64_t more : {int64_t(0), divisor - 1}) {
        graph::Dim dim = divideDown(graph::Dim::symbol(symbol) + more, divisor);
        dim = dim + graph::Dim(values[0] - evaluate(dim, sizes[0]).value_or(0));
        if (!hasValues(dim, values))
          continue;
        if (found)
          return std::nullopt;
        found = dim;
      }
  if (!found)
    found = solveRoundedQuotient(values);
  if (found)
    noteQuotients(*found);
  return found;
}

/// What is left of a division may be rounded at any place, as it is behind several pools. Samples
/// have all remainders by few; by more of them what is known already is divided again.
std::optional<graph::Dim> SizeSolver::solveRoundedQuotient(ArrayRef<int64_t> values) {
  std::optional<graph::Dim> found;
  bool isOne = true;
  auto tryAll = [&](const graph::Dim &whole) {
    for (int64_t divisor = 2; divisor <= kNeighbours; ++divisor)
      for (int64_t more = 0; more < divisor; ++more) {
        graph::Dim dim = divideDown(whole + more, divisor);
        dim = dim + graph::Dim(values[0] - evaluate(dim, sizes[0]).value_or(0));
        if (!hasValues(dim, values))
          continue;
        isOne &= !found || *found == dim;
        found = dim;
      }
  };
  for (auto [symbol, range, known] : llvm::zip(symbols, ranges, quotients)) {
    if (range.step != 1 || getMostSampled(range) - least(range) < kNeighbours - 1)
      continue;
    tryAll(graph::Dim::symbol(symbol));
    for (const graph::Dim &quotient : known)
      tryAll(quotient);
  }
  return isOne ? found : std::nullopt;
}

bool SizeSolver::hasValues(const graph::Dim &dim, ArrayRef<int64_t> values) {
  return llvm::all_of(llvm::zip(values, sizes), [&](auto each) {
    return evaluate(dim, std::get<1>(each)) == std::get<0>(each);
  });
}

std::optional<graph::Dim> SizeSolver::solveProducts(ArrayRef<int64_t> values,
                                                    const Variables &variables) {
  if (paired < 2)
    return std::nullopt;
  const auto &own = variables.sizes;
  // What two symbols change together beyond what each of them does.
  graph::Dim products(0);
  size_t pair = 1 + symbols.size();
  for (size_t i = 0; i < paired; ++i)
    for (size_t j = i + 1; j < paired; ++j, ++pair) {
      int64_t moved = (own[pair][i] - own[0][i]) * (own[pair][j] - own[0][j]);
      int64_t change = values[pair] - values[1 + i] - values[1 + j] + values[0];
      if (moved == 0 && change != 0)
        return std::nullopt;
      if (std::optional<int64_t> divisor =
              findDivisor(moved, change, variables.steps[i] * variables.steps[j]);
          divisor && moved != 0)
        products = products + *divideExactly(multiply(variables.dims[i], variables.dims[j]) *
                                                 (change * *divisor / moved),
                                             *divisor);
      else if (moved != 0)
        return std::nullopt;
    }
  SmallVector<int64_t> rest(values);
  for (auto [value, sample] : llvm::zip(rest, sizes)) {
    std::optional<int64_t> product = evaluate(products, sample);
    if (!product)
      return std::nullopt;
    value -= *product;
  }
  std::optional<graph::Dim> linear = solveLinear(rest, variables);
  return linear ? std::optional(*linear + products) : std::nullopt;
}

std::optional<int64_t> SizeSolver::findDivisor(int64_t moved, int64_t change, int64_t step) {
  int64_t divisor = moved == 0 ? 1 : std::abs(moved) / std::gcd(moved, change);
  return step % divisor == 0 ? std::optional(divisor) : std::nullopt;
}

std::optional<int64_t> SizeSolver::evaluate(const graph::Dim &dim, ArrayRef<int64_t> sample) {
  return dim.evaluate([&](StringAttr name) -> std::optional<int64_t> {
    auto *it = llvm::find(symbols, name);
    size_t index = size_t(it - symbols.begin());
    return index == symbols.size() || sample[index] < 0 ? std::nullopt
                                                        : std::optional(sample[index]);
  });
}

std::optional<graph::Dim> SizeSolver::solveLinear(ArrayRef<int64_t> values,
                                                  const Variables &variables) {
  const auto &own = variables.sizes;
  graph::Dim dim(values[0]);
  for (size_t i = 0; i < symbols.size(); ++i) {
    int64_t moved = own[0][i] - own[1 + i][i], change = values[0] - values[1 + i];
    std::optional<int64_t> divisor = findDivisor(moved, change, variables.steps[i]);
    if (!divisor || (moved == 0 && change != 0))
      return std::nullopt;
    if (moved == 0)
      continue;
    // Over what the symbol is a multiple of.
    int64_t factor = change * *divisor / moved;
    dim = dim + *divideExactly(variables.dims[i] * factor, *divisor) -
          graph::Dim(own[0][i] / *divisor * factor);
  }
  return hasValues(dim, values) ? std::optional(dim) : std::nullopt;
}
