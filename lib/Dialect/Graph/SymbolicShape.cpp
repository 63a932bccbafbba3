// Arithmetic on symbolic dimensions and the types that carry them.
#include "tw/Dialect/Graph/Graph.h"

#include <map>

using namespace mlir;
using namespace tw::graph;

Dim Dim::symbol(StringAttr name, int64_t factor) {
  Dim dim;
  if (factor != 0)
    dim.terms.push_back({name, factor});
  return dim;
}

// Symbolic sizes come from text, so sums and products wrap instead of overflowing.
static int64_t wrapAdd(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
static int64_t wrapMul(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

Dim Dim::operator+(const Dim &other) const {
  Dim sum(wrapAdd(constant, other.constant));
  const Term *a = terms.begin(), *b = other.terms.begin();
  while (a != terms.end() || b != other.terms.end()) {
    if (b == other.terms.end() || (a != terms.end() && a->first.getValue() < b->first.getValue())) {
      sum.terms.push_back(*a++);
    } else if (a == terms.end() || b->first.getValue() < a->first.getValue()) {
      sum.terms.push_back(*b++);
    } else {
      if (int64_t factor = wrapAdd(a->second, b->second))
        sum.terms.push_back({a->first, factor});
      ++a, ++b;
    }
  }
  return sum;
}

Dim Dim::operator*(int64_t factor) const {
  Dim product(wrapMul(constant, factor));
  for (auto [name, value] : terms)
    if (int64_t scaled = wrapMul(value, factor))
      product.terms.push_back({name, scaled});
  return product;
}

// Names that are no identifiers (ONNX has any string) are quoted.
static void printName(raw_ostream &os, StringRef name) {
  bool bare = !name.empty() && (llvm::isAlpha(name.front()) || name.front() == '_') &&
              llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (bare) {
    os << name;
    return;
  }
  os << '"';
  llvm::printEscapedString(name, os);
  os << '"';
}

void Dim::print(raw_ostream &os) const {
  bool first = true;
  for (auto [name, factor] : terms) {
    os << (first ? "" : factor < 0 ? " - " : " + ");
    uint64_t magnitude = first || factor >= 0 ? uint64_t(factor) : -uint64_t(factor);
    if (magnitude != 1)
      first ? os << factor << " * " : os << magnitude << " * ";
    printName(os, name.getValue());
    first = false;
  }
  if (first)
    os << constant;
  else if (constant != 0)
    os << (constant < 0 ? " - " : " + ")
       << (constant < 0 ? -uint64_t(constant) : uint64_t(constant));
}

std::optional<Shape> tw::graph::getShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return std::nullopt;
  if (auto dims = dyn_cast_or_null<DimsAttr>(tensor.getEncoding()))
    return dims.getShape();
  if (!tensor.hasStaticShape())
    return std::nullopt;
  return Shape(tensor.getShape().begin(), tensor.getShape().end());
}

RankedTensorType tw::graph::getTensorType(ArrayRef<Dim> shape, Type elementType) {
  SmallVector<int64_t> sizes;
  for (const Dim &dim : shape)
    sizes.push_back(dim.isStatic() ? dim.getConstant() : ShapedType::kDynamic);
  Attribute encoding;
  if (!llvm::all_of(shape, [](const Dim &dim) { return dim.isStatic(); }))
    encoding = DimsAttr::get(elementType.getContext(), shape);
  return RankedTensorType::get(sizes, elementType, encoding);
}

Type tw::graph::withElementType(Type type, Type elementType) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? RankedTensorType::get(tensor.getShape(), elementType, tensor.getEncoding())
                : type;
}

// A polynomial in symbols: sorted symbol names -> factor. Empty optional where it would be huge.
using Polynomial = std::map<SmallVector<StringRef>, int64_t>;

static std::optional<Polynomial> countElements(ArrayRef<Dim> shape) {
  Polynomial product{{{}, 1}};
  for (const Dim &dim : shape) {
    Polynomial next;
    for (const auto &[names, factor] : product) {
      if (dim.getConstant() != 0)
        next[names] = wrapAdd(next[names], wrapMul(factor, dim.getConstant()));
      for (auto [name, scale] : dim.getTerms()) {
        SmallVector<StringRef> longer(names);
        longer.insert(llvm::upper_bound(longer, name.getValue()), name.getValue());
        next[longer] = wrapAdd(next[longer], wrapMul(factor, scale));
      }
    }
    product = std::move(next);
    if (product.size() > 4096)
      return std::nullopt;
  }
  std::erase_if(product, [](const auto &entry) { return entry.second == 0; });
  return product;
}

bool tw::graph::haveEqualElementCounts(ArrayRef<Dim> a, ArrayRef<Dim> b) {
  std::optional<Polynomial> left = countElements(a), right = countElements(b);
  return left && right && *left == *right;
}

std::string tw::graph::toString(const Dim &dim) {
  std::string text;
  llvm::raw_string_ostream os(text);
  dim.print(os);
  return text;
}

std::string tw::graph::toString(ArrayRef<Dim> shape) {
  if (shape.empty())
    return "scalar";
  return llvm::join(llvm::map_range(shape,
                                    [](const Dim &dim) {
                                      std::string text = toString(dim);
                                      return text.find(' ') == text.npos ? text : "(" + text + ")";
                                    }),
                    "x");
}
