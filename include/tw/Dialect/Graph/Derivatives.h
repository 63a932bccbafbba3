// Derivatives of tgraph ops, and of values by others, in reverse mode.
#pragma once

#include "tw/Dialect/Graph/Graph.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <functional>

namespace tw::graph {

class Adjoint;

/// On a `tgraph.for` of one iteration, the way back through one: it stays a loop, so that what it
/// computes again is not shared with what was computed before.
inline constexpr llvm::StringLiteral againName = "tgraph.again";

/// How the cotangents of an op's operands come from those of its results, and which ops have none.
/// Each category of ops adds its own; another dialect, or a program that embeds the compiler, may
/// add more.
class DerivativeRules {
public:
  /// Fails with a report.
  using Rule = std::function<llvm::LogicalResult(mlir::Operation *, Adjoint &)>;

  template <typename OpTy> void add(llvm::LogicalResult (*rule)(OpTy, Adjoint &)) {
    rules[OpTy::getOperationName()] = [rule](mlir::Operation *op, Adjoint &adjoint) {
      return rule(llvm::cast<OpTy>(op), adjoint);
    };
  }
  /// Ops whose results do not change with their operands, or are no floats: cotangents end there.
  template <typename... Ops> void addConstant() { (constant.insert(Ops::getOperationName()), ...); }
  /// An op that has no derivative, or none that is known, with the reason as the rest of a
  /// sentence.
  template <typename OpTy> void addNone(llvm::StringRef why) {
    none[OpTy::getOperationName()] = why.str();
  }

  /// Null where there is none.
  const Rule *find(mlir::OperationName op) const;
  bool isConstant(mlir::OperationName op) const { return constant.contains(op.getStringRef()); }
  /// Nothing where none was given.
  std::optional<llvm::StringRef> whyNone(mlir::OperationName op) const;

private:
  llvm::StringMap<Rule> rules;
  llvm::StringSet<> constant;
  llvm::StringMap<std::string> none;
};

/// The rules of tgraph, made once.
const DerivativeRules &getDerivativeRules();

/// Is told of an op whose results others before it have replaced. It stays, without uses.
using Replaced = llvm::function_ref<void(mlir::Operation *old, mlir::ValueRange values)>;
inline void ignoreReplaced(mlir::Operation *, mlir::ValueRange) {}

/// The derivatives of the sum over `of`, its elements weighted by `seed` (a tensor of its type;
/// null for ones), by each of `wrt`: tensors of their types. All are floats of the block in which
/// new ops are built, at the builder's place behind `of`. Uses of composites without a rule of
/// their own become those of their parts, uses of loops those of loops that keep more, of which
/// `replaced` is told. Null for a value that `of` does not depend on. Fails, with a report at the
/// op that has no derivative (T0220).
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
buildGradients(mlir::OpBuilder &builder, mlir::Value of, mlir::Value seed, mlir::ValueRange wrt,
               const DerivativeRules &rules = getDerivativeRules(),
               Replaced replaced = ignoreReplaced);

/// The directional derivatives of each of `of`: how it changes as each of `wrt` moves along the one
/// of `tangents` that is of its type. What goes back from weights is linear in them, so its own
/// derivative by them goes forward: the rules are the same. Otherwise as buildGradients.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
buildTangents(mlir::OpBuilder &builder, mlir::ValueRange of, mlir::ValueRange wrt,
              mlir::ValueRange tangents, const DerivativeRules &rules = getDerivativeRules(),
              Replaced replaced = ignoreReplaced);

} // namespace tw::graph
