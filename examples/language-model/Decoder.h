// The network of a checkpoint as one program.
#pragma once

#include "Checkpoint.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

/// `main(tokens, past_k0, past_v0, ...) -> (logits, present_k0, present_v0, ...)`
///
/// `tokens` is i64[S], S from 1 to `chunk`; `logits` f32[vocabulary] after the last of them. A
/// cache is [groups, P, head size] in memory of `capacity` rows, and becomes [groups, P + S, head
/// size] in place. Fails with a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> buildDecoder(mlir::MLIRContext &context,
                                               const Checkpoint &checkpoint, int64_t capacity,
                                               int64_t chunk);
