// Attributes of the tview dialect: the guarded index map.
#ifndef TW_DIALECT_VIEW_VIEWATTRS_TD
#define TW_DIALECT_VIEW_VIEWATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "tw/Dialect/View/ViewDialect.td"

class View_Attr<string name, string attrMnemonic> : AttrDef<View_Dialect, name> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def View_GuardAttr : View_Attr<"Guard", "guard"> {
  let summary = "a set of result coordinates and the value that is read outside of it";
  let description = [{
    A part of `#tview.map`, written there without its own prefix: `(d0, d1) : (d1 ge 1, d1 le 6) else 0.0 : f32`.
    The relations are `ge`, `le` and `eq` between affine expressions (the form of an `affine_set`, whose `>=` cannot
    stand inside a dialect's attribute). The set has no symbols and the fill is an integer or float.
  }];
  let parameters = (ins "::mlir::IntegerSet":$set, "::mlir::TypedAttr":$fill);
  let hasCustomAssemblyFormat = 1;
}

def View_MapAttr : View_Attr<"Map", "map"> {
  let summary = "from result coordinates to source coordinates, with guards";
  let description = [{
    The affine map takes result coordinates (its dims) to source coordinates (its results). It has
    no symbols. What an element reads is decided in this order:

    1. The guards are tried in order; the first whose set does not hold the result coordinates gives its fill.
    2. If all hold and the source coordinates are inside the extents of the source, the source element.
    3. Otherwise the trailing `else` fill, or zero of the element type when there is none.

    A max pooling's padding of -inf over a convolution's padding of 0 is a map with two guards.

    ```mlir
    #tview.map<affine_map<(d0, d1) -> (d1, d0)>>
    #tview.map<affine_map<(d0, d1) -> (d1 - 1, d0)>, [(d0, d1) : (d1 ge 1, d1 le 6) else 0.0 : f32]>
    #tview.map<affine_map<(d0) -> (d0 - 1)>, else 0xFF800000 : f32>
    ```
  }];
  let parameters = (ins "::mlir::AffineMap":$map,
                        OptionalArrayRefParameter<"::tw::view::GuardAttr">:$guards,
                        OptionalParameter<"::mlir::TypedAttr">:$outside);
  let builders = [
    AttrBuilderWithInferredContext<(ins "::mlir::AffineMap":$map,
                                        CArg<"::llvm::ArrayRef<::tw::view::GuardAttr>", "{}">:$guards,
                                        CArg<"::mlir::TypedAttr", "{}">:$outside), [{
      return $_get(map.getContext(), map, guards, outside);
    }]>
  ];
  let extraClassDeclaration = [{
    /// The map that reads each element from its own coordinates.
    static MapAttr getIdentity(::mlir::MLIRContext *context, unsigned rank);

    /// The rank of the result.
    unsigned getNumDims() const;
    /// The rank of the source.
    unsigned getNumResults() const;
    bool hasGuards() const { return !getGuards().empty(); }
    /// True for an identity map without guards. Between tensors of unequal extents it still pads or slices.
    bool isIdentity() const;
    /// True when the guards and the `else` fill, if any, are of this type.
    bool hasFillType(::mlir::Type elementType) const;
    /// What is read where all guards hold but the source coordinates are outside the source.
    ::mlir::TypedAttr getOutsideFill(::mlir::Type elementType) const;

    /// This map read at `coordinates`: its dims, also those of its guards, are replaced by the
    /// results of `coordinates`, which are as many as the dims. No simplification by extents.
    MapAttr compose(::mlir::AffineMap coordinates) const;
  }];
  let hasCustomAssemblyFormat = 1;
}

def View_SizesAttr : AttrDef<View_Dialect, "Sizes", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "sizes";
  let summary = "sizes that are settled when a program is called";
  let description = [{
    One entry per dimension of a tensor, or per axis of a kernel, affine in symbols; an entry without
    symbols is a fixed size. Below the view stage the shape of a tensor is what its sizes are at most, and
    this encoding what they are: strides in memory and the ends of axes are those of the sizes.

    State has room to grow: `in` says what the sizes are in memory, each the size itself or a number that it comes to
    at most. Strides are those of the storage then.

    ```mlir
    tensor<512x4096xf32, #tview.sizes<[S, 4096]>>
    tensor<8x512x64xf32, #tview.sizes<[8, P + S, 64] in [8, 512, 64]>>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr", "symbols, sorted by name, each used">:$symbols,
    ArrayRefParameter<"int64_t", "per entry: a factor per symbol, then the constant">:$coefficients,
    OptionalParameter<"::mlir::Attribute", "#tview.sizes in memory, where these are others">:$storage);
  let hasCustomAssemblyFormat = 1;
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<::tw::Dim>":$sizes,
                                   CArg<"::llvm::ArrayRef<::tw::Dim>", "{}">:$storage)>];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::tw::Dim, 4> getSizes() const;
    /// What they are in memory: the sizes themselves where nothing else is said.
    ::llvm::SmallVector<::tw::Dim, 4> getStorageSizes() const;
  }];
}

#endif // TW_DIALECT_VIEW_VIEWATTRS_TD
