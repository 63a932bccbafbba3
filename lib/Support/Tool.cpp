// Standard streams, signals and silence.
#include "tw/Support/Tool.h"

#include "tw/Support/Place.h"
#include "tw/Support/Version.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/WithColor.h"
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

/// What was told, where JSON is asked for.
static std::optional<llvm::json::Array> told;

/// Runs before the stream ends, which would stop the process with a message of its own.
static void checkOutput() {
  llvm::errs().clear_error();
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  if (!error)
    return;
  llvm::outs().clear_error();
  tw::fail("cannot write standard output: " + error.message(), tw::Code::T0601);
  llvm::errs().clear_error();
  _exit(1);
}

/// The options before "--".
static llvm::ArrayRef<char *> getOptions(llvm::ArrayRef<char *> arguments) {
  return arguments.take_until([](llvm::StringRef word) { return word == "--"; });
}

static bool hasOption(llvm::ArrayRef<char *> arguments, llvm::StringRef name) {
  return llvm::any_of(getOptions(arguments), [&](llvm::StringRef word) { return word == name; });
}

static bool wantsJson(llvm::ArrayRef<char *> arguments) {
  return hasOption(arguments, "--json") ||
         llvm::any_of(getOptions(arguments), [](llvm::StringRef word) {
           return word.starts_with("-") && word.ends_with("=json");
         });
}

bool tw::answerVersion(const char *name, int argc, char **argv) {
  llvm::ArrayRef<char *> arguments(argv, argc);
  if (!hasOption(arguments, "--version"))
    return false;
  if (wantsJson(arguments))
    llvm::outs() << llvm::json::Value(llvm::json::Object{
                        {"tool", name}, {"version", tw::version()}, {"llvm", LLVM_VERSION_STRING}})
                 << "\n";
  else
    llvm::outs() << name << " of Tensorwright " << tw::version() << "\nLLVM " << LLVM_VERSION_STRING
                 << "\n";
  return true;
}

/// "message [T0104]" as members; the code's explanation is the remedy.
static llvm::json::Object toJson(llvm::StringRef severity, llvm::StringRef text) {
  llvm::json::Object object{{"severity", severity}};
  auto [message, code] = text.rsplit(" [");
  std::optional<tw::Code> known =
      code.consume_back("]") ? tw::findCode(code) : std::optional<tw::Code>();
  object["message"] = (known ? message : text).str();
  if (known) {
    object["code"] = tw::codeInfo(*known).id;
    object["remedy"] = tw::codeInfo(*known).text;
  }
  return object;
}

static llvm::json::Object toJson(const mlir::Diagnostic &diagnostic) {
  static constexpr llvm::StringLiteral severities[] = {"note", "warning", "error", "remark"};
  llvm::json::Object object =
      toJson(severities[unsigned(diagnostic.getSeverity())], llvm::StringRef(diagnostic.str()));
  tw::Place place = tw::getPlace(diagnostic.getLocation());
  llvm::json::Object location;
  if (!place.file.empty())
    location["file"] = place.file;
  if (!place.node.empty())
    location["node"] = place.node;
  else if (place.line)
    location["line"] = place.line, location["column"] = place.column;
  if (!location.empty())
    object["location"] = std::move(location);
  llvm::json::Array notes;
  for (const mlir::Diagnostic &note : diagnostic.getNotes())
    notes.push_back(toJson(note));
  if (!notes.empty())
    object["notes"] = std::move(notes);
  return object;
}

void tw::record(const mlir::Diagnostic &diagnostic) {
  if (told)
    told->push_back(toJson(diagnostic));
}

int tw::fail(const llvm::Twine &message, Code code, int status) {
  std::string text = withCode(message, code);
  llvm::WithColor::error(llvm::errs(), toolName) << text << "\n";
  if (told)
    told->push_back(toJson("error", llvm::StringRef(text)));
  return status;
}

int tw::fail(llvm::Error error, Code code, int status) {
  return fail(llvm::toString(std::move(error)), code, status);
}

bool tw::parseCommandLine(int argc, char **argv, llvm::StringRef overview) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::cl::ParseCommandLineOptions(argc, argv, overview, &stream))
    return true;
  // "tool: Unknown command line argument '--ot'.  Try: 'tool --help'", "tool: Did you mean '--to'?"
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::vector<std::string> messages;
  for (llvm::StringRef line : lines) {
    line.consume_front((llvm::Twine(argv[0]) + ": ").str());
    line.consume_front(llvm::StringRef(toolName).str() + ": ");
    std::string message = line.split(".  Try:").first.rtrim('!').str();
    if (!message.empty())
      message[0] = llvm::toLower(message[0]);
    if (llvm::StringRef(message).starts_with("did you mean") && !messages.empty())
      messages.back() += "; " + message;
    else
      messages.push_back(message);
  }
  for (const std::string &message : messages)
    fail(message, Code::T0602);
  return false;
}

int tw::runTool(const char *name, int &argc, char **&argv, llvm::function_ref<int()> work) {
  occupyStandardStreams();
  llvm::InitLLVM init(argc, argv);
  std::signal(SIGXFSZ, SIG_IGN);
  toolName = name;
  llvm::outs();
  llvm::errs();
  std::atexit(checkOutput); // also where a command line ends the process
  llvm::ArrayRef<char *> arguments(argv, argc);
  if (answerVersion(name, argc, argv))
    return 0;
  if (wantsJson(arguments))
    told.emplace();
  uint64_t said = llvm::errs().tell();
  int status = work();
  if (status && llvm::errs().tell() == said)
    fail("failed without a message, which is a mistake in Tensorwright", Code::T0610);
  if (status && told)
    llvm::outs() << llvm::json::Value(llvm::json::Object{
                        {"tool", name}, {"exitStatus", status}, {"diagnostics", std::move(*told)}})
                 << "\n";
  return status;
}
