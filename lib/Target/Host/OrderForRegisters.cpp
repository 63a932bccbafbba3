// List scheduling of blocks by the vectors that live.
#include "OrderForRegisters.h"

#include "BlockSteps.h"
#include "ConstantOperands.h"
#include "Prefetches.h"
#include "Reloads.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace tw::host;

namespace {

class BlockOrder : BlockSteps {
public:
  BlockOrder(BasicBlock &block, BatchAAResults &aliases, bool hasMaskRegisters)
      : BlockSteps(block, aliases, hasMaskRegisters) {
    findDependents();
  }

  using BlockSteps::countConstants;

  /// The most vectors that live at once in the order of the instructions, lazy ones excepted.
  int64_t measure() {
    start();
    for (unsigned i = 0; i < steps.size(); ++i)
      if (!steps[i].isLazy)
        take(i);
    return finish();
  }

  /// What comes next: the next one; or what adds the fewest vectors, and of several the first one
  /// or that for the first write; or that for the first write, unless something adds none.
  enum class Rule { AsTheyCome, ByPlace, ByResult, OneByOne };

  int64_t improve(Rule rule) {
    if (rule == Rule::AsTheyCome)
      return measure();
    start();
    std::vector<unsigned> waiting(steps.size()), ready;
    std::vector<SmallVector<unsigned, 2>> followers(steps.size());
    for (unsigned i = 0; i < steps.size(); ++i) {
      if (steps[i].isLazy)
        continue;
      SmallSetVector<unsigned, 4> before;
      SmallDenseSet<unsigned, 8> seen;
      collectBefore(steps[i], before, seen);
      waiting[i] = before.size();
      for (unsigned other : before)
        followers[other].push_back(i);
      if (before.empty())
        ready.push_back(i);
    }
    while (!ready.empty()) {
      auto best = ready.begin();
      std::tuple<int64_t, unsigned, unsigned> least{INT64_MAX, 0, 0};
      for (auto it = ready.begin(); it != ready.end(); ++it)
        if (auto rank = getRank(*it, rule); rank < least) {
          best = it;
          least = rank;
        }
      unsigned next = *best;
      ready.erase(best);
      take(next);
      for (unsigned follower : followers[next])
        if (--waiting[follower] == 0)
          ready.push_back(follower);
    }
    return finish();
  }

  /// How many vectors are loaded again in the order found last, so that no more than `registers`
  /// live at once; nothing if that is not enough.
  std::optional<size_t> countReloads(unsigned registers) {
    return withReloads(registers, [](Reloads &reloads) { return reloads.plan(); });
  }

  /// Brings the instructions into the order found last.
  void apply() {
    for (Instruction *instruction : order)
      instruction->moveBefore(block.getTerminator()->getIterator());
  }

  /// The same, and loads again what has no room.
  void apply(unsigned registers) {
    withReloads(registers, [&](Reloads &reloads) {
      std::optional<size_t> count = reloads.plan();
      apply();
      reloads.apply();
      return count;
    });
    separateLoads();
  }

private:
  /// The steps whose cost changes when a vector is read, or something lazy is taken.
  DenseMap<const Value *, SmallVector<unsigned, 4>> dependents;
  /// Of the order that is being made.
  std::vector<Instruction *> order;
  DenseMap<const Value *, int64_t> uses;
  int64_t live = 0, most = 0;

  void findDependents() {
    SmallSetVector<unsigned, 8> cone;
    for (auto [i, step] : enumerate(steps)) {
      if (step.isLazy)
        continue;
      cone.clear();
      cone.insert(i);
      for (size_t next = 0; next < cone.size(); ++next) {
        const Step &needed = steps[cone[next]];
        dependents[needed.instruction].push_back(i);
        for (Value *held : needed.registers)
          dependents[held].push_back(i);
        for (Value *operand : needed.operands)
          if (unsigned other = index.lookup(operand); steps[other].isLazy)
            cone.insert(other);
      }
    }
  }

