// The strategy for convolutions: the product's register tile, the input read through a window.
//
// The channels of the result run along lanes, whose weights are packed into panels; pixels are the
// rows, each a scalar of the input. A program takes a few rows of pixels: the part of the input
// that they see is copied, borders included, so that no point inside needs a guard and overlapping
// windows are read from the cache; what is computed of it point by point, a relu, is computed there
// once, in a box. There is no buffer of all windows. Narrow floats are extended
// while they are copied; where the CPU has dot instructions, the channels of the input are copied
// in their groups instead, so that a pixel's group is one scalar. Where a tile holds pixels of
// one line, taps in lines beyond the border are left out; where it holds all pixels of a line, so
// are the pixels that a tap, unrolled, finds beyond the border; of taps far apart, those that no
// pixel of a tile sees. Where the second level has no room for the weights of a tile, all pixels of
// a program sum a part of the input's channels first, and sums wait in memory of the program.
#include "Convolution.h"

#include "Balance.h"
#include "ListBuilder.h"
#include "Strategies.h"

#include "tw/Schedule/AxisSums.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

class Convolution : ConvolutionOperands {
public:
  using ConvolutionOperands::ConvolutionOperands;

  /// With `dots`, only by dot instructions.
  void propose(bool dots, SmallVectorImpl<HostCandidate> &candidates) {
    if (!matchOperands(dots))
      return;
    SmallVector<Shape> whole, skipping;
    int64_t most = llvm::divideCeil(extent(channels), traits.lanes);
    for (int64_t vectors = 1; vectors <= std::min<int64_t>(most, 6); ++vectors) {
      int64_t held = (traits.registers - 1 - vectors) / vectors;
      if (isPaired())
        held = std::max<int64_t>(1, (traits.registers - 3 - 2 * vectors) / vectors);
      for (int64_t rows = std::min(held, extent(pixels));
           rows >= 1 && rows * 2 > std::min(held, extent(pixels)); --rows) {
        // Where a row of pixels is short, several of them fill the tile.
        int64_t tall = lines && rows == extent(pixels) ? std::min(held / rows, extent(*lines)) : 1;
        whole.push_back(complete({vectors, rows, std::max<int64_t>(1, tall)}));
        Shape shape{vectors, rows, 1};
        for (const Border &border : borders)
          if (border.across != pixels ||
              (rows == extent(pixels) && extent(border.tap) <= kUnrolledTaps))
            shape.borders.push_back(&border);
        if (!shape.borders.empty())
          skipping.push_back(complete(shape));
        // Taps so far apart that whole tiles do not see some of them, around loops that are long.
        for (const Border &border : borders)
          if (border.across == pixels && rows < extent(pixels) && shareSeen(border, rows) < 1 &&
              countBesideTaps() >= kLeastInside) {
            shape.borders.push_back(&border);
            shape.tapsFirst = true;
          }
        if (shape.tapsFirst)
          skipping.push_back(complete(shape));
      }
    }
    for (SmallVector<Shape> *shapes : {&whole, &skipping}) {
      keepShapes(*shapes, /*most=*/8, /*tall=*/2,
                 [](const Shape &shape) { return shape.rows * shape.tall; });
      for (Shape &shape : *shapes) {
        for (bool spreads : {false, true}) {
          shape.spreads = spreads;
          if (!spreads || isUneven(shape))
            addLists(shape, candidates);
        }
        std::optional<Shape> tall = withAllLines(shape);
        if (tall)
          addLists(*tall, candidates);
        if (std::optional<Shape> parts = withParts(tall.value_or(shape)))
          addLists(*parts, candidates);
      }
    }
  }

private:
  /// Taps that are unrolled at most, with a body of the loops inside for each.
  static constexpr int64_t kUnrolledTaps = 8;

  /// Steps of the loops inside of those over taps, with which these cost nothing.
  static constexpr int64_t kLeastInside = 64;

  /// Points of what is summed beside taps that may be skipped.
  int64_t countBesideTaps() {
    llvm::SmallBitVector beside = reduced;
    for (const Border &border : borders)
      beside.reset(border.tap);
    return int64_t(sets.points(beside));
  }

