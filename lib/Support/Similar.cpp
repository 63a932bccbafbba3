// The nearest name by edit distance.
#include "tw/Support/Similar.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

StringRef tw::findSimilar(StringRef name, ArrayRef<StringRef> known) {
  StringRef best;
  unsigned least = std::max<size_t>(1, name.size() / 3) + 1;
  for (StringRef candidate : known) {
    unsigned distance = name.edit_distance_insensitive(candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string tw::listKnown(StringRef name, ArrayRef<StringRef> known) {
  StringRef similar = findSimilar(name, known);
  std::string text;
  if (!similar.empty())
    text = ("; did you mean '" + similar + "'? Known are ").str();
  else
    text = ", known are ";
  return text + join(known, ", ");
}
