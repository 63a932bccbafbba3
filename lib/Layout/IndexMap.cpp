// Index maps: evaluation and text.
#include "tw/Layout/IndexMap.h"

using namespace tw::layout;

bool IndexMap::isIdentity() const {
  if (!guards.empty() || resultExtents != sourceExtents)
    return false;
  for (size_t i = 0; i < exprs.size(); ++i)
    if (!exprs[i].isDim(i) && !(sourceExtents[i] == 1 && exprs[i].isConstant(0)))
      return false;
  return true;
}

static bool holds(const Guard &guard, std::span<const int64_t> coordinates) {
  for (const Constraint &constraint : guard.constraints) {
    int64_t value = constraint.expr.evaluate(coordinates);
    if (constraint.equality ? value != 0 : value < 0)
      return false;
  }
  return true;
}

Element IndexMap::evaluate(std::span<const int64_t> coordinates) const {
  for (const Guard &guard : guards)
    if (!holds(guard, coordinates))
      return {true, guard.fill, {}};
  Element element;
  for (size_t i = 0; i < exprs.size(); ++i) {
    element.source.push_back(exprs[i].evaluate(coordinates));
    if (element.source[i] < 0 || element.source[i] >= sourceExtents[i])
      return {true, outside, {}};
  }
  return element;
}

std::string tw::layout::toString(const IndexMap &map) {
  std::string text = "(";
  for (size_t i = 0; i < map.exprs.size(); ++i)
    text += (i ? ", " : "") + toString(map.exprs[i]);
  text += ")";
  for (const Guard &guard : map.guards) {
    text += " if ";
    for (size_t i = 0; i < guard.constraints.size(); ++i)
      text += (i ? ", " : "") + toString(guard.constraints[i].expr) +
              (guard.constraints[i].equality ? " == 0" : " >= 0");
    text += " else #" + std::to_string(guard.fill);
  }
  return map.outside ? text + " outside #" + std::to_string(map.outside) : text;
}
