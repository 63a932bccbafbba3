// Classes of the primitives in one kernel.
#include "tw/Schedule/Exactness.h"

#include "tw/Schedule/AxisHistory.h"
#include "tw/Schedule/Primitive.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

StringRef tw::schedule::getName(Exactness exactness) {
  static constexpr llvm::StringLiteral names[] = {"exact", "reassociating", "approximate"};
  return names[unsigned(exactness)];
}

SmallVector<Exactness> tw::schedule::classify(KernelOp kernel, ScheduleAttr schedule) {
  AxisHistory axes(kernel);
  SmallVector<Exactness> classes;
  for (Attribute primitive : schedule.getPrimitives())
    classes.push_back(getPrimitive(primitive).classify(primitive, axes));
  for (auto [primitive, exactness] : llvm::zip(schedule.getPrimitives(), classes))
    exactness = std::max(exactness, getPrimitive(primitive).classifyAtEnd(primitive, axes, kernel));
  return classes;
}

std::string tw::schedule::getPrimitiveText(Attribute primitive) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << ScheduleAttr::get(primitive.getContext(), primitive);
  // #tkernel.schedule<[grid [m]]>
  StringRef inner = text;
  inner = inner.drop_front(inner.find('[') + 1);
  return inner.take_front(inner.rfind(']')).str();
}

bool tw::schedule::isExact(KernelOp kernel, ScheduleAttr schedule, std::string &why) {
  SmallVector<Exactness> classes = classify(kernel, schedule);
  for (auto [primitive, exactness] : llvm::zip(schedule.getPrimitives(), classes)) {
    if (exactness == Exactness::Exact)
      continue;
    why = "'" + getPrimitiveText(primitive) + "' is " + getName(exactness).str();
    if (StringRef advice = getPrimitive(primitive).getExactAdvice(); !advice.empty())
      why += ": " + advice.str();
    return false;
  }
  return true;
}
