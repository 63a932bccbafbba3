// The layout attribute: syntax, and its form in the algebra of lib/Layout.
#include "tw/Dialect/Tile/Tile.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw;
using namespace tw::tile;
using tw::layout::Basis;
using tw::layout::Resource;
using tw::layout::TileLayout;

// A repetition is stored as resource, dimension (-1: none), count.
static constexpr size_t kRepetitionFields = 3;

static SmallVector<int64_t> flatten(const std::vector<Basis> &bases) {
  SmallVector<int64_t> flat;
  for (const Basis &basis : bases)
    flat.append(basis.begin(), basis.end());
  return flat;
}

LayoutAttr LayoutAttr::get(MLIRContext *context, const TileLayout &layout) {
  SmallVector<int64_t> repetitions;
  for (const layout::Repetition &repetition : layout.repetitions)
    repetitions.append({int64_t(repetition.resource),
                        repetition.dim ? int64_t(*repetition.dim) : -1, repetition.count});
  // Bases without offsets leave no trace in a list of offsets: they are copies.
  if (layout.shape.empty())
    for (Resource resource : layout::allResources)
      if (size_t bits = layout.bases[size_t(resource)].size())
        repetitions.append({int64_t(resource), -1, int64_t(1) << bits});
  return Base::get(context, ArrayRef<int64_t>(layout.shape), ArrayRef<int64_t>(layout.atom),
                   ArrayRef<int64_t>(repetitions), ArrayRef<int64_t>(flatten(layout.bases[0])),
                   ArrayRef<int64_t>(flatten(layout.bases[1])),
                   ArrayRef<int64_t>(flatten(layout.bases[2])));
}

static TileLayout makeLayout(ArrayRef<int64_t> shape, ArrayRef<int64_t> atom,
                             ArrayRef<int64_t> repetitions,
                             std::array<ArrayRef<int64_t>, 3> bases) {
  TileLayout layout;
  layout.shape = shape;
  layout.atom = atom;
  for (size_t i = 0; i < repetitions.size(); i += kRepetitionFields) {
    std::optional<unsigned> dim;
    if (repetitions[i + 1] >= 0)
      dim = unsigned(repetitions[i + 1]);
    layout.repetitions.push_back({Resource(repetitions[i]), dim, repetitions[i + 2]});
  }
  for (Resource resource : layout::allResources)
    for (ArrayRef<int64_t> rest = bases[size_t(resource)]; !rest.empty();
         rest = rest.drop_front(shape.size()))
      layout.bases[size_t(resource)].push_back(Basis(rest.take_front(shape.size())));
  return layout;
}

TileLayout LayoutAttr::getLayout() const {
  return makeLayout(getShape(), getAtom(), getRepetitions(),
                    {getRegBases(), getLaneBases(), getWarpBases()});
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, ArrayRef<int64_t> atom,
                                 ArrayRef<int64_t> repetitions, ArrayRef<int64_t> regBases,
                                 ArrayRef<int64_t> laneBases, ArrayRef<int64_t> warpBases) {
  for (ArrayRef<int64_t> bases : {regBases, laneBases, warpBases})
    if (shape.empty() ? !bases.empty() : bases.size() % shape.size() != 0)
      return emitError() << "expected bases of " << shape.size() << " offsets";
  std::string why = makeLayout(shape, atom, repetitions, {regBases, laneBases, warpBases}).verify();
  return why.empty() ? success() : LogicalResult(emitError() << why);
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (shape == getShape())
    return success();
  return emitError() << "expected a layout of the tile's shape, found " << *this;
}

LogicalResult BlocksAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() == 3 && (shape[0] == 1 || shape[1] == 1 || shape[2] == 1))
    return success();
  return emitError() << "expected a tile of a group, rows and columns, one of them of extent 1, for "
                     << *this << ", found extents " << shape;
}

static std::optional<Resource> parseResource(AsmParser &parser) {
  for (Resource resource : layout::allResources)
    if (succeeded(parser.parseOptionalKeyword(layout::getName(resource))))
      return resource;
  return std::nullopt;
}

static ParseResult parseRepetition(AsmParser &parser, TileLayout &layout) {
  layout::Repetition repetition;
  SMLoc loc = parser.getCurrentLocation();
  std::optional<Resource> resource = parseResource(parser);
  if (!resource)
    return parser.emitError(loc, "expected reg, lane or warp");
  repetition.resource = *resource;
  unsigned dim = 0;
  OptionalParseResult hasDim = parser.parseOptionalInteger(dim);
  if (hasDim.has_value()) {
    if (failed(*hasDim))
      return failure();
    repetition.dim = dim;
  }
  if (parser.parseKeyword("x") || parser.parseInteger(repetition.count))
    return failure();
  layout.repetitions.push_back(repetition);
  return success();
}

static ParseResult parseBases(AsmParser &parser, TileLayout &layout) {
  SMLoc loc = parser.getCurrentLocation();
  std::optional<Resource> resource = parseResource(parser);
  if (!resource)
    return parser.emitError(loc, "expected reg, lane or warp");
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    Basis &basis = layout.bases[size_t(*resource)].emplace_back();
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                       [&] { return parser.parseInteger(basis.emplace_back()); }))
      return failure();
    if (basis.size() != layout.shape.size())
      return parser.emitError(at, "expected ") << layout.shape.size() << " offsets";
    return success();
  });
}

// <12x32, rep [reg 0 x 3], atom 4x32 {reg [(0, 1)], lane [(0, 4)], warp [(1, 0)]}>
Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  TileLayout layout;
  SmallVector<int64_t> shape, atom;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, false, false) || parser.parseComma())
    return {};
  layout.shape.assign(shape.begin(), shape.end());
  if (succeeded(parser.parseOptionalKeyword("rep")))
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       [&] { return parseRepetition(parser, layout); }) ||
        parser.parseComma())
      return {};
  if (parser.parseKeyword("atom") || parser.parseDimensionList(atom, false, false) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces,
                                     [&] { return parseBases(parser, layout); }) ||
      parser.parseGreater())
    return {};
  layout.atom.assign(atom.begin(), atom.end());
  if (std::string why = layout.verify(); !why.empty()) {
    parser.emitError(loc) << why;
    return {};
  }
  return get(parser.getContext(), layout);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  TileLayout layout = getLayout();
  auto printDims = [&](const std::vector<int64_t> &dims) { llvm::interleave(dims, printer, "x"); };
  printer << '<';
  printDims(layout.shape);
  if (!layout.repetitions.empty()) {
    printer << ", rep [";
    llvm::interleaveComma(layout.repetitions, printer, [&](const layout::Repetition &repetition) {
      printer << layout::getName(repetition.resource) << ' ';
      if (repetition.dim)
        printer << *repetition.dim << ' ';
      printer << "x " << repetition.count;
    });
    printer << ']';
  }
  printer << ", atom ";
  printDims(layout.atom);
  printer << " {";
  llvm::ListSeparator separator;
  for (Resource resource : layout::allResources) {
    const auto &bases = layout.bases[size_t(resource)];
    if (bases.empty())
      continue;
    printer << StringRef(separator) << layout::getName(resource) << " [";
    llvm::interleaveComma(bases, printer, [&](const Basis &basis) {
      printer << '(';
      llvm::interleaveComma(basis, printer);
      printer << ')';
    });
    printer << ']';
  }
  printer << "}>";
}

#define GET_ATTRDEF_CLASSES
#include "tw/Dialect/Tile/TileAttrs.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tw/Dialect/Tile/TileAttrs.cpp.inc"
      >();
}
