// The words of OpenCL C.
#include "tw/Target/OpenCL/Language.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tw::cprinter;

namespace {

using P = Precedence;

constexpr Operator infix(llvm::StringLiteral operation, llvm::StringLiteral word, P precedence,
                         bool isSigned = false) {
  return {operation, word, Form::Infix, precedence, isSigned};
}

constexpr Operator call(llvm::StringLiteral operation, llvm::StringLiteral word,
                        bool isSigned = false) {
  return {operation, word, Form::Call, P::Primary, isSigned};
}

constexpr Operator helper(llvm::StringLiteral operation, llvm::StringLiteral word,
                          llvm::StringLiteral definition, bool isSigned = false) {
  return {operation, word, Form::Helper, P::Primary, isSigned, definition};
}

constexpr Operator operators[] = {
    infix("arith.addi", "+", P::Sum),
    infix("arith.subi", "-", P::Sum),
    infix("arith.muli", "*", P::Product),
    infix("arith.divui", "/", P::Product),
    infix("arith.divsi", "/", P::Product, true),
    infix("arith.remui", "%", P::Product),
    infix("arith.remsi", "%", P::Product, true),
    infix("arith.andi", "&", P::BitAnd),
    infix("arith.ori", "|", P::BitOr),
    infix("arith.xori", "^", P::BitXor),
    infix("arith.shli", "<<", P::Shift),
    infix("arith.shrui", ">>", P::Shift),
    infix("arith.shrsi", ">>", P::Shift, true),
    call("arith.minui", "min"),
    call("arith.maxui", "max"),
    call("arith.minsi", "min", true),
    call("arith.maxsi", "max", true),
    infix("arith.addf", "+", P::Sum),
    infix("arith.subf", "-", P::Sum),
    infix("arith.mulf", "*", P::Product),
    infix("arith.divf", "/", P::Product),
    {"arith.negf", "-", Form::Prefix, P::Prefix},
    call("arith.minnumf", "fmin"),
    call("arith.maxnumf", "fmax"),
    helper("arith.maximumf", "maximum_{0}",
           "// The larger of two numbers, +0 above -0; NaN if one is NaN.\n"
           "{0} maximum_{0}({0} a, {0} b) {{\n"
           "  return a > b ? a : a < b ? b : a == b ? as_{0}(as_{1}(a) & as_{1}(b)) : a + b;\n"
           "}",
           false),
    helper("arith.minimumf", "minimum_{0}",
           "// The smaller of two numbers, -0 below +0; NaN if one is NaN.\n"
           "{0} minimum_{0}({0} a, {0} b) {{\n"
           "  return a < b ? a : a > b ? b : a == b ? as_{0}(as_{1}(a) | as_{1}(b)) : a + b;\n"
           "}"),
    helper("arith.floordivsi", "floordiv_{0}",
           "// The quotient rounded down.\n"
           "{0} floordiv_{0}({0} a, {0} b) {{\n"
           "  return a / b - (a % b != 0 && (a < 0) != (b < 0));\n"
           "}",
           true),
    helper("arith.ceildivsi", "ceildiv_{0}",
           "// The quotient rounded up.\n"
           "{0} ceildiv_{0}({0} a, {0} b) {{\n"
           "  return a / b + (a % b != 0 && (a < 0) == (b < 0));\n"
           "}",
           true),
    helper("arith.ceildivui", "ceildiv_{0}",
           "// The quotient rounded up.\n"
           "{0} ceildiv_{0}({0} a, {0} b) {{\n"
           "  return a / b + (a % b != 0);\n"
           "}"),
    call("math.fma", "fma"),
    call("math.exp2", "native_exp2"), // with `afn`; others are expanded
    call("math.log2", "native_log2"),
    call("math.sqrt", "sqrt"),
    call("math.floor", "floor"),
    call("math.ceil", "ceil"),
    call("math.trunc", "trunc"),
    call("math.roundeven", "rint"),
    call("math.absf", "fabs"),
    call("math.copysign", "copysign"),
    call("math.isnan", "isnan"),
    call("math.isinf", "isinf"),
    call("math.isfinite", "isfinite"),
    call("math.isnormal", "isnormal"),
    call("math.absi", "abs", true),
    call("math.ctpop", "popcount"),
    call("math.ctlz", "clz"),
    helper("math.cttz", "trailing_zeros_{0}",
           "// The number of zero bits below the lowest one.\n"
           "{0} trailing_zeros_{0}({0} a) {{\n"
           "  return popcount(({0})(~a & (a - 1)));\n"
           "}"),
};

constexpr llvm::StringLiteral keywords[] = {
    // What the printer itself begins names with and what C reserves among the short words that a
    // source may use as names.
    "auto",           "bool",       "break",     "case",         "char",         "const",
    "constant",       "continue",   "default",   "do",           "double",       "else",
    "enum",           "extern",     "float",     "for",          "generic",      "global",
    "goto",           "half",       "if",        "image1d_t",    "inline",       "int",
    "kernel",         "local",      "long",      "pipe",         "private",      "quad",
    "read_only",      "read_write", "register",  "restrict",     "return",       "sampler_t",
    "short",          "signed",     "size_t",    "sizeof",       "static",       "struct",
    "switch",         "typedef",    "uchar",     "uint",         "ulong",        "uniform",
    "union",          "unsigned",   "ushort",    "void",         "volatile",     "while",
    "write_only",     "complex",    "imaginary", "event_t",      "queue_t",      "true",
    "false",          "min",        "max",       "get_local_id", "get_group_id", "get_num_groups",
    "get_local_size", "barrier"};

unsigned getWidth(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

std::string spellScalar(Type type, bool isSigned) {
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isInteger(1))
    return "bool";
  if (!type.isIndex() && !type.isSignlessInteger())
    return "";
  switch (getWidth(type)) {
  case 8:
    return isSigned ? "char" : "uchar";
  case 16:
    return isSigned ? "short" : "ushort";
  case 32:
    return isSigned ? "int" : "uint";
  case 64:
    return isSigned ? "long" : "ulong";
  default:
    return "";
  }
}

std::string spell(Type type, bool isSigned) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return spellScalar(type, isSigned);
  int64_t lanes = vector.getRank() == 1 && !vector.isScalable() ? vector.getNumElements() : 0;
  // Truth values are what comparisons of 32-bit elements give.
  bool isMask = vector.getElementType().isInteger(1);
  std::string element = isMask ? "int" : spellScalar(vector.getElementType(), isSigned);
  bool hasVectors = llvm::is_contained({2, 4, 8, 16}, lanes) && !element.empty();
  return hasVectors ? element + std::to_string(lanes) : "";
}

