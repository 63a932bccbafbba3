// The pass that orders the dimensions of tensors between kernels by the price of what comes out.
#include "KernelPrices.h"
#include "PricedPass.h"

#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Dialect/Kernel/MadeOnce.h"
#include "tw/Dialect/Kernel/Transforms/Orders.h"
#include "tw/Schedule/Passes.h"
#include "tw/Schedule/Record.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <random>
#include <tuple>

namespace tw {
#define GEN_PASS_DEF_KERNELLAYOUTPASS
#include "tw/Schedule/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// A kernel begins a search where it takes so many times its least, and equal ones lose so much of
/// the program by that.
constexpr double kFarFromLeast = 1.15;
constexpr double kWorthLooking = 1.0 / 250;

/// Share of its price that such a kernel has to save by itself.
constexpr double kFirstSaves = 0.1;

/// Share of the price of all kernels that touch what is reordered that has to be saved.
constexpr double kAllSave = 0.03;

/// Tensors that are reordered together.
constexpr size_t kMostMoved = 8;

/// A tensor and the order that its dimensions get.
struct Move {
  Value tensor;
  DimensionOrder order;
};

/// Whether the tensor may get another order, of which all that it changes is in one block.
bool isFree(Value tensor) {
  if (!mayReorder(tensor))
    return false;
  Block *block = tensor.getDefiningOp()->getBlock();
  return llvm::all_of(tensor.getUsers(),
                      [&](Operation *user) { return user->getBlock() == block; });
}

/// The innermost dimension with more than one element; nothing where there is none.
std::optional<unsigned> getInnermost(RankedTensorType type) {
  for (unsigned dim = type.getRank(); dim-- > 0;)
    if (type.getDimSize(dim) > 1)
      return dim;
  return std::nullopt;
}

/// The accesses of the kernel to a tensor that it reads or makes: maps and indices.
SmallVector<std::pair<AffineMap, ValueRange>> getAccesses(KernelOp kernel, Value tensor) {
  SmallVector<std::pair<AffineMap, ValueRange>> accesses;
  for (auto store : kernel.getBody().getOps<StoreOp>())
    if (kernel.getResult(store.getResultNumber()) == tensor)
      accesses.push_back({store.getMap(), store.getIndices()});
  for (auto [i, operand] : llvm::enumerate(kernel.getOperands()))
    if (operand == tensor)
      for (Operation *user : kernel.getOperandArgument(i).getUsers())
        if (auto load = dyn_cast<LoadOp>(user))
          accesses.push_back({load.getMap().getMap(), load.getIndices()});
  return accesses;
}

/// The axes of more than one point that a coordinate depends on.
llvm::SmallBitVector getAxesOf(KernelOp kernel, AffineExpr coordinate, ValueRange indices) {
  llvm::SmallBitVector axes(kernel.getNumAxes());
  coordinate.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      if (auto axis = dyn_cast<BlockArgument>(indices[dim.getPosition()]))
        if (kernel.getExtents()[axis.getArgNumber()] > 1)
          axes.set(axis.getArgNumber());
  });
  return axes;
}

/// The dimension of the tensor along which the axis alone moves, in all accesses that do; nothing
/// where there is none, and along windows.
std::optional<unsigned> findDimension(KernelOp kernel, Value tensor, unsigned axis) {
  std::optional<unsigned> found;
  for (auto [map, indices] : getAccesses(kernel, tensor))
    for (auto [dim, coordinate] : llvm::enumerate(map.getResults())) {
      llvm::SmallBitVector axes = getAxesOf(kernel, coordinate, indices);
      if (!axes.test(axis))
        continue;
      if (axes.count() > 1 || (found && *found != dim))
        return std::nullopt;
      found = dim;
    }
  return found;
}

/// All that a kernel reads and makes, each once.
llvm::SmallSetVector<Value, 8> getTensors(KernelOp kernel) {
  llvm::SmallSetVector<Value, 8> tensors(kernel->operand_begin(), kernel->operand_end());
  tensors.insert_range(kernel->getResults());
  return tensors;
}

/// What puts the axis innermost in all that the kernel reads or makes along it. One whose size a
/// call settles stays outside: behind it nothing would be a known distance apart.
SmallVector<Move> getMoves(KernelOp kernel, unsigned axis) {
  SmallVector<Move> moves;
  if (kernel.isSymbolic(axis))
    return moves;
  for (Value tensor : getTensors(kernel)) {
    if (!isFree(tensor))
      continue;
    std::optional<unsigned> dim = findDimension(kernel, tensor, axis);
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!dim || getInnermost(type) == dim)
      continue;
    DimensionOrder order;
    for (unsigned i = 0; i < type.getRank(); ++i)
      if (i != *dim)
        order.push_back(i);
    order.push_back(*dim);
    moves.push_back({tensor, order});
  }
  return moves;
}

