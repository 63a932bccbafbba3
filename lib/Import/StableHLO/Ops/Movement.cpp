// Constants, shapes, and ops that move elements.
#include "../../Common/KnownValues.h"
#include "../Importer.h"
#include "../Registry.h"

#include "tw/Dialect/Graph/SymbolicShape.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

static void importConstant(OpImport &op) {
  Attribute value = op.op.getAttr("value");
  if (auto properties = dyn_cast_or_null<DictionaryAttr>(op.op.getPropertiesAsAttribute()))
    value = value ? value : properties.get("value");
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(value))
    return op.result(op.emit.constant(dense));
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(value)) {
    auto type = dyn_cast<RankedTensorType>(resource.getType());
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!type || !blob) {
      op.error(Code::T0115) << "the elements of the resource '" << resource.getRawHandle().getKey()
                            << "' are not there";
      return;
    }
    unsigned width = type.getElementTypeBitWidth();
    uint64_t expected = uint64_t(type.getNumElements()) * ((width + 7) / 8);
    if (blob->getData().size() != expected) {
      op.error(Code::T0115) << "expected " << expected << " bytes in the resource '"
                            << resource.getRawHandle().getKey() << "', found "
                            << blob->getData().size();
      return;
    }
    StringRef bytes(blob->getData().data(), blob->getData().size());
    return op.result(op.emit.constant(importer::denseFromBytes(type, bytes)));
  }
  op.error(Code::T0108) << "expected the elements of a tensor as 'value'";
}

/// The integers of an operand that says of what sizes the result is.
static constexpr StringLiteral sizesOfResult = "output_shape";

static void importIota(OpImport &op) {
  Shape shape = op.resultShape(sizesOfResult);
  if (!op.failed())
    op.result(op.emit.iota(shape, op.integer("iota_dimension"), op.resultType().getElementType()));
}

