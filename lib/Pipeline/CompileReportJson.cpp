// The report of a compilation as JSON.
#include "tw/Pipeline/Compiler.h"

#include "llvm/Support/JSON.h"

using namespace tw;
using llvm::json::OStream;

static void writeTimes(OStream &json, llvm::StringRef key,
                       llvm::ArrayRef<std::pair<std::string, double>> times) {
  json.attributeObject(key, [&] {
    for (auto &[name, time] : times)
      json.attribute(name, time);
  });
}

static void writeEstimate(OStream &json, const CandidateReport &candidate) {
  json.attribute("cycles", candidate.cycles);
  json.attributeObject("limits", [&] {
    for (auto &[name, cycles] : candidate.limits)
      json.attribute(name, cycles);
  });
}

static void writeCandidate(OStream &json, const CandidateReport &candidate) {
  json.attribute("strategy", candidate.strategy);
  json.attribute("schedule", candidate.schedule);
  json.attribute("chosen", candidate.chosen);
  writeEstimate(json, candidate);
}

static void writeKernel(OStream &json, const KernelReport &row) {
  json.attribute("name", row.name);
  json.attribute("launches", row.launches);
  json.attribute("programs", row.programs);
  json.attribute("flops", row.flops);
  json.attribute("bytes", row.bytes);
  if (double cycles = row.getCycles(); cycles > 0)
    json.attribute("totalCycles", cycles);
  json.attribute("recompute", row.recompute);
  json.attribute("axes", row.axes);
  json.attribute("schedule", row.schedule);
  json.attributeArray("primitives", [&] {
    for (const PrimitiveReport &primitive : row.primitives)
      json.object([&] {
        json.attribute("text", primitive.text);
        json.attribute("exactness", primitive.exactness);
      });
  });
  if (row.registers > 0) {
    json.attribute("registers", row.registers);
    json.attribute("registerBudget", row.registerBudget);
  }
  if (!row.key.empty())
    json.attribute("key", row.key);
  if (!row.madeFor.empty())
    json.attribute("madeFor", row.madeFor);
  if (row.byHand)
    json.attribute("byHand", true);
  if (row.counted.cycles > 0)
    json.attributeObject("counted", [&] { writeEstimate(json, row.counted); });
  if (!row.candidates.empty())
    json.attributeArray("candidates", [&] {
      for (const CandidateReport &candidate : row.candidates)
        json.object([&] { writeCandidate(json, candidate); });
    });
  if (row.counts)
    json.attributeObject("counts", [&] {
      json.attribute("spills", row.counts->spills);
      json.attribute("loopSpills", row.counts->loopSpills);
      json.attribute("accesses", row.counts->accesses);
      json.attribute("guards", row.counts->guards);
      json.attribute("loopGuards", row.counts->loopGuards);
    });
  if (!row.resources.empty())
    json.attribute("resources", row.resources);
}

static void writeMemory(OStream &json, const schedule::MemoryRecord &record) {
  json.attribute("function", record.function);
  json.attribute("before", record.before);
  json.attribute("after", record.after);
  json.attribute("cycles", record.cycles);
  json.attribute("keptValues", record.keptValues);
  json.attribute("keptBytes", record.keptBytes);
  for (auto [key, entries] : {std::pair("again", &record.again), {"kept", &record.kept}})
    json.attributeArray(key, [&, entries = entries] {
      for (const schedule::MemoryRecord::Entry &each : *entries)
        json.object([&] {
          json.attribute("kernel", each.kernel);
          json.attribute("bytes", each.bytes);
          json.attribute("cycles", each.cycles);
        });
    });
}

static void writeTarget(OStream &json, const TargetReport &target) {
  json.attribute("target", target.target);
  json.attribute("launches", target.launches);
  if (double cycles = target.getCycles(); cycles > 0)
    json.attribute("totalCycles", cycles);
  json.attribute("arenaBytes", target.arenaBytes);
  json.attribute("liveBytes", target.liveBytes);
  json.attribute("movedBytes", target.movedBytes);
  json.attribute("leastBytes", target.leastBytes);
  writeTimes(json, "milliseconds", target.milliseconds);
  writeTimes(json, "steps", target.steps);
  json.attributeArray("artefacts", [&] {
    for (const ArtefactReport &artefact : target.artefacts)
      json.object([&] {
        json.attribute("chip", artefact.chip);
        json.attribute("format", artefact.format);
        json.attribute("bytes", artefact.bytes);
        json.attribute("kernels", artefact.kernels);
        json.attribute("cachedKernels", artefact.cachedKernels);
      });
  });
  if (!target.memory.empty())
    json.attributeArray("memory", [&] {
      for (const schedule::MemoryRecord &record : target.memory)
        json.object([&] { writeMemory(json, record); });
    });
  if (!target.joins.empty())
    json.attributeArray("joins", [&] {
      for (const schedule::JoinRecord &join : target.joins)
        json.object([&] {
          json.attribute("kernel", join.kernel);
          json.attribute("other", join.other);
          json.attribute("verdict", join.verdict);
          json.attribute("reason", join.reason);
          json.attribute("apart", join.apart);
          json.attribute("whole", join.whole);
        });
    });
  json.attributeArray("kernels", [&] {
    for (const KernelReport *row : target.getSortedKernels())
      json.object([&] { writeKernel(json, *row); });
  });
}

void CompileReport::printJson(llvm::raw_ostream &os) const {
  OStream json(os, 2);
  json.object([&] {
    json.attribute("moduleBytes", moduleBytes);
    json.attribute("embeddedBytes", embeddedBytes);
    json.attribute("externalBytes", externalBytes);
    writeTimes(json, "milliseconds", milliseconds);
    json.attribute("moduleMilliseconds", moduleMilliseconds);
    json.attributeArray("targets", [&] {
      for (const TargetReport &target : targets)
        json.object([&] { writeTarget(json, target); });
    });
  });
  os << "\n";
}