  /// Those that are not lazy and come before this one; `seen` are lazy ones that were looked at.
  void collectBefore(const Step &step, SmallSetVector<unsigned, 4> &before,
                     SmallDenseSet<unsigned, 8> &seen) const {
    if (step.after)
      before.insert(*step.after);
    for (Value *operand : step.operands) {
      unsigned other = index.lookup(operand);
      if (steps[other].isLazy && seen.insert(other).second)
        collectBefore(steps[other], before, seen);
      else if (!steps[other].isLazy)
        before.insert(other);
    }
  }

  /// Whether the instruction takes a register for what lives on.
  bool takesRegister(const Instruction *instruction) const {
    if (!isVector(instruction) || isa<BitCastInst>(instruction))
      return false;
    auto found = uses.find(instruction);
    return lasting.contains(instruction) || (found != uses.end() && found->second);
  }

  /// Vectors that live from now on, less those that die, if this one comes next.
  int64_t getCost(unsigned i) {
    std::optional<int64_t> &cost = steps[i].cost;
    return cost ? *cost : *(cost = countCost(i));
  }

  int64_t countCost(unsigned i) {
    SmallDenseMap<Value *, int64_t, 8> used;
    SmallDenseSet<unsigned, 8> seen;
    int64_t cost = 0;
    count(i, used, seen, cost);
    for (auto [value, times] : used)
      if (uses[value] == times && !lasting.contains(value))
        --cost;
    return cost;
  }

  std::tuple<int64_t, unsigned, unsigned> getRank(unsigned i, Rule rule) {
    int64_t cost = getCost(i);
    if (rule == Rule::OneByOne)
      cost = cost > 0;
    return {cost, rule == Rule::ByPlace ? 0 : steps[i].result, i};
  }

  void count(unsigned i, SmallDenseMap<Value *, int64_t, 8> &used, SmallDenseSet<unsigned, 8> &seen,
             int64_t &cost) {
    if (!seen.insert(i).second)
      return;
    for (Value *operand : steps[i].operands)
      if (unsigned other = index.lookup(operand); !steps[other].isTaken)
        count(other, used, seen, cost);
    for (Value *held : steps[i].registers)
      ++used[held];
    cost += takesRegister(steps[i].instruction);
  }

  void start() {
    order.clear();
    uses.clear();
    for (Step &step : steps) {
      step.isTaken = false;
      step.cost = std::nullopt;
      for (Value *held : step.registers)
        ++uses[held];
    }
    live = most = around.size();
  }

  /// Takes what nothing in the block needs; returns the most vectors that lived before.
  int64_t finish() {
    int64_t needed = most;
    for (unsigned i = 0; i < steps.size(); ++i)
      if (!steps[i].isTaken)
        take(i);
    return needed;
  }

  template <typename Function>
  std::optional<size_t> withReloads(unsigned registers, Function function) {
    auto isHeld = [&](const Value *value) {
      return (isVector(value) && !isa<BitCastInst>(value)) ||
             (value->getType()->isFloatingPointTy() && index.contains(value));
    };
    auto isBrought = [&](const Instruction *instruction) {
      const Step &step = steps[index.lookup(instruction)];
      return step.isLazy && !step.isFixed;
    };
    Reloads reloads({order, isHeld, isBrought, around.getArrayRef(), lasting}, registers);
    return function(reloads);
  }

  /// Keeps loads of one address apart, and where they are.
  void separateLoads() {
    Instruction *computed = nullptr;
    for (Instruction &instruction : block) {
      auto found = index.find(&instruction);
      if (computed && instruction.mayReadFromMemory()) {
        addBorder(computed, instruction);
        computed = nullptr;
      } else if (found != index.end() && !steps[found->second].isLazy && isVector(&instruction)) {
        computed = &instruction;
      }
    }
  }

  void forgetCosts(const Value *changed) {
    if (auto found = dependents.find(changed); found != dependents.end())
      for (unsigned i : found->second)
        steps[i].cost = std::nullopt;
  }

