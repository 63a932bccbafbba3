// Records of scheduling as attributes.
#include "tw/Schedule/Record.h"

#include "tw/Dialect/Kernel/Describe.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

std::string schedule::getFullName(KernelOp kernel) {
  return (kernel.getSymHint().value_or("kernel") + " (" + describe(kernel).getAxesText() + ")")
      .str();
}

static DictionaryAttr toAttribute(Builder &builder, const Candidate &candidate) {
  SmallVector<Attribute> terms;
  for (auto &[name, cycles] : candidate.terms)
    terms.push_back(
        builder.getArrayAttr({builder.getStringAttr(name), builder.getF64FloatAttr(cycles)}));
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("generator", builder.getStringAttr(candidate.generator)),
       builder.getNamedAttr("schedule", candidate.schedule),
       builder.getNamedAttr("cycles", builder.getF64FloatAttr(candidate.cycles)),
       builder.getNamedAttr("terms", builder.getArrayAttr(terms))});
}

void schedule::setRecord(KernelOp kernel, const Record &record) {
  Builder builder(kernel.getContext());
  SmallVector<Attribute> candidates;
  for (const Candidate &candidate : record.candidates)
    candidates.push_back(toAttribute(builder, candidate));
  SmallVector<NamedAttribute> entries = {
      builder.getNamedAttr("kernel", builder.getStringAttr(record.kernel)),
      builder.getNamedAttr("schedule", record.schedule),
      builder.getNamedAttr("candidates", builder.getArrayAttr(candidates))};
  for (auto [name, holds] : {std::pair("made", record.made), {"by_hand", record.byHand}})
    if (holds)
      entries.push_back(builder.getNamedAttr(name, builder.getUnitAttr()));
  kernel->setDiscardableAttr(recordAttrName, builder.getDictionaryAttr(entries));
}

/// The number in an attribute, 0 if it is none.
static double readNumber(Attribute attribute) {
  auto number = dyn_cast_if_present<FloatAttr>(attribute);
  return number ? number.getValueAsDouble() : 0;
}

static std::optional<Candidate> readCandidate(Attribute attribute) {
  auto entries = dyn_cast<DictionaryAttr>(attribute);
  auto generator = entries ? entries.getAs<StringAttr>("generator") : StringAttr();
  auto list = entries ? entries.getAs<ScheduleAttr>("schedule") : ScheduleAttr();
  auto terms = entries ? entries.getAs<ArrayAttr>("terms") : ArrayAttr();
  if (!generator || !list || !terms)
    return std::nullopt;
  Candidate candidate{generator.str(), list};
  candidate.cycles = readNumber(entries.get("cycles"));
  for (Attribute term : terms) {
    auto pair = dyn_cast<ArrayAttr>(term);
    if (!pair || pair.size() != 2 || !isa<StringAttr>(pair[0]))
      return std::nullopt;
    candidate.terms.push_back({cast<StringAttr>(pair[0]).str(), readNumber(pair[1])});
  }
  return candidate;
}

std::optional<Record> schedule::getRecord(KernelOp kernel) {
  auto entries = dyn_cast_if_present<DictionaryAttr>(kernel->getDiscardableAttr(recordAttrName));
  auto name = entries ? entries.getAs<StringAttr>("kernel") : StringAttr();
  auto list = entries ? entries.getAs<ScheduleAttr>("schedule") : ScheduleAttr();
  auto candidates = entries ? entries.getAs<ArrayAttr>("candidates") : ArrayAttr();
  if (!name || !list || !candidates)
    return std::nullopt;
  Record record{name.str(), entries.contains("made"), entries.contains("by_hand"), list, {}};
  for (Attribute attribute : candidates) {
    std::optional<Candidate> candidate = readCandidate(attribute);
    if (!candidate)
      return std::nullopt;
    record.candidates.push_back(std::move(*candidate));
  }
  return record;
}

void schedule::setJoins(Operation *program, ArrayRef<JoinRecord> joins) {
  Builder builder(program->getContext());
  SmallVector<Attribute> all;
  for (const JoinRecord &join : joins)
    all.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("kernel", builder.getStringAttr(join.kernel)),
         builder.getNamedAttr("other", builder.getStringAttr(join.other)),
         builder.getNamedAttr("verdict", builder.getStringAttr(join.verdict)),
         builder.getNamedAttr("reason", builder.getStringAttr(join.reason)),
         builder.getNamedAttr("apart", builder.getF64FloatAttr(join.apart)),
         builder.getNamedAttr("whole", builder.getF64FloatAttr(join.whole))}));
  program->setDiscardableAttr(joinsAttrName, builder.getArrayAttr(all));
}

