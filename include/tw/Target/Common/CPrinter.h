// Prints kernels in thread form as text of a C-like language, which a table describes.
//
// One printer serves every such language: it knows the operations, the table knows the words. What
// the printer assumes of a language: structured loops and branches, `const` names, mutable
// variables, infix operators with C's precedences, unsigned integers that wrap, and literals that
// take the type of the other operand.
//
// Integers are unsigned in the text, as wrapping is what arith means; an operation that reads them
// as signed says so with a conversion. `index` has 64 bits.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace tw::cprinter {

/// How tightly an expression binds, as in C.
enum class Precedence : uint8_t {
  Conditional,
  Or,
  And,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relation,
  Shift,
  Sum,
  Product,
  Prefix,
  Primary
};

/// Text with what is needed to put it into a larger expression.
struct Expression {
  std::string text;
  Precedence precedence = Precedence::Primary;
};

enum class Form : uint8_t {
  Infix,
  Prefix,
  Call,
  /// A call of a function that the printer defines in front of the kernels, from `definition`.
  Helper
};

/// How a language writes one operation.
struct Operator {
  /// The operation's name: "arith.addi".
  llvm::StringLiteral operation;
  /// The operator or function. Of a helper, {0} is the type of the operands.
  llvm::StringLiteral word;
  Form form = Form::Infix;
  /// Of Infix and Prefix.
  Precedence precedence = Precedence::Primary;
  /// The operands are read as signed integers.
  bool isSigned = false;
  /// Of a helper: the function's text. {0} is the type, {1} the unsigned integer type as wide.
  llvm::StringLiteral definition = "";
};

/// How memory is reached.
struct Access {
  /// Name of the buffer and text of the index, an expression of any precedence.
  llvm::StringRef buffer, index;
  /// The element or vector type.
  mlir::Type type;
  bool isLocal;
  /// Nothing stores to the buffer.
  bool isConstant;
  /// Of a vector: its address is a multiple of its size.
  bool isAligned;
};

/// A buffer of a kernel's signature or of its group.
struct Buffer {
  std::string name;
  mlir::MemRefType type;
  /// Some operation stores to it.
  bool isWritten;
  /// Accessed as vectors, the widest of this many bytes; 0 if none.
  unsigned vectorBytes;
};

/// What a kernel's head says.
struct Signature {
  std::string symbol;
  /// Threads of a group; 0: a launch may choose.
  int64_t groupSize;
  llvm::ArrayRef<Buffer> buffers;
  llvm::ArrayRef<std::string> scalars;
};

/// A number of the program that its body reads: a name, and the expression that gives it.
using ProgramId = std::pair<std::string, std::string>;

/// A language.
struct Language {
  /// For messages: "OpenCL C".
  llvm::StringLiteral name;
  /// What begins a line comment.
  llvm::StringLiteral comment;
  /// Operations with a word of their own.
  llvm::ArrayRef<Operator> operators;
  /// Words that no variable may have as a name.
  llvm::ArrayRef<llvm::StringLiteral> keywords;

  /// A conversion of value {1} to type {0}, and how it binds.
  llvm::StringLiteral conversion;
  Precedence conversionPrecedence;
  /// The same of a vector, to one of as many elements.
  llvm::StringLiteral vectorConversion = "";
  /// Value {1} as the bits of type {0}.
  llvm::StringLiteral bitcast;
  /// {0} ? {1} : {2}, and how it binds.
  llvm::StringLiteral select;
  Precedence selectPrecedence;
  /// Name {1} of type {0} for value {2}.
  llvm::StringLiteral constant;
  /// Mutable variable {1} of type {0} with initial value {2}.
  llvm::StringLiteral variable;
  /// Mutable variable {1} of type {0} without a value.
  llvm::StringLiteral declaration;
  /// What a loop without end begins with: "for (;;)".
  llvm::StringLiteral forever;
  llvm::StringLiteral threadId, groupId, groupCount, groupSize;
  /// {0} is the dimension: "x" is 0.
  llvm::StringLiteral localBarrier, fullBarrier;

  /// The type of a variable, an unsigned one of integers; empty if there is none.
  std::string (*spellType)(mlir::Type type);
  /// The signed type as wide as an integer type.
  std::string (*spellSigned)(mlir::Type type);
  /// A literal that has exactly this type and value without any context. Integers are signed if
  /// `isSigned`.
  Expression (*spellLiteral)(mlir::TypedAttr value, bool isSigned);
  /// The lines before the first kernel, of helpers as well.
  std::string (*spellPreamble)(bool usesF64);
  /// The kernel's head up to and with the opening brace, and the lines that make its buffers.
  std::string (*spellHead)(const Signature &signature);
  /// A kernel of one thread that waits for nobody: its body as a function, which the kernel calls;
  /// null: no other than all.
  std::string (*spellLone)(const Signature &signature, llvm::ArrayRef<Buffer> locals,
                           llvm::ArrayRef<ProgramId> ids, llvm::StringRef body) = nullptr;
  /// A declaration of memory of the group.
  std::string (*spellLocal)(const Buffer &buffer);
  /// A load or the left side of a store, as an expression.
  Expression (*spellAccess)(const Access &access);
  /// A whole statement that stores the text `value` as a vector; null if vectors cannot be
  /// accessed.
  std::string (*spellVectorStore)(const Access &access, llvm::StringRef value);
  /// Arithmetic and math act on vectors, element by element. Comparisons give vectors of signed
  /// integers as wide as what is compared, all bits of which are the truth value; the selection
  /// chooses by such. Truth values in variables are of 32 bits.
  bool computesWithVectors = false;
  /// A vector of these elements, and one of the elements of these vectors and scalars.
  std::string (*spellVector)(mlir::VectorType type, llvm::ArrayRef<std::string> elements);
  std::string (*joinVectors)(mlir::VectorType type, llvm::ArrayRef<std::string> parts);
  /// Element `position` of a vector, and the vector of several.
  std::string (*spellElement)(llvm::StringRef vector, int64_t position);
  std::string (*spellElements)(llvm::StringRef vector, llvm::ArrayRef<int64_t> positions);
  /// What tells whether all, or any, truth values of a vector hold: functions of one argument.
  llvm::StringLiteral all = "", any = "";
  /// A function of two vectors that joins parts of them, as joinVectors has it of `a` and `b`.
  std::string (*defineJoin)(llvm::StringRef name, mlir::VectorType type, mlir::Type a, mlir::Type b,
                            llvm::StringRef joined) = nullptr;
  /// A function that accesses those elements of a vector that a mask lets through, and its name. Of
  /// a load the arguments are the buffer, the index, the number of indices at which a whole vector
  /// lies in the buffer, the mask and what there is elsewhere; of a store the buffer, the index,
  /// the mask and the vector.
  std::string (*nameMasked)(mlir::VectorType type, bool isLocal, bool isStore) = nullptr;
  std::string (*defineMasked)(mlir::VectorType type, bool isLocal, bool isStore) = nullptr;
  /// The name that a kernel has in the text.
  std::string (*spellSymbol)(llvm::StringRef kernel);
};

/// The text of a module, and what it needs.
struct Source {
  std::string text;
  bool usesF64 = false;
};

/// Prints all kernels of `module`, in their order, as one text. An operation without a spelling is
/// an error at it (T0430).
mlir::FailureOr<Source> print(mlir::gpu::GPUModuleOp module, const Language &language);

} // namespace tw::cprinter