  void take(unsigned i) {
    Step &step = steps[i];
    for (Value *operand : step.operands)
      if (unsigned other = index.lookup(operand); !steps[other].isTaken)
        take(other);
    step.isTaken = true;
    order.push_back(step.instruction);
    forgetCosts(step.instruction);
    for (Value *held : step.registers) {
      forgetCosts(held);
      if (--uses[held] == 0)
        live -= !lasting.contains(held);
    }
    live += takesRegister(step.instruction);
    most = std::max(most, live);
  }
};

} // namespace

/// Whether the block has vectors that the stack does not align by itself.
static bool hasWideVectors(const BasicBlock &block) {
  const DataLayout &layout = block.getDataLayout();
  MaybeAlign stack = layout.getStackAlignment();
  return any_of(block, [&](const Instruction &instruction) {
    auto *type = dyn_cast<FixedVectorType>(instruction.getType());
    return type && layout.getTypeStoreSize(type) > stack.valueOrOne().value();
  });
}

PreservedAnalyses tw::host::OrderForRegistersPass::run(Function &function,
                                                       FunctionAnalysisManager &analyses) {
  // What is longer is no unrolled window, and takes long.
  constexpr size_t kLongest = 4096;
  // More reloads take longer than the spills that they stand for.
  constexpr size_t kStepsPerReload = 16;
  // Where there are too few registers in any order, one that needs so many fewer of them.
  constexpr int64_t kShareSaved = 6;

  BatchAAResults aliases(analyses.getResult<AAManager>(function));
  bool changed = false;
  for (BasicBlock &block : function) {
    if (block.size() <= registers || block.size() > kLongest)
      continue;
    if (size_t held = countHeldByPrefetches(block))
      if (BlockOrder(block, aliases, hasMaskRegisters).measure() + int64_t(held) >
          int64_t(registers))
        changed |= prefetchFirst(block);
    BlockOrder order(block, aliases, hasMaskRegisters);
    int64_t least = order.measure();
    ConstantOperands operands(block);
    int64_t brought = hasMemoryOperands ? int64_t(operands.count()) : 0;
    // LLVM keeps constants in registers across a loop, as many as it has then.
    int64_t constants = std::min<int64_t>(order.countConstants(), registers / 2);
    bool fits = least <= int64_t(registers);
    // LLVM knows what it spills too late to align the stack by itself, and half of the vectors that
    // lie anywhere cross lines.
    if (least + constants >= int64_t(registers) && hasWideVectors(block))
      function.addFnAttr("stackrealign");
    if (least + std::max(constants, brought) <= int64_t(registers))
      continue;
    // The fewest loads first, then the fewest registers.
    std::optional<BlockOrder::Rule> best, nearest;
    int64_t fewest = least;
    std::pair<size_t, int64_t> leastCost{SIZE_MAX, 0};
    for (auto rule : {BlockOrder::Rule::AsTheyCome, BlockOrder::Rule::ByPlace,
                      BlockOrder::Rule::ByResult, BlockOrder::Rule::OneByOne}) {
      int64_t most = order.improve(rule);
      if (std::optional<size_t> reloads = fits ? std::nullopt : order.countReloads(registers);
          reloads && *reloads * kStepsPerReload <= block.size())
        if (std::pair cost(*reloads, most); cost < leastCost) {
          leastCost = cost;
          best = rule;
        }
      if (most < fewest) {
        fewest = most;
        nearest = rule;
      }
    }
    int64_t most = least;
    bool orderFits = fits;
    if (best) {
      most = order.improve(*best);
      order.apply(registers);
      orderFits = leastCost.first == 0;
    } else if (nearest && (fits || (least - fewest) * kShareSaved >= least)) {
      most = order.improve(*nearest);
      order.apply();
    } else if (!fits) {
      continue;
    }
    // Only constants have no room left. One register is for those that are no operand.
    if (orderFits && most + brought > int64_t(registers))
      operands.read(std::max<int64_t>(0, int64_t(registers) - most - 1));
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
