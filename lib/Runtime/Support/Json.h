// Writes JSON to any sink. No LLVM, no allocation of its own.
#pragma once

#include <cstdint>
#include <string_view>

namespace tw::support {

/// One value after the other; commas, quotes and escapes are the writer's business. Bytes that are
/// not UTF-8 become U+FFFD; numbers that JSON cannot hold (NaN, infinities) become null. Nesting
/// is at most 64 deep.
class JsonWriter {
public:
  using Sink = void (*)(void *user, std::string_view piece);
  JsonWriter(Sink sink, void *user) : sink(sink), user(user) {}

  void beginObject() { open('{'); }
  void endObject() { close('}'); }
  void beginArray() { open('['); }
  void endArray() { close(']'); }
  /// Names the next value of an object.
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const char *text) { value(std::string_view(text)); }
  void value(bool flag);
  void value(int64_t number);
  void value(uint64_t number);
  void value(uint32_t number) { value(uint64_t(number)); }
  void value(int number) { value(int64_t(number)); }
  /// Shortest decimal that reads back as the same number.
  void value(double number);
  void null();

  template <typename T> void member(std::string_view name, T &&content) {
    key(name);
    value(content);
  }

private:
  void separate();
  void open(char bracket);
  void close(char bracket);
  void quote(std::string_view text);

  Sink sink;
  void *user;
  /// Bit d: level d has a value already.
  uint64_t filled = 0;
  unsigned depth = 0;
  bool afterKey = false;
};

} // namespace tw::support