static void importBroadcastInDim(OpImport &op) {
  Emitter &e = op.emit;
  Value x = op.operand(0);
  Shape shape = op.resultShape(sizesOfResult);
  Shape dims = op.integers("broadcast_dimensions");
  if (op.failed() || !op.areDims(dims, int64_t(shape.size()), "broadcast_dimensions"))
    return;
  if (int64_t(dims.size()) != Emitter::rank(x)) {
    op.error(Code::T0108) << "expected a dimension of the result for each of " << Emitter::rank(x)
                          << ", found " << importer::shapeText(dims);
    return;
  }
  // The operand's dimensions in the order of the result's.
  Shape order = importer::indices(int64_t(dims.size())), lifted(shape.size(), 1);
  llvm::sort(order, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
  for (auto [i, dim] : llvm::enumerate(dims))
    lifted[dim] = Emitter::size(x, int64_t(i));
  op.result(e.expand(e.reshape(e.permute(x, order), lifted), shape));
}

static void importBroadcast(OpImport &op) {
  Shape shape = op.resultShape(sizesOfResult);
  if (!op.failed())
    op.result(op.emit.expand(op.operand(0), shape));
}

static void importReshape(OpImport &op) {
  Value x = op.operand(0);
  Shape shape = op.resultShape(sizesOfResult, importer::elementCount(Emitter::shape(x)));
  if (!op.failed())
    op.result(op.emit.reshape(x, shape));
}

/// The same ops where an operand says the sizes, the last one.
template <void (*import)(OpImport &)> static void importOfSizes(OpImport &op) {
  op.readFrom(sizesOfResult, op.count() - 1);
  import(op);
}

static void importTranspose(OpImport &op) {
  Shape permutation = op.integers("permutation");
  if (!op.failed() && op.areDims(permutation, Emitter::rank(op.operand(0)), "permutation"))
    op.result(op.emit.permute(op.operand(0), permutation));
}

static void importSlice(OpImport &op) {
  Value x = op.operand(0);
  size_t rank = size_t(Emitter::rank(x));
  Shape starts = op.integers("start_indices", rank, 0),
        limits = op.integers("limit_indices", rank, 0), strides = op.integers("strides", rank, 1),
        sizes(rank);
  for (size_t i = 0; i < rank && !op.failed(); ++i) {
    if (strides[i] < 1 || starts[i] < 0 || limits[i] < starts[i] ||
        limits[i] > Emitter::size(x, int64_t(i))) {
      op.error(Code::T0108) << "expected a part of the dimension " << i << " of size "
                            << Emitter::size(x, int64_t(i)) << ", found [" << starts[i] << ":"
                            << limits[i] << ":" << strides[i] << "]";
      return;
    }
    sizes[i] = llvm::divideCeil(limits[i] - starts[i], strides[i]);
    if (!sizes[i])
      starts[i] = 0, strides[i] = 1;
  }
  if (!op.failed())
    op.result(op.emit.slice(x, starts, sizes, strides));
}

static void importReverse(OpImport &op) {
  Shape dims = op.integers("dimensions");
  if (!op.failed() && op.areDims(dims, Emitter::rank(op.operand(0)), "dimensions"))
    op.result(op.emit.flip(op.operand(0), dims));
}

static void importConcatenate(OpImport &op) {
  op.result(op.emit.concat(op.allOperands(), op.integer("dimension")));
}

/// Elements between those of dimension `dim`, then before and behind; fewer than none are cut off.
static Value padDim(Emitter &e, Value x, int64_t dim, int64_t low, int64_t high, int64_t interior) {
  int64_t size = Emitter::size(x, dim);
  if (x && interior > 0 && size > 1) {
    Shape split(Emitter::shape(x)), none(split.size() + 1, 0), behind(split.size() + 1, 0);
    split.insert(split.begin() + dim + 1, 1);
    behind[dim + 1] = interior;
    Shape joined(Emitter::shape(x));
    joined[dim] = size * (interior + 1);
    x = e.reshape(e.pad(e.reshape(x, split), none, behind), joined);
    x = e.sliceDim(x, dim, 0, size * (interior + 1) - interior);
  }
  if (!x)
    return x;
  Shape before(Emitter::rank(x), 0), behind(Emitter::rank(x), 0);
  before[dim] = std::max<int64_t>(low, 0);
  behind[dim] = std::max<int64_t>(high, 0);
  x = e.pad(x, before, behind);
  int64_t first = std::max<int64_t>(-low, 0), last = std::max<int64_t>(-high, 0);
  if (x && (first || last))
    x = e.sliceDim(x, dim, first, std::max<int64_t>(Emitter::size(x, dim) - first - last, 0));
  return x;
}

static Value padZeros(Emitter &e, Value x, ShapeRef low, ShapeRef high, ShapeRef interior) {
  for (int64_t dim = 0; x && dim < int64_t(low.size()); ++dim)
    x = padDim(e, x, dim, low[dim], high[dim], interior[dim]);
  return x;
}

Value tw::stablehlo::padded(OpImport &op, Value x, Value fill, ShapeRef low, ShapeRef high,
                            ShapeRef interior) {
  Emitter &e = op.emit;
  if (!x || !fill)
    return {};
  for (auto [dim, size] : llvm::enumerate(Emitter::shape(x))) {
    constexpr int64_t most = int64_t(1) << 40;
    bool fits = interior[dim] >= 0 && interior[dim] <= most && std::abs(low[dim]) <= most &&
                std::abs(high[dim]) <= most && (size <= 1 || interior[dim] < most / size);
    int64_t whole =
        fits ? low[dim] + high[dim] + size + std::max<int64_t>(size - 1, 0) * interior[dim] : -1;
    if (whole < 0) {
      op.error(Code::T0108) << "expected interior padding of at least 0 and a result of 0 to 2^40 "
                               "elements along dimension "
                            << dim << ", found low " << low[dim] << ", high " << high[dim]
                            << ", interior " << interior[dim] << " of " << size;
      return {};
    }
  }
  auto isZero = [](int64_t n) { return n == 0; };
  if (llvm::all_of(interior, isZero)) {
    // Cut, then padded with the number if it is known.
    auto known = op.known(fill);
    bool grows = llvm::any_of(low, [](int64_t n) { return n > 0; }) ||
                 llvm::any_of(high, [](int64_t n) { return n > 0; });
    if (known && known.getNumElements() == 1 && grows) {
      Shape none(low.size(), 0), before, behind;
      for (auto [l, h] : llvm::zip(low, high)) {
        before.push_back(std::max<int64_t>(l, 0));
        behind.push_back(std::max<int64_t>(h, 0));
      }
      // Padding that is cut again is cut last.
      auto attr = cast<TypedAttr>(*known.getValues<Attribute>().begin());
      Shape shape(Emitter::shape(x));
      for (size_t i = 0; i < shape.size(); ++i)
        shape[i] += before[i] + behind[i];
      if (!e.checkShape(shape))
        return {};
      x = e.make<graph::PadOp>(RankedTensorType::get(shape, Emitter::element(x)), x, before, behind,
                               attr);
      for (size_t i = 0; x && i < low.size(); ++i) {
        int64_t first = std::max<int64_t>(-low[i], 0), last = std::max<int64_t>(-high[i], 0);
        if (first || last)
          x = e.sliceDim(x, int64_t(i), first, shape[i] - first - last);
      }
      return x;
    }
  }
  Value zeros = padZeros(e, x, low, high, interior);
  if (auto known = op.known(fill); known && known.getNumElements() == 1) {
    if (auto number = dyn_cast<FloatAttr>(*known.getValues<Attribute>().begin());
        number && number.getValue().isPosZero())
      return zeros;
    if (auto number = dyn_cast<IntegerAttr>(*known.getValues<Attribute>().begin());
        number && number.getValue().isZero())
      return zeros;
  }
  // Where elements of the operand are, computed beside it.
  Value inside = padZeros(e, e.splat(Emitter::shape(x), e.i1(), 1), low, high, interior);
  return e.select(inside, zeros, fill);
}

static void importPad(OpImport &op) {
  size_t rank = size_t(Emitter::rank(op.operand(0)));
  Shape low = op.integers("edge_padding_low", rank, 0),
        high = op.integers("edge_padding_high", rank, 0),
        interior = op.integers("interior_padding", rank, 0);
  if (!op.failed())
    op.result(padded(op, op.operand(0), op.operand(1), low, high, interior));
}

static void importDynamicPad(OpImport &op) {
  op.readFrom("edge_padding_low", 2);
  op.readFrom("edge_padding_high", 3);
  op.readFrom("interior_padding", 4);
  importPad(op);
}

/// Of known places, in spite of its name.
static void importRealDynamicSlice(OpImport &op) {
  op.readFrom("start_indices", 1);
  op.readFrom("limit_indices", 2);
  op.readFrom("strides", 3);
  importSlice(op);
}

/// The scalar as an index of i32 or i64.
static Value indexOf(Emitter &e, Value start) {
  Type element = Emitter::element(start);
  if (!start || element.isSignlessInteger(32))
    return start;
  if (element.isUnsignedInteger(64))
    start = e.minimum(start, e.splat({}, element, 0x1p62));
  return e.cast(start, e.i64());
}

/// Where a slice of a dimension begins: within it.
static Value clampStart(Emitter &e, Value start, int64_t last) {
  Value index = indexOf(e, start);
  if (index && Emitter::element(index).isSignlessInteger(32))
    last = std::min<int64_t>(last, INT32_MAX);
  return e.clamp(index, 0.0, double(last));
}

/// The same if the start is known, and before, within or behind the dimension at all sizes alike.
static std::optional<int64_t> knownStart(OpImport &op, Value start, int64_t dim, int64_t last) {
  Emitter &e = op.emit;
  std::optional<int64_t> known = op.knownInteger(start);
  if (!known)
    return std::nullopt;
  Value index = indexOf(e, start);
  Type element = Emitter::element(index);
  if (element.isSignlessInteger(32))
    last = std::min<int64_t>(last, INT32_MAX);
  Value end = op.importer.follow(op.op, "last" + std::to_string(dim), last, element);
  for (Value isOutside : {e.compare(graph::ComparePredicate::Lt, index, 0.0),
                          e.compare(graph::ComparePredicate::Gt, index, end)})
    if (!op.knownWay(isOutside))
      return std::nullopt;
  return std::clamp<int64_t>(*known, 0, last);
}

static bool areStarts(OpImport &op, size_t first) {
  for (size_t i = first; i < op.count(); ++i)
    if (Emitter::rank(op.operand(i)) != 0 || !isa<IntegerType>(Emitter::element(op.operand(i)))) {
      op.error(Code::T0107) << "expected integer scalars as start indices, found "
                            << op.operand(i).getType();
      return false;
    }
  int64_t rank = Emitter::rank(op.operand(0));
  if (int64_t(op.count() - first) == rank)
    return true;
  op.error(Code::T0104) << "expected " << rank << " start indices, found " << op.count() - first;
  return false;
}

static void importDynamicSlice(OpImport &op) {
  Emitter &e = op.emit;
  Value x = op.operand(0);
  if (!areStarts(op, 1))
    return;
  Shape sizes = op.integers("slice_sizes", size_t(Emitter::rank(x)), 0);
  for (int64_t dim = 0; dim < int64_t(sizes.size()) && x && !op.failed(); ++dim) {
    int64_t size = sizes[dim], whole = Emitter::size(x, dim);
    if (size < 0 || size > whole) {
      op.error(Code::T0108) << "expected a slice of at most " << whole << " along dimension " << dim
                            << ", found " << size;
      return;
    }
    // At another size it may be a part.
    if (size == whole && !op.type(0).isDynamicDim(unsigned(dim)))
      continue;
    Value start = op.operand(size_t(dim) + 1);
    if (std::optional<int64_t> known = knownStart(op, start, dim, whole - size)) {
      x = e.sliceDim(x, dim, *known, size);
      continue;
    }
    start = clampStart(e, start, whole - size);
    Value places = e.add(e.iota({size}, 0, Emitter::element(start)), start);
    x = e.gather(x, places, dim);
  }
  op.result(x);
}

static void importDynamicUpdateSlice(OpImport &op) {
  Emitter &e = op.emit;
  Value x = op.operand(0), update = op.operand(1);
  if (!areStarts(op, 2))
    return;
  size_t rank = size_t(Emitter::rank(x));
  SmallVector<tw::Dim> offsets(rank, tw::Dim(0));
  Values positions;
  Shape along;
  if (size_t(Emitter::rank(update)) != rank) {
    op.error(Code::T0111) << "expected an update of rank " << rank << ", found "
                          << update.getType();
    return;
  }
  for (int64_t dim = 0; dim < int64_t(rank); ++dim) {
    int64_t last = Emitter::size(x, dim) - Emitter::size(update, dim);
    if (last < 0) {
      op.error(Code::T0111) << "expected an update within " << x.getType() << ", found "
                            << update.getType();
      return;
    }
    if (last == 0 && !op.type(0).isDynamicDim(unsigned(dim)))
      continue;
    Value start = op.operand(size_t(dim) + 2);
    if (std::optional<int64_t> known = knownStart(op, start, dim, last)) {
      offsets[dim] = tw::Dim(*known);
      continue;
    }
    positions.push_back(clampStart(e, start, last));
    along.push_back(dim);
  }
  if (llvm::is_contained(positions, Value()))
    return;
  Values operands{x, update};
  operands.append(positions);
  op.result(e.make<graph::UpdateSliceOp>(
      TypeRange(x.getType()), ValueRange(operands),
      ArrayRef<NamedAttribute>{
          e.ops().getNamedAttr("offsets", graph::DimsAttr::get(e.ops().getContext(), offsets)),
          e.ops().getNamedAttr("along", e.ops().getDenseI64ArrayAttr(along))}));
}

/// Bits as another type; of another width they come from, or go to, a last dimension.
static void importBitcast(OpImport &op) {
  Emitter &e = op.emit;
  Value x = op.operand(0);
  Type from = Emitter::element(x), to = op.resultType().getElementType();
  unsigned wide = from.getIntOrFloatBitWidth(), narrow = to.getIntOrFloatBitWidth();
  MLIRContext *context = from.getContext();
  auto bitsOf = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  auto as = [&](Value v, Type type) {
    Type element = Emitter::element(v);
    if (!v || element == type)
      return v;
    if (isa<IntegerType>(element) && isa<IntegerType>(type))
      return e.cast(v, type);
    return e.make<graph::BitcastOp>(RankedTensorType::get(Emitter::shape(v), type), v);
  };
  if (wide == 1 || narrow == 1)
    return op.unsupported("bits of bools", "their bits", "numbers of 8 bits and more");
  if (wide == narrow)
    return op.result(as(x, to));
  if (wide > narrow) {
    // The lowest bits are the first element.
    int64_t parts = wide / narrow;
    Shape shape(Emitter::shape(x));
    shape.push_back(1);
    Value bits = e.reshape(as(x, bitsOf(wide)), shape);
    Value shift = e.mul(e.iota({parts}, 0, bitsOf(wide)), double(narrow));
    Value cut = e.cast(e.binary<graph::ShrOp>(bits, shift), bitsOf(narrow));
    return op.result(as(cut, to));
  }
  int64_t parts = narrow / wide, last = Emitter::rank(x) - 1;
  if (last < 0 || Emitter::size(x, last) != parts) {
    op.error(Code::T0111) << "expected a last dimension of size " << parts << ", found "
                          << x.getType();
    return;
  }
  Value bits = e.cast(as(x, bitsOf(wide)), bitsOf(narrow));
  Value shift = e.mul(e.iota({parts}, 0, bitsOf(narrow)), double(wide));
  Value whole = e.sum(e.binary<graph::ShlOp>(bits, shift), {last});
  op.result(as(whole, to));
}

static void importDimensionSize(OpImport &op) {
  int64_t dim = op.integer("dimension");
  if (!op.failed() && op.emit.hasDims(op.operand(0), {dim}))
    op.result(op.emit.splat({}, op.resultType().getElementType(),
                            double(Emitter::size(op.operand(0), dim))));
}

/// The first elements along a dimension, so many as an operand says, which has to be known.
static void importSetDimensionSize(OpImport &op) {
  Value x = op.operand(0);
  int64_t dim = op.integer("dimension");
  std::optional<int64_t> size = op.knownInteger(op.operand(1));
  if (op.failed() || !op.emit.hasDims(x, {dim}))
    return;
  if (!size)
    return op.unsupported("a size that data decide", "sizes that data decide",
                          "sizes that are known when the function is lowered");
  if (*size < 0 || *size > Emitter::size(x, dim)) {
    op.error(Code::T0108) << "expected a size of 0 to " << Emitter::size(x, dim)
                          << " along dimension " << dim << ", found " << *size;
    return;
  }
  op.result(op.emit.sliceDim(x, dim, 0, *size));
}

static void importAsTheyAre(OpImport &op) {
  for (size_t i = 0; i < op.count(); ++i)
    op.result(i, op.operand(i));
}

/// On several devices it would say where parts lie.
static void importSharding(OpImport &op) {
  if (op.has("axes"))
    return op.unsupported("axes of a mesh", "several devices", "a program for one device");
  op.result(op.operand(0));
}

void tw::stablehlo::addMovement(Registry &registry) {
  registry.add("stablehlo.constant", importConstant);
  registry.add("chlo.constant", importConstant);
  registry.add("stablehlo.iota", importIota);
  registry.add("stablehlo.broadcast_in_dim", importBroadcastInDim);
  registry.add("stablehlo.broadcast", importBroadcast);
  registry.add("stablehlo.reshape", importReshape);
  registry.add("stablehlo.transpose", importTranspose);
  registry.add("stablehlo.slice", importSlice);
  registry.add("stablehlo.reverse", importReverse);
  registry.add("stablehlo.concatenate", importConcatenate);
  registry.add("stablehlo.pad", importPad);
  registry.add("stablehlo.dynamic_iota", importOfSizes<importIota>);
  registry.add("stablehlo.dynamic_reshape", importOfSizes<importReshape>);
  registry.add("stablehlo.dynamic_broadcast_in_dim", importOfSizes<importBroadcastInDim>);
  registry.add("stablehlo.dynamic_pad", importDynamicPad);
  registry.add("stablehlo.real_dynamic_slice", importRealDynamicSlice);
  registry.add("stablehlo.dynamic_slice", importDynamicSlice);
  registry.add("stablehlo.dynamic_update_slice", importDynamicUpdateSlice);
  registry.add("stablehlo.bitcast_convert", importBitcast);
  registry.add("stablehlo.get_dimension_size", importDimensionSize);
  registry.add("stablehlo.set_dimension_size", importSetDimensionSize);
  registry.addElementwise("stablehlo.optimization_barrier", importAsTheyAre);
  registry.addElementwise("stablehlo.real", importAsTheyAre);
  registry.add("sdy.sharding_constraint", importSharding);
}