  /// Vectors, pixels of a line and lines of a tile, and blocks of tiles; what is skipped.
  struct Shape {
    int64_t vectors, rows, tall;
    SmallVector<const Border *> borders = {};
    /// Whether loops over taps that are skipped are around those over what else is summed.
    bool tapsFirst = false;
    int64_t block = 1, groups = 1, laneTiles = 1;
    /// Whether tiles of a line are programs.
    bool spreads = false;
    /// Whether a program has all lines, for some of the channels.
    bool isTall = false;
    /// Points of an axis of the sum that all tiles of a program take before the next ones; 0: all.
    int64_t terms = 0;
    /// Cycles that the ports take for all tiles, and loads.
    double work = 0, loads = 0;
  };

  /// The largest block of lines, at most `most` and more than half of it, with which the threads
  /// end together as nearly as possible.
  int64_t balance(int64_t most, int64_t lines, int64_t others) const {
    auto longest = [&](int64_t block) {
      return llvm::divideCeil(llvm::divideCeil(lines, block) * others, traits.threads) * block;
    };
    int64_t best = most;
    for (int64_t block = most - 1; block * 2 > most; --block)
      if (longest(block) < longest(best))
        best = block;
    return best;
  }

  void addLists(const Shape &shape, SmallVectorImpl<HostCandidate> &candidates) {
    if (fillsPanels(shape))
      candidates.push_back({"convolution", write(shape, EdgeMode::Pad)});
    candidates.push_back({"convolution", write(shape, EdgeMode::Peel)});
  }

  int64_t getWeightBytes() {
    return sets.points(sets.of(weights.getResult())) *
           llvm::divideCeil(weights.getType().getIntOrFloatBitWidth(), 8);
  }

  /// With channels alone as programs, where each block of lines would read weights again for which
  /// the second-level cache has no room.
  std::optional<Shape> withAllLines(Shape shape) {
    int64_t lineTiles = lines ? llvm::divideCeil(extent(*lines), shape.tall) : 1;
    if (shape.block >= lineTiles || shape.laneTiles < traits.threads ||
        getWeightBytes() <= traits.l2Bytes)
      return std::nullopt;
    shape.isTall = true;
    shape.spreads = false;
    return complete(shape);
  }

  /// The longest axis over which weights are summed; any that is summed over where there is none.
  unsigned findDeepest() {
    unsigned deepest = reduced.find_first();
    const llvm::SmallBitVector &own = sets.of(weights.getResult());
    for (unsigned axis : reduced.set_bits())
      if (own[axis] && (!own[deepest] || extent(axis) > extent(deepest)))
        deepest = axis;
    return deepest;
  }

  /// With the sum in parts, for each of which half of the second-level cache holds the weights of a
  /// tile, where it does not hold them all and several tiles of a program read them.
  std::optional<Shape> withParts(Shape shape) {
    int64_t lineTiles = lines ? llvm::divideCeil(extent(*lines), shape.tall) : 1;
    int64_t tiles = (shape.isTall ? lineTiles : shape.block) *
                    (shape.spreads ? 1 : llvm::divideCeil(extent(pixels), shape.rows));
    unsigned deepest = findDeepest();
    llvm::SmallBitVector summed = sets.of(weights.getResult());
    summed &= reduced;
    if (!summed[deepest])
      return std::nullopt;
    int64_t row = sets.points(summed) / extent(deepest) * shape.vectors * traits.lanes *
                  llvm::divideCeil(contract.getType().getIntOrFloatBitWidth(), 8);
    int64_t most = std::max<int64_t>(1, traits.l2Bytes / 2 / row);
    if (group || outer.any() || isInputComputed() || tiles < 2 || extent(deepest) <= most)
      return std::nullopt;
    shape.terms = findEven(extent(deepest), most);
    return shape;
  }

  /// Fills in blocks, and what the ports have to do.
  Shape complete(Shape shape) {
    int64_t tall = shape.tall, lanes = shape.vectors * traits.lanes;
    int64_t laneTiles = shape.laneTiles = llvm::divideCeil(extent(channels), lanes);
    int64_t lineTiles = lines ? llvm::divideCeil(extent(*lines), tall) : 1;
    int64_t others =
        sets.points(stored) / (extent(pixels) * extent(channels)) / (lines ? extent(*lines) : 1);

    // A program has tiles enough that its panels are read several times, and leaves programs enough
    // for all threads; where there are few lines, the channels are divided among programs as well.
    constexpr int64_t kLines = 8;
    shape.block = balance(std::clamp<int64_t>(lineTiles * others / programsFor(traits), 1,
                                              std::max<int64_t>(1, kLines / tall)),
                          lineTiles, others);
    if (shape.isTall)
      shape.block = lineTiles;
    int64_t programs = llvm::divideCeil(lineTiles, shape.block) * others;
    shape.groups = std::min(laneTiles, int64_t(llvm::divideCeil(programsFor(traits), programs)));

    countWork(shape);
    return shape;
  }

