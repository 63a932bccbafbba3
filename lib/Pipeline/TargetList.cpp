// Parses lists of targets and chips.
#include "TargetList.h"

#include "tw/Support/Diagnostics.h"
#include "tw/Support/Similar.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tw;

namespace {

/// All chips of a target share one program, with the schedules that the first one asks for.
LogicalResult settleStages(Location location, TargetRequest &request) {
  const TargetLimits &limits = request.target->limits;
  request.stages.target = request.target->name.str();
  request.stages.arenaOptions =
      llvm::formatv("{{alignment={0} max-slab={1} max-binding={2}}", limits.offsetAlignment,
                    limits.maxSlabBytes, limits.maxBindingBytes)
          .str();
  request.stages.partsOptions =
      llvm::formatv("{{alignment={0}}", std::max(limits.bindingAlignment, limits.partAlignment))
          .str();
  for (const TargetOptions &chip : request.chips) {
    FailureOr<std::string> machine = request.target->getMachine(location, chip);
    if (failed(machine))
      return failure();
    if (&chip != request.chips.begin())
      continue;
    request.stages.schedulePass = makeSchedulePass(*machine, chip);
    request.stages.joinPass = makeJoinPass(*machine, chip);
    request.stages.inlinePass = makeInlinePass(*machine, chip);
    request.stages.layoutPass = makeLayoutPass(*machine, chip);
    request.stages.orderPass = makeOrderPass(*request.target, chip);
    request.stages.fuse = chip.fusion != Fusion::Off;
  }
  return success();
}

} // namespace

LogicalResult tw::checkChip(Location location, const Target &target, StringRef chip) {
  if (target.chips.empty())
    return emitError(location, Code::T0510)
           << "target '" << target.name << "' has no chips to choose from, found '" << target.name
           << ":" << chip << "'";
  SmallVector<StringRef> known(target.chips.begin(), target.chips.end());
  if (target.checksChips || llvm::is_contained(known, chip))
    return success();
  StringRef standIn = target.getStandIn ? target.getStandIn(chip) : "";
  if (standIn.empty())
    return emitError(location, Code::T0505) << "unknown chip '" << chip << "' of target '"
                                            << target.name << "'" << listKnown(chip, known);
  mlir::emitWarning(location) << "chip '" << chip << "' of target '" << target.name
                              << "' is not in the table: the nearest older one, '" << standIn
                              << "', stands in for it";
  return success();
}

std::string TargetRequest::getText() const {
  std::string text = target->name.str();
  for (const TargetOptions &chip : chips)
    if (!chip.cpu.empty())
      text += (&chip == chips.begin() ? ":" : ",") + chip.cpu;
  return text;
}

FailureOr<SmallVector<TargetRequest, 1>> tw::parseTargets(Location location, StringRef list,
                                                          const TargetOptions &options) {
  SmallVector<StringRef> entries, known;
  list.split(entries, ',');
  for (const Target *target : allTargets())
    known.push_back(target->name);
  SmallVector<TargetRequest, 1> requests;
  for (StringRef entry : entries) {
    auto [name, chip] = entry.split(':');
    if (name.empty() || (chip.empty() && entry.ends_with(":")))
      return emitError(location, Code::T0510)
             << "expected NAME or NAME:CHIP, found '" << entry << "' in --target=" << list;
    const Target *target = findTarget(name);
    if (!target)
      return emitError(location, Code::T0505)
             << "unknown target '" << name << "'" << listKnown(name, known);
    if (!chip.empty() && failed(checkChip(location, *target, chip)))
      return failure();
    auto request =
        llvm::find_if(requests, [&](const TargetRequest &r) { return r.target == target; });
    if (request == requests.end()) {
      requests.push_back({target, {}, {}});
      request = std::prev(requests.end());
    }
    auto isSame = [&, chip = chip](const TargetOptions &other) { return other.cpu == chip; };
    if (llvm::any_of(request->chips, isSame))
      return emitError(location, Code::T0510)
             << "'" << entry << "' is named twice in --target=" << list;
    request->chips.push_back(options);
    request->chips.back().cpu = chip.str();
  }
  // The stages that targets share suit all of them.
  uint64_t maxBinding = UINT64_MAX;
  for (TargetRequest &request : requests) {
    for (const TargetOptions &other : ArrayRef(request.chips).drop_front())
      request.chips.front().others.push_back(other.cpu);
    maxBinding = std::min(maxBinding, request.target->limits.maxBindingBytes);
  }
  for (TargetRequest &request : requests) {
    if (failed(settleStages(location, request)))
      return failure();
    request.stages.maxBinding = maxBinding;
  }
  return requests;
}
