// Sizes that are sums of multiples beside one part that is none: one that another size is known to
// have, as the least of two, a multiple of a quotient, a square.
#include "SizeSolver.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/SizeProducts.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::onnx;

bool SizeSolver::learn(const std::vector<int64_t> &values, const graph::Dim &dim) {
  if (!hasValues(dim, values))
    return false;
  SizeBounds bounds = tw::getBounds(dim, [&](StringAttr name) -> SizeBounds {
    size_t index = size_t(llvm::find(symbols, name) - symbols.begin());
    return index < ranges.size() ? SizeBounds(std::pair(ranges[index].min, ranges[index].max))
                                 : std::nullopt;
  });
  auto &own = bounds && bounds->first >= 0 ? learned.sizes : learned.numbers;
  if (own.try_emplace(values, dim).second)
    for (auto [name, factor] : dim.getTerms()) {
      graph::Dim part = graph::Dim::symbol(name);
      if (!llvm::is_contained(symbols, name) && !llvm::is_contained(learned.parts, part))
        learned.parts.push_back(part);
    }
  return own.find(values)->second == dim;
}

std::optional<KnownSizes> onnx::learnSizes(MLIRContext *context, ArrayRef<Dim> dims,
                                           ArrayRef<std::vector<int64_t>> sizes,
                                           ArrayRef<std::string> names,
                                           ArrayRef<SizeRange> ranges) {
  SizeSolver solver(context, sizes, names, ranges, SIZE_MAX);
  for (const Dim &dim : dims) {
    std::vector<int64_t> values;
    for (const std::vector<int64_t> &sample : sizes)
      values.push_back(solver.evaluate(dim, sample).value_or(-1));
    if (!solver.learn(values, dim))
      return std::nullopt;
  }
  return solver.getKnown();
}

std::optional<Dim> onnx::findFactor(ArrayRef<Dim> all, ArrayRef<Dim> others) {
  SmallVector<Dim> left(all);
  Dim product(1);
  int64_t divisor = 1;
  for (const Dim &other : others)
    if (auto *same = llvm::find(left, other); same != left.end())
      left.erase(same);
    else if (!other.isStatic() || other.getConstant() == 0 ||
             llvm::MulOverflow(divisor, other.getConstant(), divisor))
      return std::nullopt;
  for (const Dim &each : left)
    product = multiply(product, each);
  // Of fractions nobody knows that they are none.
  if (llvm::any_of(product.getTerms(),
                   [&](const Dim::Term &term) { return term.second % divisor != 0; }))
    return std::nullopt;
  return divideExactly(product, divisor);
}

SmallVector<int64_t> SizeSolver::getSizes(ArrayRef<RankedTensorType> types, int64_t dim) {
  return llvm::map_to_vector(types, [&](RankedTensorType type) { return type.getDimSize(dim); });
}

std::optional<Dim> SizeSolver::findReshaped(Operation *op, ArrayRef<RankedTensorType> types,
                                            int64_t dim) {
  SmallVector<int64_t> own = getSizes(types, dim);
  if (!isa<graph::ReshapeOp>(op) || llvm::all_equal(own) || findKnown(own))
    return std::nullopt;
  graph::Shape others;
  for (int64_t d = 0; d < types.front().getRank(); ++d)
    if (SmallVector<int64_t> values = getSizes(types, d); d == dim)
      continue;
    else if (llvm::all_equal(values))
      others.push_back(graph::Dim(values.front()));
    else if (std::optional<Dim> other = findKnown(values))
      others.push_back(*other);
    else
      return std::nullopt;
  std::optional<Dim> found = findFactor(*graph::getShape(op->getOperand(0).getType()), others);
  return found && hasValues(*found, own) ? found : std::nullopt;
}

void SizeSolver::noteSize(ArrayRef<int64_t> values, const Dim &dim) {
  noteQuotients(dim);
  if (llvm::all_equal(values))
    return;
  auto [it, isNew] = noted.try_emplace(values.vec(), dim);
  if (!isNew && it->second != dim)
    it->second = std::nullopt;
}

std::optional<graph::Dim> SizeSolver::solveNumber(ArrayRef<int64_t> values) {
  auto size = learned.sizes.find(values.vec()), number = learned.numbers.find(values.vec());
  if (size != learned.sizes.end() && number != learned.numbers.end() &&
      size->second != number->second)
    return std::nullopt;
  return solve(values);
}

