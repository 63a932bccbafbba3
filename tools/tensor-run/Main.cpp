// tensor-run: runs a module, or compiles a model and runs it.
#include "Run.h"
#include "twrt/twrt.h"

#include <cstdio>

using namespace tw::run;

int main(int count, char **arguments) {
  Options options;
  std::vector<std::string> problems;
  if (!parseOptions(count, arguments, options, problems)) {
    for (const std::string &problem : problems)
      fprintf(stderr, "tensor-run: error: %s [T0602]\n", problem.c_str());
    fprintf(stderr, "tensor-run: try tensor-run --help\n");
    return WrongUse;
  }
  if (options.help) {
    printf("%s", helpText().c_str());
    return Done;
  }
  if (options.version) {
    printf("tensor-run %s\n", twrtVersion());
    return Done;
  }
  return runTool(options);
}
