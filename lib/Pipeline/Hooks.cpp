// Hooks around passes, as a handler of the actions that MLIR runs them as.
#include "tw/Pipeline/Hooks.h"

#include "tw/Support/Diagnostics.h"
#include "tw/Support/KernelAction.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tw;

HookScope::HookScope(MLIRContext &context, const Hooks &hooks)
    : context(context), hooks(hooks),
      active(hooks.beforePass || hooks.afterPass || hooks.cancelled || hooks.memory.isSet()) {
  if (!active)
    return;
  handler.emplace(&context, [this](Diagnostic &) { return success(cancelled.load()); });
  context.registerActionHandler(
      [this](function_ref<void()> run, const tracing::Action &action) { handle(run, action); });
}

HookScope::~HookScope() {
  if (active)
    context.registerActionHandler(nullptr);
}

void HookScope::handle(function_ref<void()> run, const tracing::Action &action) {
  if (const auto *allocation = dyn_cast<AllocationAction>(&action)) {
    if (!cancelled && std::this_thread::get_id() == thread)
      cancelled = !hasRoom(allocation->getLocation(), allocation->getBytes());
    if (!cancelled)
      run();
    return;
  }
  if (isa<KernelAction>(action)) {
    if (!isCancelled())
      run();
    return;
  }
  const auto *pass = dyn_cast<PassExecutionAction>(&action);
  // An adaptor is how MLIR runs passes on the ops in a module: its passes are told of.
  if (!pass || pass->getPass().getArgument().empty())
    return run();
  if (isCancelled())
    return;
  if (std::this_thread::get_id() != thread)
    return run();
  StringRef name = pass->getPass().getArgument(), op = pass->getOp()->getName().getStringRef();
  if (hooks.beforePass)
    hooks.beforePass(name, op);
  run();
  if (hooks.afterPass)
    hooks.afterPass(name, op);
}

bool HookScope::isCancelled() {
  if (!cancelled && std::this_thread::get_id() == thread)
    cancelled = (hooks.cancelled && hooks.cancelled()) || !hasRoom(UnknownLoc::get(&context), 0);
  return cancelled;
}

bool HookScope::hasRoom(Location location, uint64_t bytes) const {
  if (!hooks.memory.isSet())
    return true;
  uint64_t taken = hooks.memory.getTaken(), most = hooks.memory.getBytes();
  if (taken <= most && bytes <= most - taken)
    return true;
  CodedDiagnostic error = tw::emitError(location, Code::T0517);
  error << "the call has taken " << taken << " bytes of memory";
  if (bytes)
    error << " and needs " << bytes << " more";
  error << ", expected at most " << most;
  return false;
}