std::optional<graph::Dim> SizeSolver::solveRest(ArrayRef<int64_t> values, ArrayRef<int64_t> parts,
                                                int64_t times, const Variables &variables) {
  SmallVector<int64_t> rest;
  for (auto [value, part] : llvm::zip(values, parts))
    rest.push_back(value - times * part);
  return solveLinear(rest, variables);
}

std::optional<graph::Dim> SizeSolver::solveBesideParts(ArrayRef<int64_t> values) {
  Variables variables = getVariables(SmallVector<unsigned>(symbols.size(), 0));
  for (const graph::Dim &part : learned.parts) {
    SmallVector<int64_t> parts;
    for (const std::vector<int64_t> &sample : sizes)
      parts.push_back(evaluate(part, sample).value_or(0));
    SmallVector<int64_t> often = {1, -1, 2, -2, 3, -3};
    // As its change says, where nothing else does.
    auto *moved = llvm::find_if(parts, [&](int64_t each) { return each != parts[0]; });
    if (moved != parts.end()) {
      int64_t change = values[size_t(moved - parts.begin())] - values[0];
      if (change % (*moved - parts[0]) == 0)
        often.push_back(change / (*moved - parts[0]));
    }
    for (int64_t times : often)
      if (std::optional<graph::Dim> rest = solveRest(values, parts, times, variables))
        return *rest + part * times;
  }
  return std::nullopt;
}

/// Of several that have the values nobody knows which it is.
static bool add(std::optional<graph::Dim> &found, const graph::Dim &dim) {
  bool isOne = !found || *found == dim;
  found = dim;
  return isOne;
}

std::optional<graph::Dim> SizeSolver::solveBesideMultiple(ArrayRef<int64_t> values) {
  Variables variables = getVariables(SmallVector<unsigned>(symbols.size(), 0));
  constexpr int64_t kMostDivisor = 64;
  std::optional<graph::Dim> found;
  for (size_t i = 0; i < symbols.size(); ++i)
    for (int64_t divisor = 2; divisor <= kMostDivisor; ++divisor)
      for (int64_t more : {int64_t(0), divisor - 1}) {
        SmallVector<int64_t> parts;
        for (const std::vector<int64_t> &sample : sizes)
          parts.push_back(llvm::divideFloorSigned(sample[i] + more, divisor));
        for (int64_t times : {divisor, -divisor})
          if (std::optional<graph::Dim> rest = solveRest(values, parts, times, variables))
            if (graph::Dim part = divideDown(graph::Dim::symbol(symbols[i]) + more, divisor);
                !add(found, *rest + part * times))
              return std::nullopt;
      }
  if (found)
    noteQuotients(*found);
  return found;
}

/// Of a single symbol.
std::optional<graph::Dim> SizeSolver::solveSquare(ArrayRef<int64_t> values) {
  if (symbols.size() != 1 || sizes.size() < 3)
    return std::nullopt;
  size_t third = 2;
  while (third < sizes.size() && (sizes[third][0] == sizes[0][0] || sizes[third][0] == sizes[1][0]))
    ++third;
  if (third == sizes.size() || sizes[0][0] == sizes[1][0])
    return std::nullopt;
  int64_t a = sizes[0][0], b = sizes[1][0], c = sizes[third][0];
  // The second difference, of which the slopes are whole multiples of.
  int64_t high = (values[0] - values[third]) * (b - c), low = (values[1] - values[third]) * (a - c);
  int64_t over = (a - c) * (b - c) * (a - b);
  if ((high - low) % over != 0 || high == low)
    return std::nullopt;
  int64_t times = (high - low) / over;
  SmallVector<int64_t> parts;
  for (const std::vector<int64_t> &sample : sizes)
    parts.push_back(sample[0] * sample[0]);
  graph::Dim one = graph::Dim::symbol(symbols[0]);
  std::optional<graph::Dim> rest =
      solveRest(values, parts, times, getVariables(SmallVector<unsigned>(1, 0)));
  return rest ? std::optional(*rest + multiply(one, one) * times) : std::nullopt;
}
