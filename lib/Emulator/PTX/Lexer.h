// Tokens of PTX: words (with their dots: "add.s32", ".reg", "%tid.x"), numbers, punctuation.
#pragma once

#include <cstdint>
#include <string_view>

namespace tw::emulator::ptx {

struct Token {
  enum Kind : uint8_t { End, Word, Number, Float32, Float64, Punctuation, String, Bad } kind = End;
  std::string_view text;
  uint32_t line = 1;
  /// Numbers: the value; floats: their bits.
  uint64_t value = 0;

  bool is(char c) const { return kind == Punctuation && text[0] == c; }
  bool is(std::string_view word) const { return kind == Word && text == word; }
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}
  Token next();

private:
  void skipBlanks();
  Token number();
  std::string_view text;
  size_t at = 0;
  uint32_t line = 1;
};

} // namespace tw::emulator::ptx