std::string spellType(Type type) { return spell(type, false); }

std::string spellSigned(Type type) { return spell(type, true); }

Expression spellInteger(Type type, const APInt &bits, bool isSigned) {
  unsigned width = getWidth(type);
  bool isNegative = isSigned && bits.isNegative();
  if (isNegative && bits.isMinSignedValue())
    return {llvm::formatv("({0})0x{1}", spellScalar(type, true),
                          llvm::toString(bits, 16, false, false, false))
                .str(),
            P::Prefix};
  bool isMask = !isSigned && bits.getActiveBits() > 31;
  std::string digits = isMask ? "0x" + StringRef(llvm::toString(bits, 16, false)).lower()
                              : llvm::toString(bits, 10, isNegative);
  if (width < 32)
    return {"(" + spellScalar(type, isSigned) + ")" + digits, P::Prefix};
  return {digits + (isSigned ? "" : "U") + (width == 64 ? "L" : ""),
          isNegative ? P::Prefix : P::Primary};
}

/// Decimal where that is the very value, else hexadecimal; what no literal can say by its bits.
Expression spellFloat(Type type, const APFloat &value) {
  bool isDouble = type.isF64();
  if (!value.isFinite()) {
    std::string bits = "0x" + StringRef(llvm::toString(value.bitcastToAPInt(), 16, false)).lower();
    return {isDouble ? "as_double(" + bits + "UL)" : "as_float(" + bits + "U)"};
  }
  P precedence = value.isNegative() ? P::Prefix : P::Primary;
  SmallString<32> decimal;
  value.toString(decimal, 7, 3, /*TruncateZero=*/true);
  APFloat read(value.getSemantics());
  auto status = read.convertFromString(decimal, APFloat::rmNearestTiesToEven);
  bool isExact = status && *status == APFloat::opOK && read.bitwiseIsEqual(value);
  if (!status)
    consumeError(status.takeError());
  std::string text;
  if (isExact && decimal.size() <= 10) {
    text = decimal.str().str();
    if (text.find_first_of(".eE") == std::string::npos)
      text += ".0";
  } else {
    char digits[64];
    unsigned length =
        value.convertToHexString(digits, 0, /*upperCase=*/false, APFloat::rmNearestTiesToEven);
    text.assign(digits, length);
  }
  return {text + (isDouble ? "" : "f"), precedence};
}

Expression spellLiteral(TypedAttr value, bool isSigned) {
  Type type = value.getType();
  if (auto number = dyn_cast<FloatAttr>(value))
    return spellFloat(type, number.getValue());
  APInt bits = cast<IntegerAttr>(value).getValue();
  if (type.isInteger(1))
    return {bits.isZero() ? "false" : "true"};
  return spellInteger(type, bits, isSigned);
}

std::string spellPreamble(bool usesF64) {
  return std::string("// Kernels of Tensorwright in OpenCL C.\n"
                     "#pragma OPENCL FP_CONTRACT OFF\n") +
         (usesF64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "");
}

