// Hooks around passes, as a handler of the actions that MLIR runs them as.
#include "tw/Pipeline/Hooks.h"

#include "tw/Support/KernelAction.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tw;

HookScope::HookScope(MLIRContext &context, const Hooks &hooks)
    : context(context), hooks(hooks),
      active(hooks.beforePass || hooks.afterPass || hooks.cancelled) {
  if (!active)
    return;
  handler.emplace(&context, [this](Diagnostic &) { return success(cancelled.load()); });
  context.registerActionHandler([this](function_ref<void()> run, const tracing::Action &action) {
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
    if (this->hooks.beforePass)
      this->hooks.beforePass(name, op);
    run();
    if (this->hooks.afterPass)
      this->hooks.afterPass(name, op);
  });
}

HookScope::~HookScope() {
  if (active)
    context.registerActionHandler(nullptr);
}

bool HookScope::isCancelled() {
  if (!cancelled && hooks.cancelled && std::this_thread::get_id() == thread)
    cancelled = hooks.cancelled();
  return cancelled;
}
