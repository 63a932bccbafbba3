// wgmma: products of four warps whose operands are in local memory.
//
// They are computed when their group is awaited, of what local memory holds then. Each warp has 16
// of the 64 rows. Operands are described by a number of 64 bits (PTX manual, "Matrix descriptor");
// where an element lies is written as the manual's canonical layouts say, apart from the compiler's
// tables.
#include "Checks.h"
#include "MatrixElements.h"
#include "TensorMap.h"

#include <bit>

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

namespace {

constexpr uint32_t mostColumns = 256, depthBytes = 32;

struct Descriptor {
  uint64_t start, leading, stride;
  uint32_t swizzle;

  explicit Descriptor(uint64_t bits)
      : start((bits & 0x3fff) << 4), leading((bits >> 16 & 0x3fff) << 4),
        stride((bits >> 32 & 0x3fff) << 4) {
    constexpr uint32_t rows[] = {0, 128, 64, 32};
    swizzle = rows[bits >> 62];
  }

  /// The 16 bytes that are the `chunk`th of a row along the depth.
  uint64_t alongDepth(uint32_t row, uint32_t chunk) const {
    if (!swizzle)
      return start + row / 8 * stride + row % 8 * 16 + chunk * leading;
    return swizzleAddress(start + row / 8 * stride + row % 8 * swizzle + chunk * 16, swizzle);
  }
  /// The 16 bytes that are the `chunk`th along the rows, of a point of the depth: transposed.
  uint64_t alongRows(uint32_t chunk, uint32_t depth) const {
    if (!swizzle)
      return start + chunk * stride + depth % 8 * 16 + depth / 8 * leading;
    uint32_t chunks = swizzle / 16;
    return swizzleAddress(start + chunk / chunks * leading + depth / 8 * stride +
                              depth % 8 * swizzle + chunk % chunks * 16,
                          swizzle);
  }
};

/// 16 bytes of local memory as an asynchronous product reads them; NULL after a fault.
const uint8_t *readChunk(Warp &warp, const Op &op, uint64_t address) {
  Block &block = *warp.block;
  uint64_t offset = address - localBase;
  if (address < localBase || offset + 16 > block.local.size()) {
    fault(warp, op, "reads 16 bytes at offset %lld of local memory, which has %zu",
          (long long)offset, block.local.size());
    return nullptr;
  }
  for (uint32_t i = uint32_t(offset >> block.cellShift);
       i < uint32_t((offset + 16) >> block.cellShift); ++i) {
    const Cell &cell = block.cells[i];
    const char *wrong = nullptr;
    if (cell.clock < block.began)
      wrong = "reads local memory at offset %u, which nobody has written";
    else if (cell.pending)
      wrong = "reads local memory at offset %u, where an asynchronous copy was not waited for";
    else if (cell.clock > warp.clocks[cell.writer])
      wrong = "race: reads local memory at offset %u, whose writer no barrier came behind";
    else if (cell.writer < maxWarps && cell.clock > block.warps[cell.writer].fenced)
      wrong = "reads local memory at offset %u, which a warp wrote without a fence.proxy.async";
    if (wrong) {
      char text[120];
      snprintf(text, sizeof(text), wrong, uint32_t(i << block.cellShift));
      fault(warp, op, "%s", text);
      return nullptr;
    }
    warp.reads[i] = warp.clocks[warp.id];
  }
  return &block.local[offset];
}

/// `count` rows from `first` on, or columns, of an operand in local memory: values[depth][row].
template <typename T, uint32_t K, uint32_t most, typename V>
bool readOperand(Warp &warp, const Op &op, uint64_t bits, bool transposed, bool negated,
                 uint32_t first, uint32_t count, V (&values)[K][most]) {
  using Raw = typename T::Raw;
  constexpr uint32_t together = 16 / sizeof(Raw);
  Descriptor descriptor(bits);
  auto set = [&](uint32_t k, uint32_t row, Raw raw) {
    V value = T::value(raw);
    values[k][row] = negated ? -value : value;
  };
  Raw raws[together];
  for (uint32_t i = 0; i < (transposed ? count / together : count); ++i)
    for (uint32_t j = 0; j < (transposed ? K : 2); ++j) {
      const uint8_t *chunk = readChunk(warp, op,
                                       transposed ? descriptor.alongRows(first / together + i, j)
                                                  : descriptor.alongDepth(first + i, j));
      if (!chunk)
        return false;
      memcpy(raws, chunk, 16);
      for (uint32_t e = 0; e < together; ++e)
        transposed ? set(j, i * together + e, raws[e]) : set(j * together + e, i, raws[e]);
    }
  return true;
}

/// The left operand in registers: that of mma.sync of as many bytes of depth.
template <typename T, uint32_t K, typename V>
void readRegisters(Warp &warp, const uint32_t *rows, bool negated, V (&values)[K][16]) {
  using Raw = typename T::Raw;
  constexpr uint32_t e = 4 / sizeof(Raw);
  for (uint32_t r = 0; r < 4; ++r) {
    const uint32_t *row = warp.row<const uint32_t>(rows[r]);
    TW_LANES {
      Raw raws[e];
      memcpy(raws, &row[lane], 4);
      for (uint32_t h = 0; h < e; ++h) {
        V value = T::value(raws[h]);
        values[lane % 4 * e + h + 4 * e * (r >> 1)][lane / 4 + 8 * (r & 1)] =
            negated ? -value : value;
      }
    }
  }
}

template <typename T> using ValueOf = decltype(T::value(0));
template <typename T> constexpr uint32_t depthOf = depthBytes / sizeof(typename T::Raw);

/// What a warp needs of both operands.
template <typename A, typename B, typename V>
bool readOperands(Warp &warp, const Product &product, V (&a)[depthOf<A>][16],
                  V (&b)[depthOf<A>][mostColumns]) {
  constexpr uint32_t K = depthOf<A>;
  const Op &op = *product.op;
  if (op.sources > 3)
    readRegisters<A, K>(warp, op.rows + op.results, op.offset & 1, a);
  else if (!readOperand<A, K, 16>(warp, op, product.left, op.offset & 4, op.offset & 1,
                                  warp.id % 4 * 16, 16, a))
    return false;
  return readOperand<B, K, mostColumns>(warp, op, product.right, op.offset & 8, op.offset & 2, 0,
                                        op.count * 8u, b);
}

/// The rows of a warp. Float products are exact in double precision, summed there and rounded once.
template <typename A, typename B, typename Sum, typename Wide>
bool compute(Warp &warp, const Product &product) {
  constexpr uint32_t K = depthOf<A>;
  const Op &op = *product.op;
  uint32_t columns = op.count * 8u;
  ValueOf<A> a[K][16], b[K][mostColumns];
  if (!readOperands<A, B>(warp, product, a, b))
    return false;
  // Register 4 j + 2 h + e of a lane: (lane / 4 + 8 h, 8 j + 2 (lane % 4) + e).
  static thread_local Wide sums[16][mostColumns];
  auto each = [&](auto &&body) {
    for (uint32_t r = 0; r < columns / 2; ++r) {
      Sum *row = warp.row<Sum>(op.rows[r]);
      TW_LANES body(row[lane],
                    sums[lane / 4 + 8 * (r >> 1 & 1)][8 * (r >> 2) + 2 * (lane % 4) + (r & 1)]);
    }
  };
  each([&](Sum &own, Wide &sum) { sum = product.adds ? Wide(own) : Wide(0); });
  for (uint32_t i = 0; i < 16; ++i)
    for (uint32_t k = 0; k < K; ++k)
      for (uint32_t j = 0; j < columns; ++j)
        sums[i][j] += Wide(a[k][i]) * Wide(b[k][j]);
  each([&](Sum &own, Wide &sum) { own = Sum(sum); });
  return true;
}

/// rows: sums, then a descriptor or four registers, a descriptor, whether to add.
template <typename A, typename B, typename Sum, typename Wide>
void multiplyWarps(Warp &warp, const Op &op) {
  if (warp.mask != allLanes)
    return fault(warp, op, "an instruction of whole warps in divergent code");
  if (!warp.isFenced)
    return fault(warp, op,
                 "registers of a product were touched, or are new, and no wgmma.fence "
                 "came behind");
  const uint32_t *sources = op.rows + op.results;
  bool inRegisters = op.sources > 3;
  auto uniform = [&](uint32_t row, uint64_t &value) {
    const uint64_t *lanes = warp.row<const uint64_t>(row);
    value = lanes[0];
    TW_LANES if (lanes[lane] != value) return false;
    return true;
  };
  Product product{&op, 0, 0, false};
  uint32_t adds = *warp.row<uint32_t>(sources[op.sources - 1]);
  product.adds = adds != 0;
  if ((!inRegisters && !uniform(sources[0], product.left)) ||
      !uniform(sources[op.sources - 2], product.right) || (adds && adds != allLanes))
    return fault(warp, op, "lanes describe different operands");
  // Sums that are under way may be gone on with, by the same shape alone.
  uint32_t flying = 0;
  for (uint32_t i = 0; i < op.results; ++i)
    flying += warp.flying[op.rows[i] / 64];
  if (flying != 0 && flying != op.results)
    return fault(warp, op, "some of the sums belong to a product of another shape under way");
  for (uint32_t i = 0; i < op.results + (inRegisters ? 4u : 0u); ++i)
    warp.flying[op.rows[i] / 64] = 1;
  // Operands may be read from now on, whenever they are.
  ValueOf<A> a[depthOf<A>][16], b[depthOf<A>][mostColumns];
  if (readOperands<A, B>(warp, product, a, b))
    warp.openProducts.push_back(product);
}

void fence(Warp &warp, const Op &) { warp.isFenced = true; }

void commitProducts(Warp &warp, const Op &) {
  warp.productGroups.push_back(std::move(warp.openProducts));
  warp.openProducts.clear();
}

using Compute = bool (*)(Warp &, const Product &);

/// Which function computes what an operation multiplies.
template <typename A, typename B, typename Sum, typename Wide>
constexpr std::pair<Handler, Compute> kindOf = {multiplyWarps<A, B, Sum, Wide>,
                                                compute<A, B, Sum, Wide>};

constexpr struct {
  std::string_view types;
  std::pair<Handler, Compute> kind;
} kinds[] = {
    {"wgmma.f32.f16.f16", kindOf<Half16, Half16, float, double>},
    {"wgmma.f32.bf16.bf16", kindOf<Brain16, Brain16, float, double>},
    {"wgmma.f32.tf32.tf32", kindOf<Tf32, Tf32, float, double>},
    {"wgmma.f32.e4m3.e4m3", kindOf<Float8E4M3, Float8E4M3, float, double>},
    {"wgmma.f32.e5m2.e5m2", kindOf<Float8E5M2, Float8E5M2, float, double>},
    {"wgmma.s32.s8.s8", kindOf<Signed8, Signed8, uint32_t, uint32_t>},
    {"wgmma.s32.u8.u8", kindOf<Unsigned8, Unsigned8, uint32_t, uint32_t>},
    {"wgmma.s32.s8.u8", kindOf<Signed8, Unsigned8, uint32_t, uint32_t>},
    {"wgmma.s32.u8.s8", kindOf<Unsigned8, Signed8, uint32_t, uint32_t>},
};

/// All groups but the op.offset youngest are done.
void waitProducts(Warp &warp, const Op &op) {
  if (!warp.openProducts.empty() && op.offset == 0)
    return fault(warp, op, "waits for products that are in no group yet");
  while (warp.productGroups.size() > size_t(op.offset)) {
    for (const Product &product : warp.productGroups.front())
      for (const auto &[types, kind] : kinds)
        if (product.op->run == kind.first || product.op->guarded == kind.first)
          if (!kind.second(warp, product))
            return;
    warp.productGroups.pop_front();
  }
  std::fill(warp.flying.begin(), warp.flying.end(), uint8_t(0));
  for (const std::vector<Product> &group : warp.productGroups)
    for (const Product &product : group)
      for (uint32_t i = 0; i < product.op->results + (product.op->sources > 3 ? 4u : 0u); ++i)
        warp.flying[product.op->rows[i] / 64] = 1;
}

} // namespace

void addAsynchronousProducts(InstructionSet &set) {
  for (const auto &[types, kind] : kinds)
    set.special[types] = kind.first;
  set.special["wgmma.fence.sync.aligned"] = fence;
  set.special["wgmma.commit_group.sync.aligned"] = commitProducts;
  set.special["wgmma.wait_group.sync.aligned"] = waitProducts;
}

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
