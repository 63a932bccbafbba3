// tensor-run: runs a module, or compiles a model and runs it.
#include "Cases.h"
#include "Report.h"
#include "Run.h"
#include "twrt/twrt.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <unistd.h>

using namespace tw::run;

static int fail(const char *message, const char *code) {
  fprintf(stderr, "tensor-run: error: %s [%s]\n", message, code);
  return Failed;
}

static int run(int count, char **arguments) {
  Options options;
  std::vector<std::string> problems;
  if (!parseOptions(count, arguments, options, problems)) {
    Problems told;
    for (const std::string &problem : problems)
      told.add("T0602", problem);
    told.print();
    fprintf(stderr, "tensor-run: try tensor-run --help\n");
    if (options.json)
      printFailure(WrongUse, told);
    return WrongUse;
  }
  if (options.help) {
    printf("%s", helpText().c_str());
    return Done;
  }
  if (options.version) {
    if (options.json)
      printf("{\"tool\": \"tensor-run\", \"version\": \"%s\"}\n", twrtVersion());
    else
      printf("tensor-run of Tensorwright %s\n", twrtVersion());
    return Done;
  }
  return options.cases.empty() ? runTool(options) : runCases(options, count, arguments);
}

int main(int count, char **arguments) {
  // No file that is opened later may become standard output, and what is written to it must fail.
  for (int stream = 0; stream <= 2; ++stream)
    if (fcntl(stream, F_GETFD) < 0)
      (void)open("/dev/null", O_RDONLY);
  // A limit on the size of files is an error of the write, with a message.
  signal(SIGXFSZ, SIG_IGN);
  std::set_new_handler([] {
    fail("not enough memory", "T0610");
    _exit(Failed);
  });
  int status = run(count, arguments);
  if (fflush(stdout) != 0 || ferror(stdout))
    status =
        fail(("cannot write standard output: " + std::string(strerror(errno))).c_str(), "T0601");
  return status;
}
