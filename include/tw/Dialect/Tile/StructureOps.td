// The function of a tile program and its terminator.
#ifndef TW_TILE_STRUCTURE_OPS_TD
#define TW_TILE_STRUCTURE_OPS_TD

include "tw/Dialect/Tile/TileDialect.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "tw/Dialect/View/ViewAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def FuncOp : Tile_Op<"func", [IsolatedFromAbove, Symbol, SingleBlock, AutomaticAllocationScope,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a tile program, run once per point of its grid";
  let description = [{
    The block arguments are the buffers (memrefs of static shape in row-major order, first those that
    are read, then `num_outputs` that are written) and one `index` per dimension of the grid. The
    points of the grid are independent and run in any order.

    Example:
    ```mlir
    ttile.func @relu(%x: memref<4x64xf32>) results(%y: memref<4x64xf32>) grid(%i = 4) {
      %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%i) : memref<4x64xf32> -> tensor<64xf32>
      ...
      ttile.return
    }
    ```

    `warps(8)` after the grid: each program runs on 8 subgroups of 32 threads, or half as many of 64.

    A program with loops of `#ttile.team` runs on all threads of a CPU together, and has no warps.

    `symbols(%S = S <= 512, %T = T)` after that: sizes that a call settles, by name, as further block arguments, with the
    most that they come to where that is known. A dimension of the grid may be such a size, or one divided by what a program covers and rounded up, with the most that it
    comes to: `grid(%i = S ceildiv 8 <= 64)`. A buffer whose sizes are not fixed is one row of as many elements as
    it has at most, addressed by the program: `memref<32768xf32>`. `buffer_sizes` says which they are, with a unit
    for buffers of fixed sizes.

    Results in `updated` keep what they hold where the program does not store.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeArrayAttr:$buffer_types, I64Attr:$num_outputs,
                       DenseI64ArrayAttr:$grid, OptionalAttr<StrArrayAttr>:$grid_names,
                       OptionalAttr<I64Attr>:$warps, OptionalAttr<StrArrayAttr>:$symbols,
                       OptionalAttr<ArrayAttr>:$buffer_sizes, OptionalAttr<DenseI64ArrayAttr>:$updated,
                       OptionalAttr<View_SizesAttr>:$grid_sizes, OptionalAttr<DenseI64ArrayAttr>:$grid_steps,
                       OptionalAttr<DenseI64ArrayAttr>:$symbol_limits);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::TypeRange":$buffers,
      "int64_t":$numOutputs, "::llvm::ArrayRef<int64_t>":$grid, "::llvm::ArrayRef<::llvm::StringRef>":$gridNames)>];
  let extraClassDeclaration = [{
    unsigned getNumBuffers() { return getBufferTypes().size(); }
    ::mlir::BlockArgument getBuffer(unsigned i) { return getBody().getArgument(i); }
    ::mlir::BlockArgument getProgramId(unsigned i) { return getBody().getArgument(getNumBuffers() + i); }
    /// The dimension of the grid that the argument is the coordinate of, if it is one.
    std::optional<unsigned> findGridDim(::mlir::BlockArgument argument) {
      unsigned i = argument.getArgNumber() - getNumBuffers();
      return argument.getArgNumber() >= getNumBuffers() && i < getGrid().size() ? std::optional(i) : std::nullopt;
    }
    unsigned getNumSymbols() { return getSymbols() ? getSymbols()->size() : 0; }
    /// The value of symbol `i`.
    ::mlir::BlockArgument getSymbol(unsigned i) {
      return getBody().getArgument(getNumBuffers() + getGrid().size() + i);
    }
    /// The most that an argument comes to which is a symbol, if that is known.
    std::optional<int64_t> findSymbolLimit(::mlir::BlockArgument argument) {
      unsigned first = getNumBuffers() + getGrid().size();
      return argument.getArgNumber() >= first ? getSymbolLimit(argument.getArgNumber() - first) : std::nullopt;
    }
    /// The most that symbol `i` comes to, if that is known.
    std::optional<int64_t> getSymbolLimit(unsigned i) {
      return getSymbolLimits() && (*getSymbolLimits())[i] >= 0 ? std::optional((*getSymbolLimits())[i]) : std::nullopt;
    }
    /// Adds symbols, of which there are none, with the most that they come to (-1 where that is not known), and says
    /// how many programs a call runs along each dimension of the grid: its size over the points that a program
    /// covers, rounded up.
    void setSymbols(::llvm::ArrayRef<::mlir::StringAttr> names, ::llvm::ArrayRef<int64_t> limits,
                    ::llvm::ArrayRef<::tw::Dim> gridSizes, ::llvm::ArrayRef<int64_t> gridSteps);
    /// What a launch hands over: the symbols, then the other sizes that its buffers have in memory.
    ::llvm::SmallVector<::tw::Dim> getScalars();
    /// Whether buffer `i` is written.
    bool isResult(unsigned i) {
      return i + getNumOutputs() >= getNumBuffers();
    }
    /// The most programs: the product of the grid.
    int64_t getNumPrograms();
    /// Whether the threads of a launch run its programs together.
    bool hasTeam();
  }];
}

def ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"FuncOp">]> {
  let summary = "ends a tile program";
  let assemblyFormat = "attr-dict";
}

#endif