static ArrayAttr toAttribute(Builder &builder, ArrayRef<MemoryRecord::Entry> entries) {
  SmallVector<Attribute> all;
  for (const MemoryRecord::Entry &each : entries)
    all.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("kernel", builder.getStringAttr(each.kernel)),
         builder.getNamedAttr("bytes", builder.getI64IntegerAttr(each.bytes)),
         builder.getNamedAttr("cycles", builder.getF64FloatAttr(each.cycles))}));
  return builder.getArrayAttr(all);
}

void schedule::setMemory(Operation *program, ArrayRef<MemoryRecord> records) {
  Builder builder(program->getContext());
  SmallVector<Attribute> all;
  for (const MemoryRecord &record : records)
    all.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("function", builder.getStringAttr(record.function)),
         builder.getNamedAttr("before", builder.getI64IntegerAttr(record.before)),
         builder.getNamedAttr("after", builder.getI64IntegerAttr(record.after)),
         builder.getNamedAttr("cycles", builder.getF64FloatAttr(record.cycles)),
         builder.getNamedAttr("again", toAttribute(builder, record.again)),
         builder.getNamedAttr("keptValues", builder.getI64IntegerAttr(record.keptValues)),
         builder.getNamedAttr("keptBytes", builder.getI64IntegerAttr(record.keptBytes)),
         builder.getNamedAttr("kept", toAttribute(builder, record.kept))}));
  program->setDiscardableAttr(memoryAttrName, builder.getArrayAttr(all));
}

static int64_t readInteger(Attribute attribute) {
  auto number = dyn_cast_if_present<IntegerAttr>(attribute);
  return number && number.getType().isSignlessInteger(64) ? number.getInt() : 0;
}

static std::string readText(Attribute attribute) {
  auto text = dyn_cast_if_present<StringAttr>(attribute);
  return text ? text.str() : "";
}

static void readEntries(Attribute attribute, SmallVectorImpl<MemoryRecord::Entry> &entries) {
  auto all = dyn_cast_if_present<ArrayAttr>(attribute);
  for (Attribute each : all ? all.getValue() : ArrayRef<Attribute>())
    if (auto entry = dyn_cast<DictionaryAttr>(each))
      entries.push_back({readText(entry.get("kernel")), readInteger(entry.get("bytes")),
                         readNumber(entry.get("cycles"))});
}

SmallVector<MemoryRecord> schedule::getMemory(Operation *program) {
  SmallVector<MemoryRecord> records;
  auto all = dyn_cast_if_present<ArrayAttr>(program->getDiscardableAttr(memoryAttrName));
  for (Attribute each : all ? all.getValue() : ArrayRef<Attribute>())
    if (auto entries = dyn_cast<DictionaryAttr>(each)) {
      records.push_back({readText(entries.get("function")),
                         readInteger(entries.get("before")),
                         readInteger(entries.get("after")),
                         readNumber(entries.get("cycles")),
                         {},
                         {},
                         readInteger(entries.get("keptValues")),
                         readInteger(entries.get("keptBytes"))});
      readEntries(entries.get("again"), records.back().again);
      readEntries(entries.get("kept"), records.back().kept);
    }
  return records;
}

SmallVector<JoinRecord> schedule::getJoins(Operation *program) {
  SmallVector<JoinRecord> joins;
  auto all = dyn_cast_if_present<ArrayAttr>(program->getDiscardableAttr(joinsAttrName));
  for (Attribute each : all ? all.getValue() : ArrayRef<Attribute>()) {
    auto entries = dyn_cast<DictionaryAttr>(each);
    if (!entries)
      return {};
    auto text = [&](StringRef name) {
      auto attribute = entries.getAs<StringAttr>(name);
      return attribute ? attribute.str() : "";
    };
    joins.push_back({text("kernel"), text("other"), text("verdict"), text("reason"),
                     readNumber(entries.get("apart")), readNumber(entries.get("whole"))});
  }
  return joins;
}
