// #tview.map and its guards: verification, text form and substitution of coordinates.
#include "tw/Dialect/View/View.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw;
using namespace tw::view;

#define GET_ATTRDEF_CLASSES
#include "tw/Dialect/View/ViewAttrs.cpp.inc"

void ViewDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tw/Dialect/View/ViewAttrs.cpp.inc"
      >();
}

//===-- Text form ---------------------------------------------------------===//

// The form of a guard is that of an affine_set but for its relations, which are words: the body of
// a dialect's attribute must have balanced brackets, and MLIR's scanner takes `>=` for a closing
// one.

/// `d1 - 1 ge 0`: left and right side are affine, the relation is ge, le or eq.
static ParseResult parseConstraint(AsmParser &parser,
                                   ArrayRef<std::pair<StringRef, AffineExpr>> dims,
                                   SmallVectorImpl<AffineExpr> &constraints,
                                   SmallVectorImpl<bool> &equalities) {
  AffineExpr left, right;
  StringRef relation;
  if (parser.parseAffineExpr(dims, left))
    return failure();
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeyword(&relation))
    return failure();
  if (relation != "ge" && relation != "le" && relation != "eq")
    return parser.emitError(location, "expected 'ge', 'le' or 'eq'");
  if (parser.parseAffineExpr(dims, right))
    return failure();
  constraints.push_back(relation == "le" ? right - left : left - right);
  equalities.push_back(relation == "eq");
  return success();
}

/// `(d0, d1) : (d1 ge 1, d1 le 6) else 0.0 : f32`
static FailureOr<GuardAttr> parseGuard(AsmParser &parser) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<std::pair<StringRef, AffineExpr>> dims;
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> equalities;
  TypedAttr fill;
  auto parseDim = [&]() -> ParseResult {
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    dims.emplace_back(name, getAffineDimExpr(dims.size(), parser.getContext()));
    return success();
  };
  auto parseOne = [&] { return parseConstraint(parser, dims, constraints, equalities); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseDim) ||
      parser.parseColon() || parser.parseLParen() || parser.parseCommaSeparatedList(parseOne) ||
      parser.parseRParen() || parser.parseKeyword("else") || parser.parseAttribute(fill))
    return failure();
  auto set = IntegerSet::get(dims.size(), 0, constraints, equalities);
  auto emitError = [&] { return parser.emitError(location); };
  auto guard = GuardAttr::getChecked(emitError, parser.getContext(), set, fill);
  if (!guard)
    return failure();
  return guard;
}

/// Prints `d1 - 1 >= 0` as `d1 ge 1` and `-d1 + 6 >= 0` as `d1 le 6`.
static void printConstraint(raw_ostream &os, AffineExpr constraint, bool equality) {
  int64_t constant = 0;
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(constraint))
    if (auto right = dyn_cast<AffineConstantExpr>(sum.getRHS());
        right && sum.getKind() == AffineExprKind::Add) {
      constraint = sum.getLHS();
      constant = right.getValue();
    }
  auto product = dyn_cast<AffineBinaryOpExpr>(constraint);
  if (!equality && product && product.getKind() == AffineExprKind::Mul &&
      product.getRHS() == getAffineConstantExpr(-1, constraint.getContext()))
    os << product.getLHS() << " le " << constant;
  else
    os << constraint << (equality ? " eq " : " ge ") << -constant;
}

static void printGuard(AsmPrinter &printer, GuardAttr guard) {
  IntegerSet set = guard.getSet();
  raw_ostream &os = printer.getStream();
  os << "(";
  llvm::interleaveComma(llvm::seq(set.getNumDims()), os, [&](unsigned i) { os << "d" << i; });
  os << ") : (";
  llvm::interleaveComma(llvm::seq(set.getNumConstraints()), os, [&](unsigned i) {
    printConstraint(os, set.getConstraint(i), set.isEq(i));
  });
  printer << ") else " << guard.getFill();
}

Attribute GuardAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<GuardAttr> guard = parseGuard(parser);
  if (failed(guard) || parser.parseGreater())
    return {};
  return *guard;
}

void GuardAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printGuard(printer, *this);
  printer << ">";
}

Attribute MapAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  AffineMapAttr map;
  SmallVector<GuardAttr> guards;
  TypedAttr outside;
  if (parser.parseLess() || parser.parseAttribute(map))
    return {};
  bool comma = succeeded(parser.parseOptionalComma());
  if (comma && succeeded(parser.parseOptionalLSquare())) {
    auto element = [&]() -> ParseResult {
      FailureOr<GuardAttr> guard = parseGuard(parser);
      if (failed(guard))
        return failure();
      guards.push_back(*guard);
      return success();
    };
    if (parser.parseCommaSeparatedList(element) || parser.parseRSquare())
      return {};
    comma = succeeded(parser.parseOptionalComma());
  }
  if (comma && (parser.parseKeyword("else") || parser.parseAttribute(outside)))
    return {};
  if (parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(location); };
  return MapAttr::getChecked(emitError, parser.getContext(), map.getValue(), guards, outside);
}

