// How elements are combined: the kinds of reductions, scans and scatters.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "Graph.h"

#include <cmath>

namespace tw::interp {

/// What leaves every element as it is.
template <typename T> Wide<T> identityOf(graph::CombineKind kind) {
  using W = Wide<T>;
  using Limits = std::numeric_limits<W>;
  switch (kind) {
  case graph::CombineKind::Add:
  case graph::CombineKind::Any:
    return W(0);
  case graph::CombineKind::Mul:
  case graph::CombineKind::All:
    return W(1);
  case graph::CombineKind::Max:
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  case graph::CombineKind::Min:
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  llvm_unreachable("all kinds handled");
}

template <typename T> Wide<T> combine(graph::CombineKind kind, Wide<T> a, Wide<T> b) {
  switch (kind) {
  case graph::CombineKind::Add:
    return sum(a, b);
  case graph::CombineKind::Mul:
  case graph::CombineKind::All:
    return product(a, b);
  case graph::CombineKind::Max:
  case graph::CombineKind::Any:
    return greater(a, b);
  case graph::CombineKind::Min:
    return smaller(a, b);
  }
  llvm_unreachable("all kinds handled");
}

} // namespace tw::interp
