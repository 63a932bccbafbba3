// Counts levels, and looks at arrays, without parsing.
#include "tw/Support/Nesting.h"

#include "tw/Support/Diagnostics.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace {

constexpr StringLiteral opening = "{([<", closing = "})]>";

class Scanner {
public:
  explicit Scanner(StringRef text) : text(text) {}

  /// Where the first array is whose elements have no width.
  std::optional<size_t> badArray;

  /// The first offset that is too deep.
  std::optional<size_t> run() {
    while (at < text.size()) {
      size_t start = at;
      step();
      if (deepest > tw::maxNesting)
        return start;
    }
    return std::nullopt;
  }

private:
  struct Frame {
    char bracket;
    unsigned operators = 0;
  };

  void step() {
    size_t start = at;
    char c = text[at];
    char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (c == '"') {
      skipString();
    } else if (c == '/' && next == '/') {
      at = std::min(text.find('\n', at), text.size());
    } else if (StringRef("#!%@^").contains(c)) {
      ++at;
      StringRef name = takeWord("$._-");
      if (c == '#' || c == '!')
        meetAlias(c, name);
    } else if (isAlnum(c) || c == '_') {
      StringRef word = takeWord("_$.");
      if (word == "floordiv" || word == "ceildiv" || word == "mod")
        addOperator();
      if (word == "array" && !badArray && !hasWidth(text.substr(at)))
        badArray = start;
    } else if ((c == '-' && next == '>') || ((c == '<' || c == '>') && next == '=')) {
      at += 2;
    } else {
      ++at;
      if (opening.contains(c))
        open(c);
      else if (size_t kind = closing.find(c); kind != StringRef::npos)
        close(opening[kind]);
      else if (c == ',' && !frames.empty())
        depth -= std::exchange(frames.back().operators, 0);
      else if (c == '+' || c == '-' || c == '*')
        addOperator();
    }
  }

  /// Whether `<i32`, `<f8E4M3FN` or their like follow, or nothing that makes an array of the word.
  static bool hasWidth(StringRef rest) {
    rest = rest.ltrim();
    if (!rest.consume_front("<"))
      return true;
    rest = rest.ltrim();
    for (StringRef prefix : {"bf", "tf", "si", "ui", "f", "i"})
      if (rest.consume_front(prefix))
        return !rest.empty() && isDigit(rest.front());
    return false;
  }

  void skipString() {
    for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
      if (text[at] == '\\')
        ++at;
    at = std::min(at + 1, text.size());
  }

  StringRef takeWord(StringRef marks) {
    size_t start = at;
    while (at < text.size() && (isAlnum(text[at]) || marks.contains(text[at])))
      ++at;
    return text.slice(start, at);
  }

  void reach(unsigned levels) {
    deepest = std::max(deepest, levels);
    if (defined)
      *defined = std::max(*defined, levels);
  }

  void open(char bracket) {
    frames.push_back({bracket});
    reach(++depth);
  }

  /// What does not match was no bracket, such as `<` between two numbers.
  void close(char bracket) {
    if (none_of(frames, [&](const Frame &frame) { return frame.bracket == bracket; }))
      return;
    char last;
    do {
      Frame frame = frames.pop_back_val();
      depth -= 1 + frame.operators;
      last = frame.bracket;
    } while (last != bracket);
  }

  /// Expressions stand in brackets; in a region, signs belong to numbers of different ops.
  void addOperator() {
    if (frames.empty() || frames.back().bracket == '{')
      return;
    ++frames.back().operators;
    reach(++depth);
  }

  void meetAlias(char kind, StringRef name) {
    unsigned &levels = aliases[(Twine(kind) + name).str()];
    if (frames.empty() && text.substr(at).ltrim().starts_with("=")) {
      levels = 0;
      defined = &levels;
    } else if (defined != &levels) {
      reach(depth + 1 + levels);
    }
  }

  StringRef text;
  size_t at = 0;
  unsigned depth = 0, deepest = 0;
  SmallVector<Frame> frames;
  StringMap<unsigned> aliases;
  /// The levels of the alias that was defined last, of which the text at hand may be.
  unsigned *defined = nullptr;
};

} // namespace

std::optional<size_t> tw::findDeepNesting(StringRef text) { return Scanner(text).run(); }

std::optional<size_t> tw::findBadArray(StringRef text) {
  Scanner scanner(text);
  scanner.run();
  return scanner.badArray;
}

mlir::LogicalResult tw::checkNesting(mlir::MLIRContext *context, StringRef text, StringRef path) {
  Scanner scanner(text);
  std::optional<size_t> deep = scanner.run(), place = deep ? deep : scanner.badArray;
  if (!place)
    return mlir::success();
  StringRef before = text.take_front(*place);
  unsigned line = before.count('\n') + 1, column = before.size() - before.rfind('\n');
  mlir::Location location = mlir::FileLineColLoc::get(context, path, line, column);
  if (deep)
    return emitError(location, Code::T0513)
           << "expected at most " << maxNesting << " levels of nesting, found more";
  return emitError(location, Code::T0514)
         << "expected an integer or a float type as element of an array";
}
