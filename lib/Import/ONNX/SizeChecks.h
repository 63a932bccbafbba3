// What the samples of a model say, and whether it holds at sizes that no sample is made at.
#pragma once

#include "SizeTrace.h"
#include "tw/Support/Diagnostics.h"

namespace tw::onnx {

using Decisions = std::map<std::string, std::vector<std::optional<int64_t>>>;
using Firsts = std::map<std::string, std::pair<int64_t, int64_t>>;
using SideSizes = std::map<std::string, std::pair<int64_t, int64_t>>;
using Resizes = std::map<std::string, std::vector<CountedSizes::Resized>>;

/// A node that asks whether a size is one that no sample has: it is below that in one sample and
/// above it in another.
class BetweenSamples {
public:
  void add(const CountedSizes &sample) {
    for (const auto &[node, signs] : sample.differences) {
      std::vector<std::pair<bool, bool>> &seen = all[node];
      seen.resize(std::max(seen.size(), signs.size()));
      for (auto [own, sign] : llvm::zip(seen, signs))
        own = {own.first || sign < 0, own.second || sign > 0};
    }
  }
  std::string find() const {
    for (const auto &[node, seen] : all)
      for (auto [below, above] : seen)
        if (below && above)
          return node;
    return {};
  }

private:
  std::map<std::string, std::vector<std::pair<bool, bool>>> all;
};

/// What samples say, one after the other.
struct SampleNotes {
  /// By node, what is decided alike in all.
  Decisions decided;
  BetweenSamples between;
  std::vector<Firsts> firsts;
  std::vector<SideSizes> sides;
  std::vector<Resizes> resized;
  std::vector<CountedSizes::Results> results;

  /// Adds one. Ways that it decides otherwise than those before become `open`.
  void add(const CountedSizes &sample, std::set<std::string> &open);
  bool decides() const;
};

/// Whether the error says that the model means nothing, and not that it cannot be imported.
bool isNoProgram(std::optional<Code> code);

/// A model for sizes that it is not imported at.
struct Between {
  mlir::Location loc;
  llvm::ArrayRef<std::string> names;
  llvm::ArrayRef<SizeRange> ranges;
  size_t given, paired;
  /// The samples and what they say.
  llvm::ArrayRef<std::vector<int64_t>> known;
  const SampleNotes &notes;
  const CountedSizes &counted;
  /// What has been read of them.
  const KnownSizes &solved;
  llvm::function_ref<mlir::OwningOpRef<mlir::ModuleOp>(llvm::ArrayRef<int64_t>)> importAt;
  /// Whether there is a program of these sizes alone, of whose branches one side is imported.
  llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> existsAt;

  /// Checks results at these sizes: of as many elements and by the same decisions as at the
  /// samples, or the program for all sizes is none there. Ways that are other ones there become
  /// `open`. The first node that gives another shape is told of in `other`, as what results and
  /// decisions say is nearer to what can be done about it.
  mlir::LogicalResult check(mlir::ModuleOp module, llvm::ArrayRef<int64_t> asked,
                            std::set<std::string> &open, std::string &other) const;
};

/// Each of 1 and 0 beside the most of all others, and all together. Beside a range, the first
/// `given`, data decide on as much as there may be, -1.
std::vector<std::vector<int64_t>> chooseSmallest(llvm::ArrayRef<SizeRange> ranges, size_t given);

/// Checks sizes that no sample is made at: 0 and 1, where operators make other programs, those that
/// the trace has doubts about, and what it has found that nodes read otherwise.
mlir::LogicalResult checkOthers(const Between &between, mlir::ModuleOp module,
                                const SizeTrace &trace,
                                llvm::ArrayRef<CountedSizes::Reading> readings,
                                const std::set<size_t> &doubtful, std::set<std::string> &open);

/// Sizes of these symbols, not 0 and 1, on both sides of where the least of two sizes among the
/// parts turns from one to the other: along each symbol, beside the most and the least of others.
std::vector<std::vector<int64_t>> findTurns(llvm::ArrayRef<Dim> parts,
                                            llvm::ArrayRef<std::string> names,
                                            llvm::ArrayRef<SizeRange> ranges);

} // namespace tw::onnx
