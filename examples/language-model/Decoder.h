// The network of a checkpoint as one program.
#pragma once

#include "Checkpoint.h"

#include "tw/Frontend/Frontend.h"

#include <optional>

/// `main(tokens, past_k0, past_v0, ...) -> (logits, present_k0, present_v0, ...)`
///
/// `tokens` is i64[streams, S], S from 1 to `chunk`; `logits` f32[streams, vocabulary] after the
/// last of them. A cache is [streams, groups, P, head size] in memory of `capacity` rows each, and
/// becomes [streams, groups, P + S, head size] in place. An error says what the checkpoint lacks;
/// errors of building are the module's.
llvm::Expected<tw::fe::Module> buildDecoder(const Checkpoint &checkpoint, int64_t streams,
                                            int64_t capacity, int64_t chunk);
