// Standard streams, signals and silence.
#include "tw/Support/Tool.h"

#include "tw/Support/Diagnostics.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

/// No file that is opened later may become standard output, and what is written to it must fail.
static void occupyStandardStreams() {
  for (int stream = 0; stream <= 2; ++stream)
    if (fcntl(stream, F_GETFD) < 0)
      (void)open("/dev/null", O_RDONLY);
}

static const char *toolName;

/// Runs before the stream ends, which would stop the process with a message of its own.
static void checkOutput() {
  llvm::errs().clear_error();
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  if (!error)
    return;
  llvm::outs().clear_error();
  llvm::errs() << toolName << ": error: "
               << tw::withCode("cannot write standard output: " + error.message(), tw::Code::T0601)
               << "\n";
  llvm::errs().clear_error();
  _exit(1);
}

int tw::runTool(const char *name, int &argc, char **&argv, llvm::function_ref<int()> work) {
  occupyStandardStreams();
  llvm::InitLLVM init(argc, argv);
  std::signal(SIGXFSZ, SIG_IGN);
  toolName = name;
  llvm::outs();
  llvm::errs();
  std::atexit(checkOutput); // also where a command line ends the process
  uint64_t said = llvm::errs().tell();
  int status = work();
  if (status && llvm::errs().tell() == said)
    llvm::errs() << name << ": error: "
                 << withCode("failed without a message, which is a mistake in Tensorwright",
                             Code::T0610)
                 << "\n";
  return status;
}