  void countWork(Shape &shape) {
    auto [vectors, rows, tall] = std::tuple(shape.vectors, shape.rows, shape.tall);
    double k = sets.points(reduced) * sets.points(outer);
    if (group)
      k = k / extent(*group) * getSteps(*group);
    for (const Border *border : shape.borders)
      k *= shareSeen(*border, border->across == pixels && rows < extent(pixels) ? rows : 1);
    int64_t lanes = vectors * traits.lanes;
    for (auto [row, rowCount] : wholeAndLast(extent(pixels), rows))
      for (auto [line, lineCount] : wholeAndLast(lines ? extent(*lines) : 1, tall))
        for (auto [wide, laneCount] : wholeAndLast(extent(channels), lanes)) {
          double count = k * double(rowCount * lineCount * laneCount);
          int64_t points = row * line, own = llvm::divideCeil(wide, traits.lanes);
          auto loads = double(points + own);
          shape.work += count * leastOfStep(productCycles(points, own, groupSize, traits), loads,
                                            double(traits.fmaLatency), traits);
          shape.loads += count * loads;
        }
  }

  /// Of pairs of a tap and a tile of so many points, the share that see each other, by points.
  double shareSeen(const Border &border, int64_t tile) const {
    int64_t seen = 0, points = extent(border.across);
    for (auto [first, last] : border.seen)
      if (first <= last)
        seen += std::min<int64_t>(points, llvm::alignTo(last + 1, tile)) - first / tile * tile;
    return double(seen) / (double(points) * double(border.seen.size()));
  }

  /// Whether a thread waits for more than a tenth of its share where lines are programs.
  bool isUneven(const Shape &shape) const {
    constexpr double kMost = 1.1;
    int64_t lineTiles = lines ? llvm::divideCeil(extent(*lines), shape.tall) : 1;
    int64_t others =
        sets.points(stored) / (extent(pixels) * extent(channels)) / (lines ? extent(*lines) : 1);
    return shape.rows < extent(pixels) && stretchOf({GridLevel{others}, GridLevel{shape.groups},
                                                     cutInBlocks(lineTiles, shape.block)},
                                                    traits.threads) > kMost;
  }

  /// Whether panels that reach to the end of the last tile, filled with zeros, hold no more vectors
  /// than those that do not. Of less than a vector, what is stored under masks is more than that.
  bool fillsPanels(const Shape &shape) {
    int64_t lanes = shape.vectors * traits.lanes;
    return extent(channels) > traits.lanes && extent(channels) % traits.lanes != 0 &&
           llvm::alignTo(extent(channels), traits.lanes) % lanes == 0;
  }

  /// Parts of axes in a list.
  struct Parts {
    SmallVector<StringAttr> pixels, lanes, groups, terms;
    /// Of lines, those that are loops of a program or in its tile.
    SmallVector<StringAttr> lines;
    /// Reduced axes in the order of their loops, and those of them that are unrolled.
    SmallVector<unsigned> steps;
    llvm::SmallBitVector unrolled;
    /// The one of which there are `terms`.
    unsigned divided = 0;
  };

  /// The loop over a reduced axis, of which dots take a whole group; none if that is all of it.
  void addStep(const ListBuilder &list, const Parts &parts, unsigned axis,
               SmallVectorImpl<StringAttr> &names) {
    if (!parts.terms.empty() && axis == parts.divided)
      names.push_back(parts.terms.back());
    else if (axis != group)
      names.push_back(list.name(axis));
    else if (parts.groups.size() > 1)
      names.push_back(parts.groups.front());
  }

