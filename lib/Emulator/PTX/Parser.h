// The parser of PTX: declarations and statements. What an instruction means is the decoder's.
#pragma once

#include "Instructions.h"
#include "Lexer.h"

#include <optional>

namespace tw::emulator::ptx {

/// A register, or a range of them: `.reg .b32 %r<8>;` declares %r0 to %r7.
struct Registers {
  /// 1 for predicates, else 16, 32, 64.
  uint32_t bits = 0;
  uint32_t first = 0, stride = 0;
  /// 0: one register, whose name has no number.
  uint32_t count = 0;
};

struct Symbol {
  enum Kind : uint8_t { Local, Dynamic, Parameter } kind = Local;
  uint64_t address = 0;
};

/// An operand as written.
struct Operand {
  enum Kind : uint8_t { Register, Immediate, Symbol, Label, Sink, List, Address } kind = Sink;
  Token token;
  Registers registers = {};
  uint32_t row = none;
  /// Immediates: the value; addresses: what is added.
  uint64_t value = 0;
  ptx::Symbol symbol = {};
  bool negated = false;
  std::vector<Operand> elements;
};

class Parser {
public:
  Parser(std::string_view text, const InstructionSet &set);
  /// NULL, with `error` set.
  std::unique_ptr<Program> run(std::string &error);

private:
  // Tokens and errors. After an error every token is the end.
  void advance();
  bool accept(char c);
  bool expect(char c, const char *what);
  bool fail(const Token &at, const char *format, ...) __attribute__((format(printf, 3, 4)));

  // Declarations.
  bool moduleDirective();
  bool entry();
  bool parameters();
  bool performance();
  bool registers();
  bool local(bool external);
  bool alignment(uint32_t &bytes);
  bool body();
  bool statement();
  bool resolveLabels();
  bool finishKernel();

  // Operands.
  std::optional<Operand> operand();
  bool address(Operand &result);
  bool named(Operand &result);
  const Registers *findRegisters(std::string_view name, uint32_t &row) const;
  const Symbol *findSymbol(std::string_view name) const;
  uint32_t specialRow(std::string_view name, uint32_t &bits);
  uint32_t addRow(uint32_t bytes);
  uint32_t constantRow(uint64_t value, uint32_t bits, bool dynamic = false);
  uint32_t parameterRow(uint32_t offset, uint32_t bytes);

  // Instructions (Decoder.cpp). `op` has its guard and line.
  bool instruction(Op op);
  bool decode(Op &op, std::string_view name, std::vector<Operand> &operands);
  bool lanewise(Op &op, std::string_view name, const Instruction &found,
                std::vector<Operand> &operands);
  bool take(const Operand &operand, char letter, bool result, std::string_view name);
  bool takeAddress(Op &op, const Operand &operand, int64_t &offset);
  bool countOperands(std::string_view name, const std::vector<Operand> &operands, size_t least,
                     size_t most);
  bool access(Op &op, std::string_view name, std::vector<Operand> &operands);
  bool loadParameter(Op &op, std::string_view name, std::vector<Operand> &operands);
  bool move(Op &op, std::string_view name, std::vector<Operand> &operands);
  bool branch(Op &op, std::vector<Operand> &operands);
  bool barrier(Op &op, std::string_view name, std::vector<Operand> &operands);
  bool exchange(Op &op, std::string_view name, std::vector<Operand> &operands);
  bool matrix(Op &op, std::string_view name, std::vector<Operand> &operands);
  bool asynchronous(Op &op, std::string_view name, std::vector<Operand> &operands);
  bool bulk(Op &op, std::string_view name, std::vector<Operand> &operands);
  bool mbarrier(Op &op, std::string_view name, std::vector<Operand> &operands);
  bool product(Op &op, std::string_view name, std::vector<Operand> &operands);
  bool atomic(Op &op, std::string_view name, std::vector<Operand> &operands);
  bool convertAddress(Op &op, std::string_view name, std::vector<Operand> &operands);

  const InstructionSet &set;
  Lexer lexer;
  Token token;
  /// The name of the instruction that is being decoded.
  Token instructionName;
  std::string message;
  std::unique_ptr<Program> program = std::make_unique<Program>();
  std::string_view sourceText;

  /// Names by scope; the module's comes first, then the kernel's, then nested ones.
  struct Scope {
    uint32_t number;
    std::map<std::string_view, Registers> registers;
    std::map<std::string_view, Symbol> symbols;
  };
  std::vector<Scope> scopes;
  uint32_t scopeCount = 0;
  struct Jump {
    uint32_t op;
    Token label;
    std::vector<uint32_t> scopes;
  };
  std::vector<Jump> jumps;
  std::map<std::pair<uint32_t, std::string_view>, uint32_t> labels;
  Kernel *kernel = nullptr;
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> constantRows;
  std::map<std::string_view, std::pair<uint32_t, uint32_t>> specialRows;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> parameterRows;
  /// Rows of the instruction that is being decoded, results first.
  std::vector<uint32_t> rows;
  /// Where each operation's rows begin, until they are all there.
  std::vector<uint32_t> firstRows;
};

} // namespace tw::emulator::ptx
