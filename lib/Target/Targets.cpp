// The list of targets, and what is checked for all of them alike.
#include "tw/Target/Target.h"

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Format/Commands.h"
#include "tw/Format/Element.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/ElementTypes.h"
#include "tw/Target/Common/Instructions.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tw {
#define TW_TARGET(name) const Target &get##name##Target();
#include "tw/Registry/Targets.inc"
#undef TW_TARGET
} // namespace tw

using tw::format::maxKernelBindings;

using tw::Target;

static void addTarget(SmallVector<const Target *> &all, const Target &target) {
  llvm::erase_if(all, [&](const Target *other) { return other->name == target.name; });
  all.push_back(&target);
  llvm::sort(all, [](auto *a, auto *b) { return a->name < b->name; });
}

static SmallVector<const Target *> &getTargets() {
  static SmallVector<const Target *> targets = [] {
    SmallVector<const Target *> all;
#define TW_TARGET(name) addTarget(all, tw::get##name##Target());
#include "tw/Registry/Targets.inc"
#undef TW_TARGET
    return all;
  }();
  return targets;
}

ArrayRef<const tw::Target *> tw::allTargets() { return getTargets(); }

void tw::registerTarget(const Target &target) { addTarget(getTargets(), target); }

std::string tw::listElementTypes(MLIRContext *context, const Target &target) {
  SmallVector<Type> types;
  for (const format::ElementInfo &info : format::elementTypes)
    if (Type type = getElementType(context, info.type))
      types.push_back(type);
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(llvm::make_filter_range(types, target.hasElementType), stream);
  return text;
}

/// A pass that changes kernels by a machine's prices, or as a seed says.
static std::string makePricedPass(StringRef pass, StringRef machine,
                                  const tw::TargetOptions &options, unsigned seed) {
  std::string text = (pass + "{" + machine).str();
  if (options.deterministic)
    text += " deterministic=true";
  if (options.record)
    text += " record=true";
  if (seed)
    text += " seed=" + std::to_string(seed);
  return text + "}";
}

/// Whether kernels are joined at all, by price or as drawn.
static bool joinsKernels(const tw::TargetOptions &options) {
  return options.fusion == tw::Fusion::Full || options.fusionSeed;
}

std::string tw::makeJoinPass(StringRef machine, const TargetOptions &options) {
  if (!joinsKernels(options))
    return "";
  return makePricedPass("kernel-join", machine, options, options.fusionSeed);
}

std::string tw::makeInlinePass(StringRef machine, const TargetOptions &options) {
  if (!joinsKernels(options))
    return "";
  return makePricedPass("kernel-inline-shared", machine, options, options.fusionSeed);
}

std::string tw::makeLayoutPass(StringRef machine, const TargetOptions &options) {
  bool isPriced = options.layouts && options.fusion == Fusion::Full && !options.fusionSeed;
  if (!isPriced && !options.layoutSeed)
    return "";
  return makePricedPass("kernel-layout", machine, options, options.layoutSeed);
}

std::string tw::makeSchedulePass(StringRef machine, const TargetOptions &options) {
  std::string text = "kernel-schedule{make-kernels=true";
  if (!machine.empty())
    text += " " + machine.str();
  if (options.deterministic)
    text += " deterministic=true";
  if (options.record)
    text += " record=true";
  if (options.searchStates)
    text += " search=" + std::to_string(options.searchStates);
  if (!options.scheduleFile.empty())
    text += " file={" + options.scheduleFile + "}";
  return text + "}";
}

std::string tw::makeOrderPass(const Target &target, const TargetOptions &options) {
  if (!target.getInstructions || options.deterministic)
    return "";
  constexpr int64_t f32Bits = 24;
  llvm::SetVector<StringRef> elements, floats, shortFloats;
  bool multipliesBytes = false, onlySigned = true;
  std::string wider;
  for (const MatrixUnit &unit : target.getInstructions(options.cpu).units) {
    StringRef name = format::elementName(unit.operands);
    elements.insert(name);
    if (unit.operands == format::ElementType::BF16)
      wider = " wider=" + name.str();
    if (unit.operands == format::ElementType::I8) {
      multipliesBytes = true;
      onlySigned &= !unit.lhsUnsigned && !unit.rhsUnsigned;
    } else if (format::elementBytes(unit.operands) == 1) {
      (unit.sumBits < f32Bits ? shortFloats : floats).insert(name);
    }
  }
  // Floats of 32 bits are multiplied by threads.
  constexpr StringLiteral constants = "constants=f32})";
  if (elements.empty())
    return ("func.func(kernel-order-dimensions{" + constants).str();
  std::string bytes = multipliesBytes ? "" : " integers=false";
  if (multipliesBytes && onlySigned)
    bytes += " only-signed=true";
  if (!floats.empty())
    bytes += " floats=" + llvm::join(floats, ",");
  if (!shortFloats.empty())
    bytes += " short-floats=" + llvm::join(shortFloats, ",");
  return "func.func(kernel-multiply-bytes{" + StringRef(bytes + wider).ltrim().str() +
         "}),func.func(kernel-order-dimensions{elements=" + llvm::join(elements, ",") + " " +
         constants.str();
}