void MapAttr::print(AsmPrinter &printer) const {
  printer << "<affine_map<";
  getMap().print(printer.getStream());
  printer << ">";
  if (hasGuards()) {
    printer << ", [";
    llvm::interleaveComma(getGuards(), printer,
                          [&](GuardAttr guard) { printGuard(printer, guard); });
    printer << "]";
  }
  if (getOutside())
    printer << ", else " << getOutside();
  printer << ">";
}

//===-- Verification ------------------------------------------------------===//

bool tw::view::hasPositiveDivisors(AffineMap map) {
  bool result = true;
  map.walkExprs([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    auto divisor = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : AffineConstantExpr();
    if (divisor && expr.getKind() != AffineExprKind::Add && expr.getKind() != AffineExprKind::Mul)
      result &= divisor.getValue() > 0;
  });
  return result;
}

static CodedDiagnostic malformed(function_ref<InFlightDiagnostic()> emitError) {
  return CodedDiagnostic(emitError(), Code::T0301);
}

static LogicalResult verifyFill(function_ref<InFlightDiagnostic()> emitError, TypedAttr fill) {
  if (isa<IntegerAttr, FloatAttr>(fill))
    return success();
  return malformed(emitError) << "expected an integer or float fill, found " << fill;
}

LogicalResult GuardAttr::verify(function_ref<InFlightDiagnostic()> emitError, IntegerSet set,
                                TypedAttr fill) {
  if (set.getNumSymbols() != 0)
    return malformed(emitError) << "expected a guard without symbols, found "
                                << set.getNumSymbols();
  return verifyFill(emitError, fill);
}

LogicalResult MapAttr::verify(function_ref<InFlightDiagnostic()> emitError, AffineMap map,
                              ArrayRef<GuardAttr> guards, TypedAttr outside) {
  if (map.getNumSymbols() != 0)
    return malformed(emitError) << "expected an index map without symbols, found "
                                << map.getNumSymbols();
  if (!hasPositiveDivisors(map))
    return malformed(emitError) << "expected divisors above 0 in " << AffineMapAttr::get(map);
  if (outside && failed(verifyFill(emitError, outside)))
    return failure();
  Type type = outside ? outside.getType() : Type();
  for (auto [index, guard] : llvm::enumerate(guards)) {
    if (guard.getSet().getNumDims() != map.getNumDims())
      return malformed(emitError) << "guard " << index << " has " << guard.getSet().getNumDims()
                                  << " dims, expected " << map.getNumDims()
                                  << " as in the index map";
    if (type && guard.getFill().getType() != type)
      return malformed(emitError) << "guard " << index << " fills with "
                                  << guard.getFill().getType() << ", expected " << type
                                  << " as in the other fills";
    type = guard.getFill().getType();
  }
  return success();
}

//===-- Queries and substitution ------------------------------------------===//

MapAttr MapAttr::getIdentity(MLIRContext *context, unsigned rank) {
  return MapAttr::get(AffineMap::getMultiDimIdentityMap(rank, context));
}

unsigned MapAttr::getNumDims() const { return getMap().getNumDims(); }

unsigned MapAttr::getNumResults() const { return getMap().getNumResults(); }

bool MapAttr::isIdentity() const { return !hasGuards() && getMap().isIdentity(); }

bool MapAttr::hasFillType(Type elementType) const {
  return (!getOutside() || getOutside().getType() == elementType) &&
         llvm::all_of(getGuards(),
                      [&](GuardAttr guard) { return guard.getFill().getType() == elementType; });
}

TypedAttr MapAttr::getOutsideFill(Type elementType) const {
  return getOutside() ? getOutside() : Builder(getContext()).getZeroAttr(elementType);
}

MapAttr MapAttr::compose(AffineMap coordinates) const {
  assert(coordinates.getNumResults() == getNumDims() && coordinates.getNumSymbols() == 0);
  SmallVector<GuardAttr> guards;
  for (GuardAttr guard : getGuards()) {
    IntegerSet set = guard.getSet().replaceDimsAndSymbols(coordinates.getResults(), {},
                                                          coordinates.getNumDims(), 0);
    guards.push_back(GuardAttr::get(getContext(), set, guard.getFill()));
  }
  return MapAttr::get(getMap().compose(coordinates), guards, getOutside());
}