  /// Divides the axes that are stored among programs, loops and the tile.
  void divideStored(ListBuilder &list, const Shape &shape, EdgeMode edge, Parts &parts) {
    SmallVector<StringAttr> lineParts;
    parts.pixels = list.divide(pixels, {{"_r", shape.rows}});
    SmallVector<std::pair<StringRef, int64_t>> inner;
    if (shape.groups > 1 && shape.groups < shape.laneTiles)
      inner.push_back({"_b", int64_t(llvm::divideCeil(shape.laneTiles, shape.groups))});
    int64_t width = shape.vectors * traits.lanes;
    inner.push_back({"_l", edge == EdgeMode::Pad ? width : std::min(width, extent(channels))});
    parts.lanes = list.divide(channels, inner, edge);
    ArrayRef<StringAttr> laneParts = parts.lanes, pixelParts = parts.pixels;
    bool lanesInGrid = shape.groups > 1 && laneParts.size() > 1;
    if (lines) {
      inner.clear();
      if (shape.block > 1 && !shape.isTall)
        inner.push_back({"_b", shape.block});
      if (shape.tall > 1)
        inner.push_back({"_r", shape.tall});
      lineParts = list.divide(*lines, inner);
    }
    for (unsigned axis : stored.set_bits())
      if (axis != pixels && axis != channels && axis != lines)
        list.grid.push_back(list.name(axis));
    if (lanesInGrid)
      list.grid.push_back(laneParts.front());
    ArrayRef<StringAttr> insideLines(lineParts);
    if (lines && !shape.isTall && !(shape.tall > 1 && lineParts.size() == 1)) {
      list.grid.push_back(lineParts.front());
      insideLines = insideLines.drop_front();
    }
    parts.lines.assign(insideLines.begin(), insideLines.end());
    if (shape.tall > 1) {
      list.tile.push_back(insideLines.back());
      insideLines = insideLines.drop_back();
    }
    list.order.append(laneParts.begin() + lanesInGrid, laneParts.end() - 1);
    if (shape.terms) {
      parts.divided = findDeepest();
      parts.terms = list.divide(parts.divided, {{"_i", shape.terms}});
      list.order.push_back(parts.terms.front());
    }
    llvm::append_range(list.order, insideLines);
    (shape.spreads ? list.grid : list.order).append(pixelParts.begin(), pixelParts.end() - 1);
  }

  /// Taps that are unrolled come first: each has loops of its own for the pixels that it sees. So
  /// do those of which tiles leave out some, once for all that they sum.
  void divideReduced(ListBuilder &list, const Shape &shape, Parts &parts) {
    parts.unrolled.resize(kernel.getNumAxes());
    llvm::SmallBitVector first(kernel.getNumAxes());
    for (const Border *border : shape.borders) {
      if (border->across == pixels && !shape.tapsFirst)
        parts.unrolled.set(border->tap);
      if (parts.unrolled[border->tap] || shape.tapsFirst)
        first.set(border->tap);
    }
    llvm::append_range(parts.steps, first.set_bits());
    for (unsigned axis : reduced.set_bits())
      if (!first[axis])
        parts.steps.push_back(axis);
    for (unsigned axis : outer.set_bits())
      list.order.push_back(list.name(axis));
    if (group)
      parts.groups = list.divide(*group, {{"_g", groupSize}}, EdgeMode::Pad);
    for (unsigned axis : parts.steps)
      addStep(list, parts, axis, list.order);
    if (group)
      list.tile.insert(list.tile.begin(), parts.groups.back());
    list.tile.push_back(parts.pixels.back());
    list.tile.push_back(parts.lanes.back());
  }

  /// How often each line of the weights is read, in tiles of the result.
  double countPasses(const Shape &shape) {
    llvm::SmallBitVector again = stored;
    again.reset(sets.of(weights.getResult()));
    double points = sets.points(again) * sets.points(outer);
    points /= double(extent(pixels)) * double(lines ? extent(*lines) : 1);
    int64_t lineTiles = lines ? llvm::divideCeil(extent(*lines), shape.tall) : 1;
    return points * double(lineTiles * llvm::divideCeil(extent(pixels), shape.rows));
  }

  /// Whether passes that bring lines from afar wait longer for them than all passes take to ask for
  /// what is there already. Each block of lines brings again what the second level has no room for.
  bool isFetchedSoon(const Shape &shape) {
    double line = double(traits.lineBytes), waits = line / traits.memoryBytesPerCycle;
    if (getWeightBytes() > traits.l2Bytes && lines && !shape.isTall) {
      int64_t lineTiles = llvm::divideCeil(extent(*lines), shape.tall);
      waits += double(llvm::divideCeil(lineTiles, shape.block) - 1) * line / traits.l3BytesPerCycle;
    }
    return countPasses(shape) / traits.loadsPerCycle <= waits;
  }

