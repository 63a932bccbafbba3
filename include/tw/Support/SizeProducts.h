// Sizes that are products of symbols.
//
// A product of symbols is a symbol named by its factors, `B * S`: whoever looks a name up and does
// not know it knows its factors.
#pragma once

#include "tw/Support/Dim.h"

namespace tw {

/// The symbols whose product the symbol is, sorted by name; itself alone if it is none.
llvm::SmallVector<mlir::StringAttr, 2> getFactors(mlir::StringAttr symbol);

Dim multiply(const Dim &a, const Dim &b);

/// Whether tensors of these sizes have equally many elements.
bool haveEqualProducts(llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b);

} // namespace tw