const tw::Target *tw::findTarget(StringRef name) {
  for (const Target *target : allTargets())
    if (target->name == name)
      return target;
  return nullptr;
}

LogicalResult tw::verifyForTarget(Operation *root, const Target &target) {
  llvm::MapVector<Type, Operation *> missing; // with the first op that uses it
  bool good = true;
  root->walk([&](Operation *op) {
    llvm::SmallSetVector<Type, 4> here;
    auto visit = [&](Type type) {
      auto shaped = dyn_cast<ShapedType>(type);
      if (shaped && !shaped.getElementType().isIndex() &&
          !target.hasElementType(shaped.getElementType()))
        here.insert(shaped.getElementType());
    };
    llvm::for_each(op->getResultTypes(), visit);
    llvm::for_each(op->getOperandTypes(), visit);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArgumentTypes(), visit);
    for (Type type : here)
      missing.insert({type, op});
    auto kernel = dyn_cast<tile::FuncOp>(op);
    if (kernel && kernel.getNumBuffers() > maxKernelBindings) {
      good = false;
      emitOpError(op, Code::T0333)
          << "has " << kernel.getNumBuffers() << " buffers, expected at most " << maxKernelBindings;
    }
  });
  for (auto &[type, op] : missing)
    emitError(op->getLoc(), Code::T0406)
        << "element type " << type << " is not available on target " << target.name
        << ": cast the program's tensors to one of " << listElementTypes(root->getContext(), target)
        << ", or choose another target";
  return success(good && missing.empty());
}

OwningOpRef<ModuleOp> tw::cloneKernels(ModuleOp module) {
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  OpBuilder builder(kernels->getBodyRegion());
  for (auto kernel : module.getOps<tile::FuncOp>())
    builder.clone(*kernel);
  return kernels;
}

const tw::ChipInstructions &tw::getInstructions(StringRef chip) {
  static constexpr ChipInstructions none;
  auto [name, cpu] = chip.split(':');
  const Target *target = findTarget(name);
  return target && target->getInstructions ? target->getInstructions(cpu) : none;
}

using UnitTable = ArrayRef<tw::MatrixUnit> tw::ChipInstructions::*;

/// Of all chips.
static std::vector<const tw::MatrixUnit *> getAllUnits(UnitTable table) {
  std::vector<const tw::MatrixUnit *> units;
  for (const Target *target : tw::allTargets())
    for (StringRef chip : target->getInstructions ? target->chips : ArrayRef<StringLiteral>())
      for (const tw::MatrixUnit &unit : target->getInstructions(chip).*table)
        if (!llvm::is_contained(units, &unit))
          units.push_back(&unit);
  return units;
}

static void keepTypes(std::vector<const tw::MatrixUnit *> &units, const tw::UnitTypes &types,
                      int64_t subgroup) {
  MLIRContext *context = types.operands.getContext();
  std::erase_if(units, [&](const tw::MatrixUnit *unit) {
    return tw::getElementType(context, unit->operands) != types.operands ||
           tw::getElementType(context, unit->results) != types.sums ||
           unit->lhsUnsigned != types.lhsUnsigned || unit->rhsUnsigned != types.rhsUnsigned ||
           int64_t(1) << unit->sums.lanes.size() != subgroup;
  });
}

std::vector<const tw::MatrixUnit *> tw::findMatrixUnits(StringRef chip, const UnitTypes &types,
                                                        int64_t subgroup) {
  std::vector<const MatrixUnit *> units;
  if (chip.empty())
    units = getAllUnits(&ChipInstructions::units);
  else
    for (const MatrixUnit &unit : getInstructions(chip).units)
      units.push_back(&unit);
  keepTypes(units, types, subgroup);
  return units;
}

std::vector<const tw::MatrixUnit *> tw::findLocalUnits(StringRef chip, const UnitTypes &types,
                                                       int64_t subgroup) {
  std::vector<const MatrixUnit *> units;
  for (const MatrixUnit &unit : getInstructions(chip).localUnits)
    units.push_back(&unit);
  keepTypes(units, types, subgroup);
  return units;
}

const tw::MatrixUnit *tw::findMatrixUnit(StringRef name) {
  for (UnitTable table : {&ChipInstructions::localUnits, &ChipInstructions::units})
    for (const MatrixUnit *unit : getAllUnits(table))
      if (unit->name == name)
        return unit;
  return nullptr;
}
