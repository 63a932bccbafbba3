// One call registers everything a tool or an embedder needs: dialects, passes, pipelines.
#pragma once

namespace mlir {
class DialectRegistry;
class MLIRContext;
} // namespace mlir

namespace tw {

/// Adds our dialects and the upstream ones that our stages use to `registry`.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers our passes and pipelines, and the upstream passes that stages use, in the global
/// pass registry. Safe to call more than once, and from
/// several threads.
void registerPasses();

/// Does both, and loads the dialects into `context`.
void prepareContext(mlir::MLIRContext &context);

} // namespace tw
