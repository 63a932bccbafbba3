// What the front end's functions take beside values: element types, sizes, axes, places in the
// caller's source. No header of MLIR.
#pragma once

#include "tw/Format/Element.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace tw::fe {

/// Element types; numbered as in the module file and in twrt.h.
using DType = format::ElementType;
inline constexpr DType boolean = DType::Bool, i8 = DType::I8, i16 = DType::I16, i32 = DType::I32,
                       i64 = DType::I64, u8 = DType::U8, u16 = DType::U16, u32 = DType::U32,
                       u64 = DType::U64, f16 = DType::F16, bf16 = DType::BF16, f32 = DType::F32,
                       f64 = DType::F64;

/// The size of a dimension: a number, or affine in symbols that a call settles
/// (Function::symbol). A value.
class Dim {
public:
  Dim(int64_t size = 0) : constant(size) {}
  static Dim symbol(std::string_view name, int64_t factor = 1);
  /// What str() writes: "8", "P + S", "2 * S + 1". Nothing for other texts.
  static std::optional<Dim> parse(std::string_view text);

  bool isStatic() const { return terms.empty(); }
  int64_t getConstant() const { return constant; }
  /// The factor, not 0, of each symbol.
  const std::map<std::string, int64_t> &getTerms() const { return terms; }
  /// "2*S + 1"
  std::string str() const;

  friend Dim operator+(Dim a, const Dim &b) { return a.add(b, 1); }
  friend Dim operator-(Dim a, const Dim &b) { return a.add(b, -1); }
  friend Dim operator*(const Dim &a, int64_t factor) { return Dim().add(a, factor); }
  friend bool operator==(const Dim &a, const Dim &b) {
    return a.constant == b.constant && a.terms == b.terms;
  }

private:
  Dim &add(const Dim &other, int64_t factor);

  int64_t constant;
  std::map<std::string, int64_t> terms;
};

using Shape = std::vector<Dim>;
/// A name among several, or a spec.
using Text = std::string_view;
/// "8x(S + 1)", "scalar" for rank 0.
std::string str(const Shape &shape);

/// Axes, strides and the like: a list of integers, one integer, or none, which means what the
/// function says of it.
class Ints {
public:
  Ints() = default;
  Ints(int64_t one) : list({one}), kind(Kind::One) {}
  Ints(int one) : Ints(int64_t(one)) {}
  Ints(std::initializer_list<int64_t> list) : list(list), kind(Kind::List) {}
  Ints(std::vector<int64_t> list) : list(std::move(list)), kind(Kind::List) {}

  bool isNone() const { return kind == Kind::None; }
  bool isOne() const { return kind == Kind::One; }
  const std::vector<int64_t> &get() const { return list; }

private:
  enum class Kind { None, One, List };
  std::vector<int64_t> list;
  Kind kind = Kind::None;
};

/// A place in the source of whoever builds; the file's name is copied when it is used.
struct Where {
  Where() = default;
  Where(const std::source_location &at)
      : file(at.file_name()), line(at.line()), column(at.column()) {}
  Where(const char *file, unsigned line, unsigned column)
      : file(file), line(line), column(column) {}

  const char *file = "";
  unsigned line = 0, column = 0;
};

/// An error, or a warning, as data. The strings that do not apply are empty.
struct Error {
  std::string code; ///< "T0208"
  std::string message;
  std::string remedy; ///< what the code means and what to change
  std::string file;
  unsigned line = 0, column = 0;
  bool isWarning = false;

  /// "model.cpp:9:17: error: matmul: ... [T0207]"
  std::string str() const;
};

} // namespace tw::fe
