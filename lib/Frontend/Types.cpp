// Sizes and element types: arithmetic, promotion, from and to those of the dialect.
#include "State.h"

#include "tw/Support/ElementTypes.h"

#include "llvm/ADT/StringExtras.h"

using namespace tw::fe;
namespace fe = tw::fe;

fe::Dim fe::Dim::symbol(std::string_view name, int64_t factor) {
  Dim dim;
  if (factor)
    dim.terms.emplace(name, factor);
  return dim;
}

std::optional<fe::Dim> fe::Dim::parse(std::string_view given) {
  StringRef text = StringRef(given).trim();
  if (text.consume_front("(") && !text.consume_back(")"))
    return std::nullopt;
  Dim sum;
  int64_t sign = 1;
  while (true) {
    text = text.ltrim();
    if (text.consume_front("-"))
      sign = -sign, text = text.ltrim();
    int64_t factor = 1;
    bool hasNumber = !text.consumeInteger(10, factor);
    text = text.ltrim();
    bool hasSymbol = !hasNumber || text.consume_front("*");
    text = text.ltrim();
    if (hasSymbol) {
      StringRef name =
          text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
      if (name.empty())
        return std::nullopt;
      text = text.drop_front(name.size()).ltrim();
      sum = sum + symbol(name, factor * sign);
    } else {
      sum = sum + Dim(factor * sign);
    }
    if (text.empty())
      return sum;
    if (!text.starts_with("+") && !text.starts_with("-"))
      return std::nullopt;
    sign = text.front() == '+' ? 1 : -1;
    text = text.drop_front();
  }
}

fe::Dim &fe::Dim::add(const Dim &other, int64_t factor) {
  constant += other.constant * factor;
  for (auto &[name, times] : other.terms)
    if ((terms[name] += times * factor) == 0)
      terms.erase(name);
  return *this;
}

std::string fe::Dim::str() const {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  return tw::toString(toDim(&context, *this));
}

std::string fe::str(const Shape &shape) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  return graph::toString(toShape(&context, shape));
}

tw::Dim fe::toDim(mlir::MLIRContext *context, const Dim &dim) {
  tw::Dim made(dim.getConstant());
  for (auto &[name, factor] : dim.getTerms())
    made = made + tw::Dim::symbol(mlir::StringAttr::get(context, name), factor);
  return made;
}

fe::Dim fe::fromDim(const tw::Dim &dim) {
  Dim made(dim.getConstant());
  for (auto [name, factor] : dim.getTerms())
    made = made + Dim::symbol(name.getValue(), factor);
  return made;
}

graph::Shape fe::toShape(mlir::MLIRContext *context, const Shape &shape) {
  graph::Shape made;
  for (const Dim &dim : shape)
    made.push_back(toDim(context, dim));
  return made;
}

fe::Shape fe::fromShape(ArrayRef<tw::Dim> shape) {
  Shape made;
  for (const tw::Dim &dim : shape)
    made.push_back(fromDim(dim));
  return made;
}

static const format::ElementInfo &infoOf(DType dtype) { return *format::findElement(dtype); }

bool fe::isFloating(DType dtype) { return infoOf(dtype).kind == format::ElementKind::Float; }
bool fe::isInteger(DType dtype) {
  return infoOf(dtype).kind == format::ElementKind::Signed ||
         infoOf(dtype).kind == format::ElementKind::Unsigned;
}

std::optional<DType> fe::promote(DType a, DType b) {
  if (a == b)
    return a;
  const format::ElementInfo &x = infoOf(a), &y = infoOf(b);
  if (isFloating(a) != isFloating(b))
    return isFloating(a) ? a : b;
  if (isFloating(a)) {
    if (x.bits == y.bits)
      return x.bits < 32 ? f32 : std::optional<DType>();
    return x.bits > y.bits ? a : b;
  }
  if (a == boolean || b == boolean)
    return a == boolean ? b : a;
  if (x.kind == y.kind)
    return x.bits > y.bits ? a : b;
  unsigned sized = x.kind == format::ElementKind::Signed ? x.bits : y.bits;
  unsigned unsized = x.kind == format::ElementKind::Signed ? y.bits : x.bits;
  unsigned bits = std::max(sized, 2 * unsized);
  for (DType candidate : {i8, i16, i32, i64})
    if (infoOf(candidate).bits == bits)
      return candidate;
  return std::nullopt;
}
