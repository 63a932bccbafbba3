// Tile layouts: evaluation, slices and distribution.
#include "tw/Layout/TileLayout.h"

#include <algorithm>
#include <bit>

using namespace tw::layout;

const char *tw::layout::getName(Resource resource) {
  constexpr const char *names[] = {"reg", "lane", "warp"};
  return names[size_t(resource)];
}

static bool isZero(const Basis &basis) {
  return std::ranges::all_of(basis, [](int64_t offset) { return offset == 0; });
}

static const std::vector<Basis> &basesOf(const TileLayout &layout, Resource resource) {
  return layout.bases[size_t(resource)];
}

namespace {

/// Gaussian elimination over bits of linear element numbers in the atom.
struct BitSpan {
  std::vector<uint64_t> rows;

  void add(uint64_t value) {
    for (uint64_t row : rows)
      value = std::min(value, value ^ row);
    if (value)
      rows.push_back(value);
  }
};

} // namespace

std::string TileLayout::verify() const {
  size_t rank = shape.size();
  if (atom.size() != rank)
    return "expected an atom of rank " + std::to_string(rank) + ", found " +
           std::to_string(atom.size());
  std::vector<int64_t> reached = atom;
  for (const Repetition &repetition : repetitions) {
    if (repetition.count < 1)
      return "expected counts of at least 1, found " + std::to_string(repetition.count);
    if (repetition.dim && *repetition.dim >= rank)
      return "expected a dimension below " + std::to_string(rank) + ", found " +
             std::to_string(*repetition.dim);
    if (repetition.dim)
      reached[*repetition.dim] *= repetition.count;
  }
  int64_t elements = 1;
  for (size_t d = 0; d < rank; ++d) {
    if (atom[d] < 1 || !std::has_single_bit(uint64_t(atom[d])))
      return "expected extents of the atom that are powers of two, found " +
             std::to_string(atom[d]);
    if (reached[d] != shape[d])
      return "expected repetitions of the atom that make extent " + std::to_string(shape[d]) +
             " of dimension " + std::to_string(d) + ", found " + std::to_string(reached[d]);
    elements *= atom[d];
  }
  BitSpan span;
  for (Resource resource : allResources)
    for (const Basis &basis : basesOf(*this, resource)) {
      if (basis.size() != rank)
        return "expected bases of " + std::to_string(rank) + " offsets, found " +
               std::to_string(basis.size());
      uint64_t linear = 0;
      for (size_t d = 0; d < rank; ++d) {
        if (basis[d] < 0 || basis[d] >= atom[d])
          return "expected offsets inside the atom, below " + std::to_string(atom[d]) + ", found " +
                 std::to_string(basis[d]);
        linear = linear * uint64_t(atom[d]) + uint64_t(basis[d]);
      }
      span.add(linear);
    }
  if (int64_t(1) << span.rows.size() != elements)
    return "expected bases that reach all " + std::to_string(elements) +
           " elements of the atom, found " + std::to_string(int64_t(1) << span.rows.size());
  return {};
}

int64_t TileLayout::count(Resource resource) const {
  int64_t product = int64_t(1) << basesOf(*this, resource).size();
  for (const Repetition &repetition : repetitions)
    if (repetition.resource == resource)
      product *= repetition.count;
  return product;
}

std::vector<int64_t> TileLayout::coordinates(const Holder &holder) const {
  std::vector<int64_t> result(shape.size(), 0);
  std::array<int64_t, 3> rest = {holder.reg, holder.lane, holder.warp};
  for (Resource resource : allResources) {
    int64_t &number = rest[size_t(resource)];
    for (const Basis &basis : basesOf(*this, resource)) {
      if (number & 1)
        for (size_t d = 0; d < result.size(); ++d)
          result[d] ^= basis[d];
      number >>= 1;
    }
  }
  std::vector<int64_t> stride = atom;
  for (size_t i = repetitions.size(); i-- > 0;) {
    const Repetition &repetition = repetitions[i];
    int64_t &number = rest[size_t(repetition.resource)];
    if (repetition.dim) {
      result[*repetition.dim] += number % repetition.count * stride[*repetition.dim];
      stride[*repetition.dim] *= repetition.count;
    }
    number /= repetition.count;
  }
  return result;
}