  void stageOperands(ListBuilder &list, const Shape &shape, const Parts &parts) {
    SmallVector<StringAttr> panel;
    const llvm::SmallBitVector &axes = sets.of(weights.getResult());
    for (unsigned axis : axes.set_bits())
      if (stored[axis] && axis != channels)
        panel.push_back(list.name(axis));
    panel.append(parts.lanes.begin(), parts.lanes.end() - 1);
    if (!parts.terms.empty())
      panel.push_back(parts.terms.front());
    for (unsigned axis : parts.steps)
      if (axes[axis])
        addStep(list, parts, axis, panel);
    panel.push_back(parts.lanes.back());
    if (group)
      panel.push_back(parts.groups.back());
    list.stage(weightsValue, "weights", panel, /*global=*/true);
    int64_t ahead = getFetchedAhead(weightsValue, weights, /*passes=*/1, traits);
    if (ahead && !group && (parts.steps.size() == 1 || isFetchedSoon(shape)))
      list.prefetch(weightsValue, ahead);
    SmallVector<StringAttr> box;
    if (isInputComputed())
      box = getBox(list, shape, parts);
    list.stage(inputValue, "input", box, /*global=*/false, /*window=*/true);
  }

  /// The dimensions of a box of what is computed of the input: lines and pixels with the taps that
  /// stand in one sum with them.
  SmallVector<StringAttr> getBox(ListBuilder &list, const Shape &shape, const Parts &parts) {
    SmallVector<StringAttr> dims, inLines, inPixels;
    SmallVector<AxisSum> sums = findAxisSums(kernel, sets, inputValue);
    auto isWith = [&](unsigned axis, unsigned kept) {
      return llvm::any_of(
          sums, [&](const AxisSum &sum) { return sum.contains(axis) && sum.contains(kept); });
    };
    for (unsigned axis : reduced.set_bits())
      if (sets.of(inputValue->getResult(0))[axis])
        (isWith(axis, pixels)            ? inPixels
         : lines && isWith(axis, *lines) ? inLines
                                         : dims)
            .push_back(list.name(axis));
    llvm::append_range(dims, parts.lines);
    llvm::append_range(dims, inLines);
    llvm::append_range(dims, inPixels);
    // Tiles of a line may be programs.
    llvm::append_range(
        dims, ArrayRef(parts.pixels).drop_front(shape.spreads ? parts.pixels.size() - 1 : 0));
    return dims;
  }

  /// With channels that do not fill the last tile as `edge` says.
  ScheduleAttr write(const Shape &shape, EdgeMode edge) {
    ListBuilder list(kernel);
    Parts parts;
    divideStored(list, shape, edge, parts);
    divideReduced(list, shape, parts);
    stageOperands(list, shape, parts);
    if (shape.terms)
      list.keep(contract, KeepPlace::Local, "sum");
    if (group)
      list.contract(parts.groups.back());
    llvm::SmallBitVector skipped(kernel.getNumAxes());
    for (const Border *border : shape.borders)
      skipped.set(border->tap);
    // A loop of two steps is made a choice of two by the code generator, with registers for both.
    for (unsigned axis : reduced.set_bits()) {
      int64_t count = axis == group ? getSteps(axis) : extent(axis);
      SmallVector<StringAttr, 1> step;
      addStep(list, parts, axis, step);
      if (parts.unrolled[axis] || (count == 2 && !skipped[axis]))
        list.unroll(step.front());
    }
    for (const Border *border : shape.borders)
      list.skip(list.name(border->tap));
    return list.finish();
  }
};

} // namespace

void tw::schedule::host::proposeConvolution(KernelOp kernel, const HostTraits &traits,
                                            SmallVectorImpl<HostCandidate> &candidates) {
  Convolution(kernel, traits).propose(/*dots=*/false, candidates);
}

void tw::schedule::host::proposeDotConvolution(KernelOp kernel, const HostTraits &traits,
                                               SmallVectorImpl<HostCandidate> &candidates) {
  Convolution(kernel, traits).propose(/*dots=*/true, candidates);
}