/// Reorders tensors of a block by price.
class LayoutSearch {
public:
  LayoutSearch(schedule::Proposals &proposals, Block &block,
               SmallVectorImpl<schedule::JoinRecord> *record)
      : proposals(proposals), strategy(proposals.getStrategy()), block(block), record(record) {}

  void run();

  unsigned reordered = 0, pricings = 0;

private:
  /// Tensors that are reordered together, and the kernels that touch them.
  struct Trial {
    SmallVector<Move> moves;
    llvm::SetVector<Operation *> touched;
  };

  SmallVector<KernelOp> findFirst();
  struct Form {
    double cycles; ///< that the kernel takes then
    unsigned axis;
    SmallVector<Move> moves;
  };
  SmallVector<Form> findForms(KernelOp first, double now);
  void tryFrom(KernelOp first);
  double grow(Trial &trial);
  void spread(Trial &trial, KernelOp kernel);
  void accept(Trial &trial, KernelOp first, double before);

  static bool costsNothing(KernelOp kernel) {
    return kernel->getNumOperands() > 0 && isMadeOnce(kernel.getResult(0));
  }

  /// Notes the kernel, of which the price will be asked for, for other threads.
  void expect(KernelOp kernel) {
    if (!costsNothing(kernel) && strategy.getLeastCycles(kernel) > 0)
      proposals.note(kernel);
  }

  void askExpected() { proposals.askNoted(block.getParentOp()->getContext()); }

  std::optional<double> price(KernelOp kernel) {
    if (costsNothing(kernel))
      return 0;
    if (strategy.getLeastCycles(kernel) == 0)
      return std::nullopt;
    if (asked.insert(proposals.getIdentity(kernel)).second)
      ++pricings;
    ArrayRef<schedule::Candidate> candidates = proposals.get(kernel);
    if (candidates.empty() || candidates.front().cycles == 0)
      return std::nullopt;
    return candidates.front().getComparedCycles();
  }

  void add(Trial &trial, ArrayRef<Move> moves) {
    for (const Move &move : moves) {
      reorder(move.tensor, move.order);
      trial.moves.push_back(move);
      trial.touched.insert(move.tensor.getDefiningOp());
      for (Operation *user : move.tensor.getUsers())
        trial.touched.insert(user);
    }
  }

  /// Takes moves back until so many are left.
  void takeBack(Trial &trial, size_t left) {
    for (; trial.moves.size() > left; trial.moves.pop_back())
      reorder(trial.moves.back().tensor, invertOrder(trial.moves.back().order));
  }

  /// What the kernel takes more than before; nothing where that is not known.
  std::optional<double> getLoss(KernelOp kernel) {
    std::optional<double> before = known.lookup(kernel);
    std::optional<double> now = before ? price(kernel) : std::nullopt;
    return now ? std::optional(*now - *before) : std::nullopt;
  }

  schedule::Proposals &proposals;
  const schedule::Strategy &strategy;
  Block &block;
  SmallVectorImpl<schedule::JoinRecord> *record;
  /// What kernels take as tensors lie now.
  llvm::DenseMap<Operation *, std::optional<double>> known;
  llvm::DenseSet<const void *> asked;
};

void LayoutSearch::run() {
  for (auto kernel : block.getOps<KernelOp>())
    if (!kernel.getSchedule())
      strategy.prepare(kernel);
  markMemory(block);
  for (KernelOp first : findFirst())
    tryFrom(first);
  unmarkMemory(block);
}

/// The kernels to begin with, in the order of the block.
SmallVector<KernelOp> LayoutSearch::findFirst() {
  double total = 0;
  llvm::MapVector<const void *, std::pair<double, SmallVector<KernelOp>>> far;
  for (auto kernel : block.getOps<KernelOp>()) {
    if (kernel.getSchedule())
      continue;
    std::optional<double> cycles = price(kernel);
    known[kernel] = cycles;
    double least = strategy.getLeastCycles(kernel);
    total += cycles.value_or(0);
    if (!cycles || *cycles < kFarFromLeast * least)
      continue;
    auto &alike = far[proposals.getIdentity(kernel)];
    alike.first += *cycles - least;
    alike.second.push_back(kernel);
  }
  SmallVector<KernelOp> first;
  for (auto &[identity, alike] : far)
    if (alike.first >= kWorthLooking * total)
      llvm::append_range(first, alike.second);
  llvm::sort(first, [](KernelOp a, KernelOp b) { return a->isBeforeInBlock(b); });
  return first;
}

/// With which axes innermost in what it touches the kernel itself takes less, the least first.
SmallVector<LayoutSearch::Form> LayoutSearch::findForms(KernelOp first, double now) {
  SmallVector<Form> forms;
  for (unsigned axis = 0; axis < first.getNumAxes(); ++axis) {
    SmallVector<Move> moves = getMoves(first, axis);
    if (!moves.empty() && moves.size() <= kMostMoved)
      forms.push_back({now, axis, std::move(moves)});
  }
  auto lookAt = [&](ArrayRef<Move> moves, llvm::function_ref<void()> look) {
    Trial trial;
    add(trial, moves);
    look();
    takeBack(trial, 0);
  };
  for (const Form &form : forms)
    lookAt(form.moves, [&] { expect(first); });
  askExpected();
  for (Form &form : forms)
    lookAt(form.moves, [&] { form.cycles = price(first).value_or(now); });
  llvm::erase_if(forms, [&](const Form &form) { return form.cycles >= (1 - kFirstSaves) * now; });
  llvm::sort(forms, [](const Form &a, const Form &b) {
    return std::tie(a.cycles, a.axis) < std::tie(b.cycles, b.axis);
  });
  return forms;
}

