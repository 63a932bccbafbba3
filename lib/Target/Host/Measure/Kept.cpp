// Measured tables in the folder of the cache: a line with a digest, then JSON.
#include "Measure.h"

#include "tw/Support/AtomicFile.h"
#include "tw/Support/CacheFolder.h"
#include "tw/Support/ReadFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/xxhash.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;
using namespace tw::host;

/// Grows when what is measured changes.
static constexpr StringLiteral release = "tensorwright machine 1";

static std::string digestOf(StringRef text) { return utohexstr(xxh3_64bits(text), true, 16); }

/// The CPU as Linux knows it, and its microcode.
static std::string describeMachine() {
  std::string text = sys::getHostCPUName().str();
  static constexpr StringLiteral telling[] = {
      "vendor_id", "cpu family",      "model",       "model name", "stepping",
      "microcode", "CPU implementer", "CPU variant", "CPU part",   "CPU revision"};
  if (auto file = MemoryBuffer::getFileAsStream("/proc/cpuinfo")) {
    // The first of its blocks, one for each thread.
    StringRef block = (*file)->getBuffer().split("\n\n").first;
    for (StringRef line : split(block, '\n')) {
      auto [name, value] = line.split(':');
      if (is_contained(telling, name.trim()))
        text += ", " + name.trim().str() + " " + value.trim().str();
    }
  }
  return text;
}

/// The same with the threads that this process may use.
static std::string getMachine() {
  // Linux asks all cores before it answers.
  static const std::string model = describeMachine();
  return model + ", " + std::to_string(hardware_concurrency().compute_thread_count()) + " threads";
}

static std::string getPath() {
  std::string folder = tw::getMachinesFolder();
  return folder.empty() ? folder : folder + "/" + digestOf(getMachine()) + ".table";
}

bool measure::makeFolder(std::string &error) {
  if (tw::getMachinesFolder().empty()) {
    error = "there is no folder for the cache: set TENSORWRIGHT_CACHE or HOME";
    return false;
  }
  if (std::error_code failed = sys::fs::create_directories(tw::getMachinesFolder())) {
    error = "cannot make '" + tw::getMachinesFolder() + "': " + failed.message();
    return false;
  }
  return true;
}

bool measure::keepTable(const Table &table, std::string &error) {
  json::Object values;
  for (const auto &[name, value] : table.values)
    values[name] = value;
  json::Object object{
      {"machine", getMachine()}, {"date", table.date}, {"values", std::move(values)}};
  std::string text = formatv("{0:2}\n", json::Value(std::move(object)));
  if (Error failed =
          writeFileAtomically(getPath(), (release + " " + digestOf(text) + "\n" + text).str())) {
    error = toString(std::move(failed));
    return false;
  }
  return true;
}

bool measure::findTable(Table &table) {
  std::string path = getPath();
  if (path.empty() || !sys::fs::exists(path))
    return false;
  auto file = readText(path, smallTextLimit);
  if (!file) {
    consumeError(file.takeError());
    return false;
  }
  auto [head, text] = (*file)->getBuffer().split('\n');
  if (head != (release + " " + digestOf(text)).str())
    return false;
  Expected<json::Value> parsed = json::parse(text);
  if (!parsed) {
    consumeError(parsed.takeError());
    return false;
  }
  const json::Object *object = parsed->getAsObject();
  const json::Object *values = object ? object->getObject("values") : nullptr;
  std::optional<StringRef> machine = object ? object->getString("machine") : std::nullopt,
                           date = object ? object->getString("date") : std::nullopt;
  if (!values || !date || machine != getMachine())
    return false;
  table = {{}, date->str()};
  for (const auto &[name, value] : *values)
    if (std::optional<double> number = value.getAsNumber())
      table.values[name.str()] = *number;
  return true;
}
