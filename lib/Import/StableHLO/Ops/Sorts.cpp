// Sorts by keys, and the greatest elements.
//
// A comparison that looks at keys one after the other is as many stable sorts, the last key first.
#include "../Regions.h"
#include "../Registry.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

/// Elements of the last dimension at positions of each row.
static Value takeRows(Emitter &e, Value x, Value positions) {
  int64_t last = Emitter::rank(x) - 1;
  return e.gather(x, {positions}, last, last);
}

/// Integers of the order of the bits: -0 before 0.
static Value toOrderedBits(Emitter &e, Value x) {
  unsigned width = Emitter::element(x).getIntOrFloatBitWidth();
  Type bits = IntegerType::get(x.getContext(), width);
  Value raw = e.make<graph::BitcastOp>(RankedTensorType::get(Emitter::shape(x), bits), x);
  Value most = e.constant(
      DenseElementsAttr::get(RankedTensorType::get({}, bits), APInt::getSignedMaxValue(width)));
  return e.select(e.compare(graph::ComparePredicate::Lt, raw, 0.0),
                  e.binary<graph::XorOp>(raw, most), raw);
}

static void importSort(OpImport &op) {
  Emitter &e = op.emit;
  size_t count = op.op.getNumOperands();
  if (!count || !op.hasRegions(1, 2 * count))
    return;
  int64_t rank = Emitter::rank(op.operand(0)), dim = op.integer("dimension", -1);
  if (dim < 0)
    dim += rank;
  if (op.failed() || !op.areDims({dim}, rank, "dimension"))
    return;
  for (Value x : op.allOperands())
    if (Emitter::shape(x) != Emitter::shape(op.operand(0))) {
      op.error(Code::T0111) << "expected operands of one shape, found " << x.getType() << " beside "
                            << op.operand(0).getType();
      return;
    }
  auto keys = findSortKeys(op.op.getRegion(0));
  if (!keys)
    return op.unsupported(
        "a comparison of its own", "any order of elements",
        "a comparison LT or GT of one operand, or of several one after the other");
  Shape order = importer::indices(rank);
  std::swap(order[dim], order[rank - 1]);
  int64_t size = Emitter::size(op.operand(0), dim);
  Values columns;
  for (Value x : op.allOperands())
    columns.push_back(e.permute(x, order));
  for (const SortKey &key : llvm::reverse(*keys)) {
    size_t column = key.operand;
    for (size_t part = count; key.isImaginary && part < columns.size(); ++part)
      if (op.wholeOf(part) == key.operand)
        column = part;
    Value by = columns[column];
    if (by && key.isTotal && Emitter::isFloat(by)) {
      if (Emitter::element(by).getIntOrFloatBitWidth() <= 8)
        return op.unsupported("a total order of 8 bits", "their bits",
                              "floats of 16 bits and more");
      by = toOrderedBits(e, by);
    }
    if (!by)
      return;
    Value positions = e.argSort(by, rank - 1, key.isDescending, size);
    for (Value &each : columns)
      each = takeRows(e, each, positions);
  }
  for (auto [i, column] : llvm::enumerate(columns))
    op.resultOrPart(i, e.permute(column, order));
}

static void importComplexSort(OpImport &op) {
  op.appendParts();
  importSort(op);
}

/// Values and their positions.
static void importTopK(OpImport &op) {
  Emitter &e = op.emit;
  Value x = op.operand(0);
  int64_t k = op.integer("k"), last = Emitter::rank(x) - 1;
  if (op.failed())
    return;
  if (last < 0 || k < 0 || k > Emitter::size(x, last)) {
    op.error(Code::T0108) << "expected at most the " << Emitter::size(x, last)
                          << " elements of the last dimension, found k = " << k;
    return;
  }
  // As XLA has it: 0 before -0.
  bool isTotal = Emitter::isFloat(x) && Emitter::element(x).getIntOrFloatBitWidth() > 8;
  Value positions = e.argSort(isTotal ? toOrderedBits(e, x) : x, last, /*descending=*/true, k);
  op.result(0, takeRows(e, x, positions));
  op.result(1, e.cast(positions, op.resultType(1).getElementType()));
}

void tw::stablehlo::addSorts(Registry &registry) {
  registry.add("stablehlo.sort", importSort);
  registry.addComplex("stablehlo.sort", importComplexSort);
  registry.add("chlo.top_k", importTopK);
}
