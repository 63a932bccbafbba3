// Directives of the formats of primitives (KernelAttrs.td): custom<Name>($axis) parses with
// parseName and prints with printName.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::kernel {

using Names = llvm::SmallVector<mlir::StringAttr>;
using NamesRef = llvm::ArrayRef<mlir::StringAttr>;

/// The name of an axis or a value: a bare identifier, or a string.
mlir::ParseResult parseName(mlir::AsmParser &parser, mlir::StringAttr &name);
void printName(mlir::AsmPrinter &printer, mlir::StringAttr name);

/// `[a, b]`, at least one, of the primitive of that keyword.
mlir::ParseResult parseAxes(mlir::AsmParser &parser, Names &axes, llvm::StringRef keyword);
void printAxes(mlir::AsmPrinter &printer, NamesRef axes, llvm::StringRef keyword);

/// `[n, h, w]`, at least two.
mlir::ParseResult parseMergedAxes(mlir::AsmParser &parser, Names &axes);
void printMergedAxes(mlir::AsmPrinter &printer, NamesRef axes);

/// `[mo, mi 8, mr 12]`: the first part has no factor.
mlir::ParseResult parseSplitParts(mlir::AsmParser &parser, Names &parts,
                                  llvm::SmallVector<int64_t> &factors);
void printSplitParts(mlir::AsmPrinter &printer, NamesRef parts, llvm::ArrayRef<int64_t> factors);

/// Of parts by `rfactor`, at least 1.
mlir::ParseResult parsePartLength(mlir::AsmParser &parser, int64_t &length);
void printPartLength(mlir::AsmPrinter &printer, int64_t length);

mlir::ParseResult parseCount(mlir::AsmParser &parser, int64_t &count);
void printCount(mlir::AsmPrinter &printer, int64_t count);

/// `8`, `8 loading 4` or `8 loading 4 walking 132`.
mlir::ParseResult parseWarps(mlir::AsmParser &parser, int64_t &count, int64_t &loading,
                             int64_t &walking);
void printWarps(mlir::AsmPrinter &printer, int64_t count, int64_t loading, int64_t walking);

/// `0`, or `0 from 1048576`: a result, and bytes.
mlir::ParseResult parseStreamed(mlir::AsmParser &parser, int64_t &result, int64_t &from);
void printStreamed(mlir::AsmPrinter &printer, int64_t result, int64_t from);

/// `a at ko local`, `a as (mi, k, mr) at grid local`, `b as (no, k, nr) at kernel global`, `x
/// window at po local`
mlir::ParseResult parseStaged(mlir::AsmParser &parser, mlir::StringAttr &value, Names &order,
                              mlir::StringAttr &loop, bool &global, bool &window);
void printStaged(mlir::AsmPrinter &printer, mlir::StringAttr value, NamesRef order,
                 mlir::StringAttr loop, bool global, bool window);

mlir::ParseResult parsePlace(mlir::AsmParser &parser, KeepPlace &place);
void printPlace(mlir::AsmPrinter &printer, KeepPlace place);

mlir::ParseResult parseMode(mlir::AsmParser &parser, EdgeMode &mode);
void printMode(mlir::AsmPrinter &printer, EdgeMode mode);

/// `v 1024`, or `v` for a distance of 0.
mlir::ParseResult parsePrefetched(mlir::AsmParser &parser, mlir::StringAttr &value, int64_t &ahead);
void printPrefetched(mlir::AsmPrinter &printer, mlir::StringAttr value, int64_t ahead);

/// `r 3`, or `r` for a factor of 0.
mlir::ParseResult parseUnrolled(mlir::AsmParser &parser, mlir::StringAttr &axis, int64_t &factor);
void printUnrolled(mlir::AsmPrinter &printer, mlir::StringAttr axis, int64_t factor);

} // namespace tw::kernel
