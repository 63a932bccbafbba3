// Tile layouts of partial reductions: registers combined, bits of threads moved to registers.
#include "tw/Layout/TileLayout.h"

#include <algorithm>
#include <bit>
#include <map>

using namespace tw::layout;

static bool hasDim(std::span<const unsigned> dims, unsigned dim) {
  return std::ranges::find(dims, dim) != dims.end();
}

bool TileLayout::isPlain() const {
  Basis taken(shape.size(), 0);
  for (Resource resource : allResources)
    for (const Basis &basis : bases[size_t(resource)]) {
      unsigned dims = 0;
      for (size_t d = 0; d < basis.size(); ++d) {
        if (basis[d] == 0)
          continue;
        if (!std::has_single_bit(uint64_t(basis[d])) || (taken[d] & basis[d]) || ++dims > 1)
          return false;
        taken[d] |= basis[d];
      }
    }
  return true;
}

TileLayout TileLayout::fold(std::span<const unsigned> dims, bool acrossLanes) const {
  TileLayout result = *this;
  // The bits that stay, by dimension and old offset, get the lowest new offsets in order.
  std::map<std::pair<unsigned, int64_t>, int64_t> renumbered;
  for (Resource resource : {Resource::Lane, Resource::Warp})
    for (const Basis &basis : bases[size_t(resource)])
      for (unsigned d : dims)
        if (basis[d] != 0 && !(acrossLanes && resource == Resource::Lane))
          renumbered[{d, basis[d]}] = 0;
  for (unsigned d : dims)
    result.shape[d] = result.atom[d] = 1;
  for (auto &[key, offset] : renumbered) {
    offset = result.atom[key.first];
    result.atom[key.first] *= 2;
    result.shape[key.first] *= 2;
  }
  for (Resource resource : allResources) {
    std::vector<Basis> &list = result.bases[size_t(resource)];
    for (Basis &basis : list)
      for (unsigned d : dims)
        if (basis[d] != 0) {
          auto kept = resource == Resource::Reg ? renumbered.end() : renumbered.find({d, basis[d]});
          basis[d] = kept == renumbered.end() ? 0 : kept->second;
        }
    if (resource == Resource::Reg)
      std::erase_if(list, [](const Basis &basis) {
        return std::ranges::all_of(basis, [](int64_t offset) { return offset == 0; });
      });
  }
  std::erase_if(result.repetitions, [&](const Repetition &repetition) {
    return repetition.resource == Resource::Reg &&
           (!repetition.dim || hasDim(dims, *repetition.dim));
  });
  for (Repetition &repetition : result.repetitions) {
    if (!repetition.dim || !hasDim(dims, *repetition.dim))
      continue;
    if (acrossLanes && repetition.resource == Resource::Lane)
      repetition.dim.reset();
    else
      result.shape[*repetition.dim] *= repetition.count;
  }
  return result;
}

TileLayout TileLayout::gather(std::span<const unsigned> dims, unsigned bits) const {
  struct Bit {
    int64_t offset;
    unsigned dim;
    Resource resource;
    size_t position;
  };
  std::vector<Bit> found;
  for (Resource resource : {Resource::Lane, Resource::Warp})
    for (size_t i = 0; i < bases[size_t(resource)].size(); ++i)
      for (unsigned d : dims)
        if (int64_t offset = bases[size_t(resource)][i][d])
          found.push_back({offset, d, resource, i});
  // The last of the dimensions first, there the lowest offsets: neighbours in memory.
  std::ranges::sort(found, [](const Bit &a, const Bit &b) {
    return a.dim != b.dim ? a.dim > b.dim : a.offset < b.offset;
  });
  TileLayout result = *this;
  std::vector<Basis> &registers = result.bases[size_t(Resource::Reg)];
  for (size_t i = 0; i < std::min<size_t>(bits, found.size()); ++i) {
    Basis &basis = result.bases[size_t(found[i].resource)][found[i].position];
    registers.insert(registers.begin() + i, basis);
    std::ranges::fill(basis, 0);
  }
  return result;
}
