// Finds, opens and calls the compiler's library.
#include "CompilerLibrary.h"
#include "Support/File.h"

#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tw::run;

std::string tw::run::findCompilerLibrary() {
  if (const char *named = getenv("TENSORWRIGHT_LIBRARY"); named && *named)
    return named;
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof(self));
  if (length <= 0)
    return "";
  std::string folder(self, size_t(length));
  folder.resize(folder.rfind('/'));
  for (const char *place : {"/../" TW_LIBRARY_FOLDER "/", "/../lib/"})
    for (const char *name : {"libtensorwright.so.0", "libtensorwright.so"}) {
      std::string path = folder + place + name;
      if (access(path.c_str(), R_OK) == 0)
        return path;
    }
  return "";
}

/// The descriptor of the note of that type in a segment of notes.
static std::span<const uint8_t> findNote(std::span<const uint8_t> notes, uint32_t type) {
  auto padded = [](uint64_t size) { return (size + 3) / 4 * 4; };
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    memcpy(&note, notes.data(), sizeof(note));
    uint64_t start = sizeof(note) + padded(note.n_namesz), end = start + padded(note.n_descsz);
    if (end > notes.size())
      break;
    if (note.n_type == type && note.n_namesz == 4 &&
        memcmp(notes.data() + sizeof(note), "GNU", 4) == 0)
      return notes.subspan(start, note.n_descsz);
    notes = notes.subspan(end);
  }
  return {};
}

std::string tw::run::readBuildId(const std::string &path) {
  support::MappedFile file;
  std::string error;
  if (!file.open(path, error))
    return "";
  std::span<const uint8_t> bytes = file.bytes();
  Elf64_Ehdr header;
  std::string id;
  if (bytes.size() >= sizeof(header)) {
    memcpy(&header, bytes.data(), sizeof(header));
    for (uint32_t i = 0; memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && i < header.e_phnum; ++i) {
      uint64_t place = header.e_phoff + uint64_t(i) * sizeof(Elf64_Phdr);
      if (header.e_phoff > bytes.size() || place + sizeof(Elf64_Phdr) > bytes.size())
        break;
      Elf64_Phdr segment;
      memcpy(&segment, bytes.data() + place, sizeof(segment));
      if (segment.p_type != PT_NOTE || segment.p_offset > bytes.size() ||
          segment.p_filesz > bytes.size() - segment.p_offset)
        continue;
      for (uint8_t byte :
           findNote(bytes.subspan(segment.p_offset, segment.p_filesz), NT_GNU_BUILD_ID)) {
        char digits[3];
        snprintf(digits, sizeof(digits), "%02x", byte);
        id += digits;
      }
    }
  }
  struct stat status;
  if (id.empty() && stat(path.c_str(), &status) == 0)
    id = std::to_string(status.st_size) + "." + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
  return id;
}

std::unique_ptr<CompilerLibrary> CompilerLibrary::open(const std::string &path,
                                                       Problems &problems) {
  if (path.empty()) {
    problems.add("T0607", "this needs the compiler, and libtensorwright is not beside this tool: "
                          "install it, set TENSORWRIGHT_LIBRARY to it, or make a module with "
                          "tensor-compile on a machine that has it");
    return nullptr;
  }
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    problems.add("T0607", std::string("cannot open the compiler: ") + dlerror());
    return nullptr;
  }
  auto getApi = reinterpret_cast<TwcGetApi>(dlsym(library, "twcGetApi"));
  const TwcApi *api = getApi ? getApi(TWC_ABI) : nullptr;
  // Programs are not built op by op here.
  if (!api || api->size < offsetof(TwcApi, list)) {
    problems.add("T0607", path + " is not a compiler of ABI " + std::to_string(TWC_ABI) +
                              ": it belongs to another release than this tool");
    return nullptr;
  }
  std::unique_ptr<CompilerLibrary> compiler(new CompilerLibrary(api));
  TwcOptions options = {sizeof(options), 0, 0};
  if (api->contextCreate(&options, &compiler->context) != TWC_OK) {
    problems.add("T0607", "the compiler cannot start");
    return nullptr;
  }
  return compiler;
}

CompilerLibrary::~CompilerLibrary() {
  if (context)
    functions->contextRelease(context);
}

static void collect(void *user, const TwcDiagnostic *diagnostic) {
  auto text = [](const char *given) { return std::string(given ? given : ""); };
  Problem problem;
  problem.severity = diagnostic->severity == TWC_ERROR     ? Severity::Error
                     : diagnostic->severity == TWC_WARNING ? Severity::Warning
                                                           : Severity::Note;
  problem.message = text(diagnostic->message);
  if (problem.message.empty())
    problem.message = "unknown failure";
  problem.code = text(diagnostic->code);
  problem.file = text(diagnostic->file);
  problem.node = text(diagnostic->node);
  problem.line = diagnostic->line;
  problem.column = diagnostic->column;
  problem.remedy = text(diagnostic->remedy);
  problem.excerpt = text(diagnostic->excerpt);
  static_cast<Problems *>(user)->add(std::move(problem));
}

static TwcInput asInput(const std::string &path, const std::string &import) {
  TwcInput input = {};
  input.size = sizeof(input);
  input.path = path.c_str();
  input.import = import.c_str();
  return input;
}

CompilerLibrary::Blob CompilerLibrary::compile(const std::string &path, const std::string &import,
                                               const std::string &target, const std::string &device,
                                               const std::string &options, Progress &progress,
                                               Problems &problems) {
  TwcInput input = asInput(path, import);
  TwcCompileOptions compile = {};
  compile.size = sizeof(compile);
  compile.target = target.empty() ? nullptr : target.c_str();
  compile.device = device.c_str();
  compile.options = options.empty() ? nullptr : options.c_str();
  compile.progress = [](void *user, const char *stage, uint32_t done, uint32_t total) {
    static_cast<Progress *>(user)->set(std::string("compiling: ") + stage, done, total);
  };
  compile.progressUser = &progress;
  TwcBlob *blob = nullptr;
  progress.set("compiling");
  TwcCode code = functions->compile(context, &input, &compile, {collect, &problems}, &blob);
  progress.clear();
  if (code != TWC_OK && !problems.any())
    problems.add("T0610", "the compiler failed without a message");
  return Blob(code == TWC_OK ? blob : nullptr, {functions});
}

bool CompilerLibrary::interpret(const std::string &path, const std::string &import,
                                const std::vector<TwcTensor> &arguments,
                                std::vector<TwcTensor> &results, Problems &problems) {
  TwcInput input = asInput(path, import);
  Problems found;
  bool done = functions->interpret(context, &input, arguments.data(), arguments.size(),
                                   results.data(), results.size(), {collect, &found}) == TWC_OK;
  if (!done && !found.any())
    found.add("T0610", "the interpreter failed without a message");
  if (!done)
    problems.addAll(found);
  return done;
}

bool CompilerLibrary::checkKernel(const TwcKernelRun &run, std::vector<TwcKernelCheck> &checks,
                                  Problems &problems) {
  TwcKernelCheck empty = {};
  empty.size = sizeof(empty);
  checks.assign(run.bindingCount - run.inputCount, empty);
  return functions->checkKernel(context, &run, {collect, &problems}, checks.data()) == TWC_OK;
}