std::string spellPointer(const Buffer &buffer, StringRef space) {
  return (space + (buffer.isWritten ? " " : " const ") + spellType(buffer.type.getElementType()) +
          " *")
      .str();
}

std::string spellHead(const Signature &signature) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "__kernel";
  if (signature.groupSize != 0)
    os << " __attribute__((reqd_work_group_size(" << signature.groupSize << ", 1, 1)))";
  os << "\nvoid " << signature.symbol << "(";
  const char *separator = "";
  for (const Buffer &buffer : signature.buffers) {
    os << separator << "__global uchar *" << buffer.name << "_memory, ulong " << buffer.name
       << "_offset";
    separator = ",\n    ";
  }
  for (const std::string &scalar : signature.scalars) {
    os << separator << "long " << scalar << "_value";
    separator = ", ";
  }
  os << ") {\n";
  for (const Buffer &buffer : signature.buffers) {
    std::string pointer = spellPointer(buffer, "__global");
    os << "  " << pointer << "restrict " << buffer.name << " = (" << pointer << ")(" << buffer.name
       << "_memory + " << buffer.name << "_offset);\n";
  }
  for (const std::string &scalar : signature.scalars)
    os << "  const ulong " << scalar << " = " << scalar << "_value;\n";
  return text;
}

std::string spellLocal(const Buffer &buffer) {
  std::string align =
      buffer.vectorBytes ? llvm::formatv(" __attribute__((aligned({0})))", buffer.vectorBytes).str()
                         : "";
  return llvm::formatv("__local {0} {1}[{2}]{3};", spellType(buffer.type.getElementType()),
                       buffer.name, buffer.type.getDimSize(0), align)
      .str();
}

/// PoCL makes code of a kernel three times, for launches of several kinds, and once of a function
/// that is not inlined.
std::string spellLone(const Signature &signature, ArrayRef<Buffer> locals, ArrayRef<ProgramId> ids,
                      StringRef body) {
  SmallVector<std::string> parameters, arguments;
  auto add = [&](const std::string &type, const std::string &name, const std::string &value) {
    parameters.push_back(type + name);
    arguments.push_back(value);
  };
  for (const auto &[name, value] : ids)
    add("const ulong ", name, value);
  for (const Buffer &buffer : signature.buffers)
    add(spellPointer(buffer, "__global") + "restrict ", buffer.name, buffer.name);
  for (const Buffer &buffer : locals)
    add("__local " + spellType(buffer.type.getElementType()) + " *restrict ", buffer.name,
        buffer.name);
  for (const std::string &scalar : signature.scalars)
    add("const ulong ", scalar, scalar);
  std::string text, function = signature.symbol + "_program";
  llvm::raw_string_ostream os(text);
  os << "__attribute__((noinline)) void " << function << "(" << llvm::join(parameters, ",\n    ")
     << ") {\n"
     << body << "}\n"
     << spellHead(signature);
  for (const Buffer &buffer : locals)
    os << "  " << spellLocal(buffer) << "\n";
  os << "  " << function << "(" << llvm::join(arguments, ", ") << ");\n}\n";
  return text;
}

std::string spellAddress(const Access &access) {
  return (access.buffer + " + " + access.index).str();
}

std::string spellAligned(const Access &access) {
  return llvm::formatv("*({0} {1}{2} *)({3})", access.isLocal ? "__local" : "__global",
                       access.isConstant ? "const " : "", spellType(access.type),
                       spellAddress(access))
      .str();
}

Expression spellAccess(const Access &access) {
  auto vector = dyn_cast<VectorType>(access.type);
  if (!vector)
    return {(access.buffer + "[" + access.index + "]").str()};
  if (access.isAligned)
    return {spellAligned(access), P::Prefix};
  return {llvm::formatv("vload{0}(0, {1})", vector.getNumElements(), spellAddress(access)).str()};
}

std::string spellVectorStore(const Access &access, StringRef value) {
  if (access.isAligned)
    return (spellAligned(access) + " = " + value + ";").str();
  return llvm::formatv("vstore{0}({1}, 0, {2});", cast<VectorType>(access.type).getNumElements(),
                       value, spellAddress(access))
      .str();
}

std::string spellVector(VectorType type, ArrayRef<std::string> elements) {
  if (llvm::all_equal(elements))
    elements = elements.take_front();
  return "((" + spellType(type) + ")(" + llvm::join(elements, ", ") + "))";
}

std::string spellElement(StringRef vector, int64_t position) {
  return (vector + ".s" + llvm::utohexstr(position, /*LowerCase=*/true)).str();
}

std::string joinVectors(VectorType type, ArrayRef<std::string> parts) {
  return "((" + spellType(type) + ")(" + llvm::join(parts, ", ") + "))";
}

