// The registry of strategies.
#include "tw/Schedule/Strategy.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace tw;
using namespace tw::schedule;

Strategy::~Strategy() = default;

static std::map<std::string, MakeStrategy> &getRegistry() {
  static std::map<std::string, MakeStrategy> registry;
  return registry;
}

void schedule::registerStrategy(llvm::StringRef machine, MakeStrategy make) {
  getRegistry()[machine.str()] = make;
}

std::unique_ptr<Strategy> schedule::makeStrategy(llvm::StringRef machine) {
  auto found = getRegistry().find(machine.str());
  return found == getRegistry().end() ? nullptr : found->second();
}

std::string schedule::listStrategies() {
  return llvm::join(llvm::make_first_range(getRegistry()), ", ");
}
