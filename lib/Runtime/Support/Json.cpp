// Writes JSON to any sink.
#include "Json.h"

#include <charconv>
#include <cmath>
#include <cstdio>

using namespace tw::support;

void JsonWriter::separate() {
  if (afterKey) {
    afterKey = false;
    return;
  }
  if (filled & (uint64_t(1) << depth))
    sink(user, ",");
  filled |= uint64_t(1) << depth;
}

void JsonWriter::open(char bracket) {
  separate();
  sink(user, {&bracket, 1});
  ++depth;
  filled &= ~(uint64_t(1) << depth);
}

void JsonWriter::close(char bracket) {
  --depth;
  sink(user, {&bracket, 1});
}

void JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  sink(user, ":");
  afterKey = true;
}

/// Length of the UTF-8 sequence at the start of `text`, 0 if it is none.
static size_t sequenceLength(std::string_view text) {
  auto byte = [&](size_t i) { return uint8_t(text[i]); };
  auto follows = [&](size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  if (byte(0) < 0x80)
    return 1;
  if (byte(0) >= 0xc2 && byte(0) <= 0xdf)
    return follows(1) ? 2 : 0;
  if (byte(0) >= 0xe0 && byte(0) <= 0xef) {
    if (!follows(1) || !follows(2) || (byte(0) == 0xe0 && byte(1) < 0xa0) ||
        (byte(0) == 0xed && byte(1) > 0x9f))
      return 0;
    return 3;
  }
  if (byte(0) >= 0xf0 && byte(0) <= 0xf4) {
    if (!follows(1) || !follows(2) || !follows(3) || (byte(0) == 0xf0 && byte(1) < 0x90) ||
        (byte(0) == 0xf4 && byte(1) > 0x8f))
      return 0;
    return 4;
  }
  return 0;
}

void JsonWriter::quote(std::string_view text) {
  sink(user, "\"");
  while (!text.empty()) {
    char c = text[0];
    size_t length = sequenceLength(text);
    if (length == 0) {
      sink(user, "\\ufffd");
      length = 1;
    } else if (c == '"' || c == '\\') {
      char escaped[2] = {'\\', c};
      sink(user, {escaped, 2});
    } else if (uint8_t(c) < 0x20) {
      char escaped[8];
      snprintf(escaped, sizeof(escaped), "\\u%04x", unsigned(c));
      sink(user, escaped);
    } else {
      sink(user, text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  sink(user, "\"");
}

void JsonWriter::value(std::string_view text) {
  separate();
  quote(text);
}

void JsonWriter::value(bool flag) {
  separate();
  sink(user, flag ? "true" : "false");
}

template <typename T> static void writeNumber(JsonWriter::Sink sink, void *user, T number) {
  char digits[40];
  auto end = std::to_chars(digits, digits + sizeof(digits), number);
  sink(user, {digits, size_t(end.ptr - digits)});
}

void JsonWriter::value(int64_t number) {
  separate();
  writeNumber(sink, user, number);
}

void JsonWriter::value(uint64_t number) {
  separate();
  writeNumber(sink, user, number);
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number))
    return null();
  separate();
  writeNumber(sink, user, number);
}

void JsonWriter::null() {
  separate();
  sink(user, "null");
}
