// The null target: accepts every kernel and makes an empty artefact. The template for a new target.
#include "tw/Target/Target.h"

#include "tw/Dialect/Tile/Tile.h"

using namespace mlir;

namespace {

FailureOr<std::string> describe(Location, const tw::TargetOptions &) {
  return std::string("{\"target\": \"null\"}");
}

bool hasElementType(Type) { return true; }

FailureOr<std::string> getMachine(Location, const tw::TargetOptions &) {
  return std::string();
}

LogicalResult buildPipeline(OpPassManager &, Location, const tw::TargetOptions &) {
  return success();
}

FailureOr<SmallVector<tw::Artefact>> compile(ModuleOp module, const tw::TargetOptions &) {
  tw::Artefact artefact;
  artefact.format = "null";
  for (auto kernel : module.getOps<tw::tile::FuncOp>())
    artefact.entries.push_back({kernel.getSymName().str(), 0, uint64_t(kernel.getNumPrograms())});
  return SmallVector<tw::Artefact>{std::move(artefact)};
}

} // namespace

namespace tw {

const Target &getNullTarget() {
  static constexpr Target target{
      .name = "null",
      .summary = "checks the way to a target without one: kernels are accepted and dropped",
      .describe = describe,
      .hasElementType = hasElementType,
      .getMachine = getMachine,
      .buildPipeline = buildPipeline,
      .compile = compile,
  };
  return target;
}

} // namespace tw
