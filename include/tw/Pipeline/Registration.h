// One call registers everything a tool or an embedder needs: dialects, passes, pipelines.
#pragma once

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tw {

/// Adds our dialects and the upstream ones that our stages use to `registry`.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers our passes and pipelines, and the upstream passes that stages use, in the global
/// pass registry. Safe to call more than once.
void registerPasses();

} // namespace tw