void LayoutSearch::tryFrom(KernelOp first) {
  std::optional<double> now = known.lookup(first);
  // What was reordered for another kernel may have helped this one.
  if (!now || *now < kFarFromLeast * strategy.getLeastCycles(first))
    return;
  for (const Form &form : findForms(first, *now)) {
    Trial trial;
    add(trial, form.moves);
    double saved = grow(trial), before = 0;
    for (Operation *kernel : trial.touched)
      before += known.lookup(kernel).value_or(0);
    if (saved > kAllSave * before)
      return accept(trial, first, before);
    takeBack(trial, 0);
  }
}

void LayoutSearch::accept(Trial &trial, KernelOp first, double before) {
  reordered += trial.moves.size();
  double after = 0;
  for (Operation *kernel : trial.touched) {
    known[kernel] = price(cast<KernelOp>(kernel));
    after += known[kernel].value_or(0);
  }
  if (!record)
    return;
  std::string types;
  llvm::raw_string_ostream stream(types);
  llvm::interleaveComma(trial.moves, stream,
                        [&](const Move &move) { stream << move.tensor.getType(); });
  record->push_back({schedule::getFullName(first), types, "reordered", "", before, after});
}

/// Reorders what other kernels read and make that take more now, as long as that helps; returns
/// what the best number of moves saves, and leaves those.
double LayoutSearch::grow(Trial &trial) {
  double best = 0;
  size_t kept = 0;
  llvm::SmallPtrSet<Operation *, 8> done;
  while (true) {
    double loss = 0, most = 0;
    KernelOp loser;
    for (Operation *op : trial.touched)
      if (known.lookup(op))
        expect(cast<KernelOp>(op));
    askExpected();
    for (Operation *op : trial.touched) {
      std::optional<double> own = getLoss(cast<KernelOp>(op));
      if (!own) {
        takeBack(trial, kept);
        return best;
      }
      loss += *own;
      if (*own > most && !done.contains(op)) {
        most = *own;
        loser = cast<KernelOp>(op);
      }
    }
    if (-loss > best) {
      best = -loss;
      kept = trial.moves.size();
    }
    if (!loser || trial.moves.size() >= kMostMoved)
      break;
    done.insert(loser);
    spread(trial, loser);
  }
  takeBack(trial, kept);
  return best;
}

/// Puts the axes that lie innermost in what has been reordered innermost in the other tensors of
/// the kernel, too.
void LayoutSearch::spread(Trial &trial, KernelOp kernel) {
  llvm::SmallBitVector axes(kernel.getNumAxes());
  llvm::SmallSetVector<Value, 8> moved;
  for (const Move &move : trial.moves) {
    moved.insert(move.tensor);
    if (std::optional<unsigned> inner = getInnermost(cast<RankedTensorType>(move.tensor.getType())))
      for (auto [map, indices] : getAccesses(kernel, move.tensor))
        axes |= getAxesOf(kernel, map.getResult(*inner), indices);
  }
  for (unsigned axis : axes.set_bits())
    for (const Move &move : getMoves(kernel, axis))
      if (moved.insert(move.tensor))
        add(trial, move);
}

struct KernelLayout : schedule::ReplacingPass<tw::impl::KernelLayoutPassBase<KernelLayout>> {
  using ReplacingPass::ReplacingPass;

  void replace(schedule::Proposals &proposals,
               SmallVectorImpl<schedule::JoinRecord> *records) override {
    std::mt19937 random(seed);
    bool isPriced = proposals.getStrategy().ordersTensors();
    for (Block *block : schedule::getBlocksOfFunctions(getOperation())) {
      if (seed) {
        draw(*block, random);
      } else if (isPriced) {
        LayoutSearch search(proposals, *block, records);
        search.run();
        reordered += search.reordered;
        pricings += search.pricings;
      }
    }
  }

private:
  void draw(Block &block, std::mt19937 &random) {
    for (auto kernel : block.getOps<KernelOp>())
      for (Value result : kernel->getResults()) {
        if (!isFree(result))
          continue;
        DimensionOrder order = llvm::to_vector(
            llvm::seq<unsigned>(0, cast<RankedTensorType>(result.getType()).getRank()));
        // What std::shuffle draws is another order in each library.
        for (size_t i = order.size(); i > 1; --i)
          std::swap(order[i - 1], order[random() % i]);
        reorder(result, order);
        ++reordered;
      }
  }
};

} // namespace
