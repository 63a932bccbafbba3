// Many command lines in one process.
#include "Cases.h"
#include "Report.h"
#include "Run.h"
#include "Session.h"
#include "Support/File.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <new>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tw::run;

namespace {

/// Reads one array of strings, as JSON has them.
class ArrayReader {
public:
  explicit ArrayReader(std::string_view text) : text(text) {}

  bool read(std::vector<std::string> &strings) {
    if (!take('['))
      return false;
    if (take(']'))
      return atEnd();
    do
      if (!take('"') || !readString(strings.emplace_back()))
        return false;
    while (take(','));
    return take(']') && atEnd();
  }
  /// Where reading stopped.
  size_t column() const { return at + 1; }

private:
  void skipSpace() { at = std::min(text.find_first_not_of(" \t\r", at), text.size()); }
  bool atEnd() {
    skipSpace();
    return at == text.size();
  }
  bool take(char wanted) {
    skipSpace();
    bool found = at < text.size() && text[at] == wanted;
    at += found;
    return found;
  }
  bool readString(std::string &string);
  bool readEscape(std::string &string);
  bool readUnit(uint32_t &unit);

  std::string_view text;
  size_t at = 0;
};

/// A device that stays open, whoever else closes it.
struct HeldDevice {
  Handle<TwrtInstance, twrtInstanceRelease> instance;
  Handle<TwrtDevice, twrtDeviceRelease> device;
};

/// What the processes know of each other.
struct Shared {
  /// The case that runs, or is to be next.
  size_t at = 0;
  int worst = Done;
};

} // namespace

bool ArrayReader::readUnit(uint32_t &unit) {
  unit = 0;
  for (size_t end = at + 4; at < end; ++at) {
    size_t digit = at < text.size() ? std::string_view("0123456789abcdefABCDEF").find(text[at])
                                    : std::string_view::npos;
    if (digit == std::string_view::npos)
      return false;
    unit = unit * 16 + uint32_t(digit < 16 ? digit : digit - 6);
  }
  return true;
}

bool ArrayReader::readEscape(std::string &string) {
  constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
  char letter = at < text.size() ? text[at++] : 0;
  if (size_t index = letters.find(letter); index != letters.npos) {
    string += meanings[index];
    return true;
  }
  uint32_t code = 0, low = 0;
  if (letter != 'u' || !readUnit(code))
    return false;
  if (code >= 0xd800 && code < 0xdc00) {
    if (text.substr(at, 2) != "\\u")
      return false;
    at += 2;
    if (!readUnit(low) || low < 0xdc00 || low > 0xdfff)
      return false;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xdc00 && code <= 0xdfff) {
    return false;
  }
  // No file and no option has a zero in its name.
  if (code == 0)
    return false;
  if (code < 0x80) {
    string += char(code);
    return true;
  }
  int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr uint32_t leads[] = {0, 0xc0, 0xe0, 0xf0};
  string += char(leads[more] | (code >> (6 * more)));
  while (more-- > 0)
    string += char(0x80 | ((code >> (6 * more)) & 0x3f));
  return true;
}

bool ArrayReader::readString(std::string &string) {
  while (at < text.size() && text[at] != '"') {
    if (static_cast<unsigned char>(text[at]) < 0x20)
      return false;
    if (text[at] != '\\') {
      string += text[at++];
      continue;
    }
    ++at;
    if (!readEscape(string))
      return false;
  }
  bool ends = at < text.size();
  at += ends;
  return ends;
}

