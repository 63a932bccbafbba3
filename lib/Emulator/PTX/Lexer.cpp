// The tokens of a PTX text.
#include "Lexer.h"

#include <cctype>
#include <cstdlib>
#include <string>

using namespace tw::emulator::ptx;

static bool startsWord(char c) {
  return isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}

static bool continuesWord(char c) {
  return startsWord(c) || isdigit(static_cast<unsigned char>(c));
}

void Lexer::skipBlanks() {
  while (at < text.size()) {
    char c = text[at];
    if (c == '\n')
      ++line;
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      size_t end = std::min(text.find("*/", at), text.size() - 2) + 2;
      for (; at < end; ++at)
        line += text[at] == '\n';
    } else if (isspace(static_cast<unsigned char>(c))) {
      ++at;
    } else {
      break;
    }
  }
}

Token Lexer::number() {
  Token token{Token::Number, {}, line};
  size_t begin = at;
  while (at < text.size() && isalnum(static_cast<unsigned char>(text[at])))
    ++at;
  token.text = text.substr(begin, at - begin);
  std::string digits(token.text);
  char *end = nullptr;
  if (digits.size() == 10 && digits[0] == '0' && (digits[1] == 'f' || digits[1] == 'F')) {
    token.kind = Token::Float32;
    token.value = strtoull(digits.c_str() + 2, &end, 16);
  } else if (digits.size() == 18 && digits[0] == '0' && (digits[1] == 'd' || digits[1] == 'D')) {
    token.kind = Token::Float64;
    token.value = strtoull(digits.c_str() + 2, &end, 16);
  } else {
    token.value = strtoull(digits.c_str(), &end, 0);
    if (*end == 'U' && end[1] == 0)
      ++end;
  }
  if (*end)
    token.kind = Token::Bad;
  return token;
}

Token Lexer::next() {
  skipBlanks();
  if (at >= text.size() || text[at] == 0)
    return {Token::End, "the end of the text", line};
  size_t begin = at;
  char c = text[at];
  if (isdigit(static_cast<unsigned char>(c)))
    return number();
  Token token{Token::Punctuation, {}, line};
  if (startsWord(c)) {
    token.kind = Token::Word;
    while (at < text.size() && (continuesWord(text[at]) || text.substr(at, 2) == "::"))
      at += text[at] == ':' ? 2 : 1;
  } else if (c == '"') {
    token.kind = Token::String;
    size_t end = text.find('"', at + 1);
    at = end == text.npos ? text.size() : end + 1;
  } else {
    ++at;
  }
  token.text = text.substr(begin, at - begin);
  return token;
}