std::optional<int64_t> TileLayout::findRegister(std::span<const int64_t> element, int64_t lane,
                                                int64_t warp) const {
  for (int64_t reg = 0, registers = count(Resource::Reg); reg < registers; ++reg)
    if (std::ranges::equal(coordinates({reg, lane, warp}), element))
      return reg;
  return std::nullopt;
}

TileLayout TileLayout::slice(std::span<const unsigned> dims) const {
  TileLayout result;
  result.shape = shape;
  result.atom = atom;
  for (unsigned d : dims)
    result.shape[d] = result.atom[d] = 1;
  auto isCut = [&](unsigned d) { return std::ranges::find(dims, d) != dims.end(); };
  for (Resource resource : allResources)
    for (Basis basis : basesOf(*this, resource)) {
      bool wasZero = isZero(basis);
      for (unsigned d : dims)
        basis[d] = 0;
      if (resource != Resource::Reg || wasZero || !isZero(basis))
        result.bases[size_t(resource)].push_back(basis);
    }
  for (Repetition repetition : repetitions) {
    if (repetition.dim && isCut(*repetition.dim)) {
      if (repetition.resource == Resource::Reg)
        continue;
      repetition.dim.reset();
    }
    result.repetitions.push_back(repetition);
  }
  return result;
}

bool TileLayout::isFirstReplica(int64_t lane, int64_t warp) const {
  std::array<int64_t, 3> rest = {0, lane, warp};
  for (Resource resource : {Resource::Lane, Resource::Warp}) {
    int64_t &number = rest[size_t(resource)];
    for (const Basis &basis : basesOf(*this, resource)) {
      if ((number & 1) && isZero(basis))
        return false;
      number >>= 1;
    }
  }
  for (size_t i = repetitions.size(); i-- > 0;) {
    const Repetition &repetition = repetitions[i];
    int64_t &number = rest[size_t(repetition.resource)];
    if (!repetition.dim && number % repetition.count != 0)
      return false;
    number /= repetition.count;
  }
  return true;
}

bool TileLayout::isReplicated() const {
  for (Resource resource : {Resource::Lane, Resource::Warp})
    if (std::ranges::any_of(basesOf(*this, resource), isZero))
      return true;
  return std::ranges::any_of(repetitions, [](const Repetition &repetition) {
    return !repetition.dim && repetition.count > 1 && repetition.resource != Resource::Reg;
  });
}

int64_t TileLayout::contiguousRegisters(unsigned dim) const {
  int64_t width = 1;
  for (const Basis &basis : basesOf(*this, Resource::Reg)) {
    Basis wanted(shape.size(), 0);
    wanted[dim] = width;
    if (basis != wanted)
      return width;
    width *= 2;
  }
  return width;
}

TileLayout TileLayout::distribute(std::span<const int64_t> shape, std::span<const int64_t> block,
                                  std::span<const unsigned> order, int64_t lanes, int64_t warps) {
  TileLayout layout;
  size_t rank = shape.size();
  layout.shape.assign(shape.begin(), shape.end());
  layout.atom.assign(rank, 1);
  auto grow = [&](Resource resource, unsigned dim) {
    Basis basis(rank, 0);
    basis[dim] = layout.atom[dim];
    layout.atom[dim] *= 2;
    layout.bases[size_t(resource)].push_back(basis);
  };
  auto canGrow = [&](unsigned dim) { return shape[dim] % (layout.atom[dim] * 2) == 0; };
  for (unsigned dim : order)
    while (layout.atom[dim] < block[dim] && canGrow(dim))
      grow(Resource::Reg, dim);
  int64_t left[] = {1, lanes, warps};
  for (Resource resource : {Resource::Lane, Resource::Warp}) {
    int64_t &threads = left[size_t(resource)];
    for (unsigned dim : order)
      for (; threads > 1 && canGrow(dim); threads /= 2)
        grow(resource, dim);
    for (; threads > 1; threads /= 2)
      layout.bases[size_t(resource)].push_back(Basis(rank, 0));
  }
  for (size_t i = order.size(); i-- > 0;)
    if (int64_t count = shape[order[i]] / layout.atom[order[i]]; count > 1)
      layout.repetitions.push_back({Resource::Reg, order[i], count});
  return layout;
}