std::string spellElements(StringRef vector, ArrayRef<int64_t> positions) {
  std::string text = (vector + ".s").str();
  for (int64_t position : positions)
    text += llvm::utohexstr(position, /*LowerCase=*/true);
  return text;
}

std::string nameMasked(VectorType type, bool isLocal, bool isStore) {
  return (isStore ? "store_" : "load_") + spellType(type) + (isLocal ? "_local" : "_global");
}

std::string defineJoin(StringRef name, VectorType type, Type a, Type b, StringRef joined) {
  return llvm::formatv("{0} {1}({2} a, {3} b) {{\n  return {4};\n}", spellType(type), name,
                       spellType(a), spellType(b), joined)
      .str();
}

/// A load reads a whole vector where there is one, which is where it is fast; a store writes one
/// where all of it is wanted. All else is a call: it is rare, and many branches wherever it is.
std::string defineMasked(VectorType type, bool isLocal, bool isStore) {
  int64_t lanes = type.getNumElements();
  unsigned width = getWidth(type.getElementType());
  std::string name = nameMasked(type, isLocal, isStore), vector = spellType(type);
  std::string mask = "int" + std::to_string(lanes), count = std::to_string(lanes);
  std::string memory = (isLocal ? "__local " : "__global ") + std::string(isStore ? "" : "const ") +
                       spellScalar(type.getElementType(), false) + " *p, ulong i, ";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (isStore ? "// Stores the elements for which `inside` holds.\n"
                 : "// The elements for which `inside` holds, elsewhere those of `other`.\n")
     << "__attribute__((noinline)) " << (isStore ? "void" : vector) << " " << name << "_rest("
     << memory << mask << " inside, " << vector << " other) {\n";
  if (!isStore)
    os << "  if (all(inside))\n    return vload" << count << "(0, p + i);\n";
  for (int64_t lane = 0; lane < lanes; ++lane) {
    std::string element = spellElement("other", lane), at = "p[i + " + std::to_string(lane) + "]";
    os << "  if (" << spellElement("inside", lane) << ")\n    "
       << (isStore ? at + " = " + element : element + " = " + at) << ";\n";
  }
  if (isStore) {
    os << "}\nvoid " << name << "(" << memory << mask << " inside, " << vector << " x) {\n"
       << "  if (all(inside))\n    vstore" << count << "(x, 0, p + i);\n  else\n    " << name
       << "_rest(p, i, inside, x);\n}";
    return text;
  }
  std::string wide = spellSigned(type.clone(IntegerType::get(type.getContext(), width)));
  std::string chooses = width == 32 ? "inside" : "convert_" + wide + "(inside)";
  os << "  return other;\n}\n// The vectors at the first `whole` indices lie in the buffer.\n"
     << vector << " " << name << "(" << memory << "ulong whole, " << mask << " inside, " << vector
     << " other) {\n  if (i < whole)\n    return " << chooses << " ? vload" << count
     << "(0, p + i) : other;\n  return " << name << "_rest(p, i, inside, other);\n}";
  return text;
}

} // namespace

std::string tw::opencl::getSymbol(StringRef kernel) {
  std::string symbol = "k_";
  for (char c : kernel)
    symbol += llvm::isAlnum(c) || c == '_' ? c : '_';
  return symbol;
}

const Language &tw::opencl::getLanguage() {
  static constexpr Language language{
      .name = "OpenCL C",
      .comment = "//",
      .operators = operators,
      .keywords = keywords,
      .conversion = "({0}){1}",
      .conversionPrecedence = P::Prefix,
      .vectorConversion = "convert_{0}({1})",
      .bitcast = "as_{0}({1})",
      .select = "{0} ? {1} : {2}",
      .selectPrecedence = P::Conditional,
      .constant = "const {0} {1} = {2};",
      .variable = "{0} {1} = {2};",
      .declaration = "{0} {1};",
      .forever = "for (;;)",
      .threadId = "get_local_id({0})",
      .groupId = "get_group_id({0})",
      .groupCount = "get_num_groups({0})",
      .groupSize = "get_local_size({0})",
      .localBarrier = "barrier(CLK_LOCAL_MEM_FENCE);",
      .fullBarrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
      .spellType = spellType,
      .spellSigned = spellSigned,
      .spellLiteral = spellLiteral,
      .spellPreamble = spellPreamble,
      .spellHead = spellHead,
      .spellLone = spellLone,
      .spellLocal = spellLocal,
      .spellAccess = spellAccess,
      .spellVectorStore = spellVectorStore,
      .computesWithVectors = true,
      .spellVector = spellVector,
      .joinVectors = joinVectors,
      .spellElement = spellElement,
      .spellElements = spellElements,
      .all = "all",
      .any = "any",
      .defineJoin = defineJoin,
      .nameMasked = nameMasked,
      .defineMasked = defineMasked,
      .spellSymbol = getSymbol,
  };
  return language;
}
