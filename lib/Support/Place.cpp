// Finds places and quotes them.
#include "tw/Support/Place.h"

#include "tw/Support/ReadFile.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tw;

Place tw::getPlace(Location location) {
  Place place;
  location->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part); name && place.node.empty())
      place.node = name.getName().str();
    if (auto file = dyn_cast<FileLineColLoc>(part); file && place.file.empty()) {
      place.file = file.getFilename().str();
      place.line = file.getLine();
      place.column = file.getColumn();
    }
    return WalkResult::advance();
  });
  return place;
}

std::string tw::quote(const Place &place, StringRef text) {
  constexpr unsigned widest = 120, before = 80;
  if (!place.line || !place.column || !place.node.empty())
    return "";
  for (unsigned line = 1; line < place.line; ++line) {
    size_t end = text.find('\n');
    if (end == StringRef::npos)
      return "";
    text = text.drop_front(end + 1);
  }
  text = text.take_front(text.find('\n')).rtrim('\r');
  size_t column = place.column - 1;
  if (column > text.size())
    return "";
  size_t start = text.size() > widest && column > before ? column - before : 0;
  std::string shown, caret;
  for (char c : text.substr(start, widest))
    shown += c == '\t' || !llvm::isASCII(c) || llvm::isPrint(c) ? c : '?';
  for (char c : text.slice(start, column))
    caret += c == '\t' ? "\t" : (c & 0xc0) == 0x80 ? "" : " "; // one for each character of UTF-8
  return shown + "\n" + caret + "^\n";
}

std::string tw::quoteFile(const Place &place) {
  if (!place.line || place.file.empty() || place.file == "-")
    return "";
  auto text = mapFile(place.file);
  if (!text) {
    llvm::consumeError(text.takeError());
    return "";
  }
  return quote(place, (*text)->getBuffer());
}