/// The command lines of a file; lines of nothing but space are none.
static bool readCases(const std::string &path, std::vector<std::vector<std::string>> &cases,
                      Problems &problems) {
  tw::support::MappedFile file;
  std::string reason;
  if (!file.open(path, reason)) {
    problems.add("T0603", reason);
    return false;
  }
  std::span<const uint8_t> bytes = file.bytes();
  std::string_view rest(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  for (uint32_t line = 1; !rest.empty(); ++line) {
    size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view text = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (text.find_first_not_of(" \t\r") == text.npos)
      continue;
    ArrayReader reader(text);
    if (reader.read(cases.emplace_back()))
      continue;
    Problem problem;
    problem.code = "T0602";
    problem.file = path;
    problem.line = line;
    problem.column = uint32_t(reader.column());
    problem.message = "expected an array of strings, the arguments of one case";
    problem.remedy = "One line has one: [\"model.onnx\", \"--benchmark\"]";
    problems.add(std::move(problem));
  }
  return !problems.any();
}

/// Keeps the device open. Where it cannot be opened the case says why.
static void hold(std::map<std::string, HeldDevice> &devices, const std::string &uri) {
  auto [place, isNew] = devices.try_emplace(uri);
  if (!isNew)
    return;
  TwrtInstanceOptions options = {};
  options.size = sizeof(options);
  // The threads of this one run nothing.
  options.hostThreads = 1;
  TwrtInstance *instance = nullptr;
  TwrtDevice *device = nullptr;
  if (twrtInstanceCreate(&options, TWRT_ABI, &instance, nullptr) == TWRT_OK)
    (void)twrtInstanceOpenDevice(instance, uri.c_str(), &device, nullptr);
  place->second.instance.reset(instance);
  place->second.device.reset(device);
}

static int runCase(const std::vector<const char *> &arguments,
                   std::map<std::string, HeldDevice> &devices) {
  Options options;
  std::vector<std::string> wrong;
  parseOptions(int(arguments.size()), arguments.data(), options, wrong);
  if (options.help || options.version || options.devices)
    wrong.push_back("a case runs a model");
  if (!options.cases.empty())
    wrong.push_back("a case has no cases");
  options.json = true;
  Problems problems;
  for (const std::string &problem : wrong)
    problems.add("T0602", problem);
  if (problems.any()) {
    problems.print();
    printFailure(WrongUse, problems);
    return WrongUse;
  }
  hold(devices, options.device);
  return runTool(options);
}

/// Runs cases until they end or one fails, after which the state of a device, or of this process,
/// is nothing to rely on. In a process of its own.
static void runFrom(Shared &shared, const std::vector<std::vector<std::string>> &cases,
                    const std::vector<const char *> &common) {
  std::map<std::string, HeldDevice> devices;
  for (bool failed = false; !failed && shared.at < cases.size(); ++shared.at) {
    std::vector<const char *> arguments = common;
    for (const std::string &argument : cases[shared.at])
      arguments.push_back(argument.c_str());
    int status = runCase(arguments, devices);
    if (fflush(stdout) != 0)
      _exit(Failed);
    shared.worst = std::max(shared.worst, status);
    failed = status == Failed;
  }
}

/// What is left to say of a case whose process ended.
static void printEnd(int status, size_t number) {
  Problems problems;
  problems.add("T0610",
               "case " + std::to_string(number + 1) + " ended its process, " +
                   (WIFSIGNALED(status) ? "by signal " + std::to_string(WTERMSIG(status)) + " (" +
                                              strsignal(WTERMSIG(status)) + ")"
                                        : "with status " + std::to_string(WEXITSTATUS(status))));
  problems.print();
  printFailure(Failed, problems);
}

static int failSystem(const char *what) {
  Problems problems;
  problems.add("T0610", std::string(what) + ": " + strerror(errno));
  problems.print();
  printFailure(Failed, problems);
  return Failed;
}

int tw::run::runCases(const Options &options, int count, const char *const *arguments) {
  Problems problems;
  std::vector<std::vector<std::string>> cases;
  if (!readCases(options.cases, cases, problems)) {
    problems.print();
    printFailure(Failed, problems);
    return Failed;
  }
  std::vector<const char *> common(arguments, arguments + 1);
  for (int i = 1; i < count; ++i)
    if (std::string_view argument = arguments[i];
        !argument.starts_with("--cases=") && !argument.starts_with("-cases="))
      common.push_back(arguments[i]);
  void *memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return failSystem("cannot share memory with the cases");
  Shared &shared = *new (memory) Shared;
  while (shared.at < cases.size()) {
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
      return failSystem("cannot start a process for the cases");
    if (child == 0) {
      (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
      runFrom(shared, cases, common);
      _exit(Done);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      ;
    if (status == 0)
      continue;
    printEnd(status, shared.at++);
    shared.worst = std::max<int>(shared.worst, Failed);
  }
  int worst = shared.worst;
  munmap(memory, sizeof(Shared));
  return worst;
}
