// The compiler's library, opened when something is compiled.
#include "Compiler.h"

#include <dlfcn.h>
#include <mutex>

using namespace tw::python;

namespace {

/// Once opened it stays: LLVM keeps pointers into itself.
std::pair<const TwcApi *, std::string> openLibrary(const std::string &path) {
  // Local scope: LLVM's symbols must not meet those of another LLVM in the process.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return {nullptr, std::string("cannot open the compiler: ") + dlerror()};
  auto getApi = reinterpret_cast<TwcGetApi>(dlsym(library, "twcGetApi"));
  const TwcApi *api = getApi ? getApi(TWC_ABI) : nullptr;
  if (!api || api->size < sizeof(TwcApi))
    return {nullptr, path + " is not a compiler of this release"};
  return {api, ""};
}

} // namespace

const TwcApi *tw::python::getCompiler(const std::string &path) {
  static std::mutex lock;
  static const TwcApi *known = nullptr;
  std::string problem;
  {
    nb::gil_scoped_release release;
    std::lock_guard guard(lock);
    if (!known)
      std::tie(known, problem) = openLibrary(path);
  }
  if (!known)
    raise("CompilerMissingError", "T0607", problem);
  return known;
}

void tw::python::collect(void *user, const TwcDiagnostic *given) {
  static_cast<std::vector<Diagnostic> *>(user)->push_back(
      {uint32_t(given->severity), given->code, given->file, given->line, given->column, given->node,
       given->message, given->remedy, given->excerpt});
}

nb::list tw::python::toList(const std::vector<Diagnostic> &diagnostics) {
  nb::list list;
  for (const Diagnostic &one : diagnostics)
    list.append(nb::make_tuple(one.severity, one.code, one.message, one.file, one.line, one.column,
                               one.node, one.remedy, one.excerpt));
  return list;
}

namespace {

/// A Python function that is told of stages. What it raises ends nothing and is raised at the end.
struct Progress {
  nb::object function, type, value, trace;

  static void tell(void *user, const char *stage, uint32_t done, uint32_t total) {
    auto &self = *static_cast<Progress *>(user);
    nb::gil_scoped_acquire acquire;
    if (self.type.is_valid())
      return;
    try {
      self.function(stage, done, total);
    } catch (nb::python_error &error) {
      self.type = nb::borrow(error.type());
      self.value = nb::borrow(error.value());
    }
  }
};

const char *orNull(const std::optional<std::string> &text) {
  return text ? text->c_str() : nullptr;
}

nb::tuple compile(const std::string &library, std::optional<std::string> path, nb::handle data,
                  uint32_t kind, const std::string &import, std::optional<std::string> target,
                  std::optional<std::string> device, const std::string &options,
                  std::optional<std::string> dumpFolder, std::optional<std::string> moduleFolder,
                  uint32_t threads, nb::handle progress) {
  const TwcApi *api = getCompiler(library);
  TwcInput input = {};
  input.size = sizeof(input);
  input.kind = TwcInputKind(kind);
  input.path = orNull(path);
  input.import = import.c_str();
  if (PyBytes_Check(data.ptr()))
    input.bytes = {PyBytes_AsString(data.ptr()), size_t(PyBytes_Size(data.ptr()))};
  TwcCompileOptions compile = {};
  compile.size = sizeof(compile);
  compile.target = orNull(target);
  compile.device = orNull(device);
  compile.options = options.c_str();
  compile.dumpDir = orNull(dumpFolder);
  compile.moduleFolder = orNull(moduleFolder);
  Progress told;
  if (!progress.is_none()) {
    told.function = nb::borrow(progress);
    compile.progress = Progress::tell;
    compile.progressUser = &told;
  }
  std::vector<Diagnostic> diagnostics;
  TwcBlob *module = nullptr, *report = nullptr;
  TwcCode code;
  {
    nb::gil_scoped_release release;
    TwcOptions contextOptions = {sizeof(contextOptions), threads, 0};
    TwcContext *context = nullptr;
    code = api->contextCreate(&contextOptions, &context);
    if (code == TWC_OK)
      code =
          api->compileReport(context, &input, &compile, {collect, &diagnostics}, &module, &report);
    api->contextRelease(context);
  }
  auto take = [&](TwcBlob *blob) -> nb::object {
    if (!blob)
      return nb::none();
    TwcBytes bytes = api->blobBytes(blob);
    nb::object taken = nb::bytes(bytes.data, bytes.size);
    api->blobRelease(blob);
    return taken;
  };
  nb::object moduleBytes = take(module), reportBytes = take(report);
  if (told.type.is_valid()) {
    PyErr_SetObject(told.type.ptr(), told.value.ptr());
    throw nb::python_error();
  }
  return nb::make_tuple(uint32_t(code), moduleBytes, reportBytes, toList(diagnostics));
}

nb::bytes listTargets(const std::string &library) {
  const TwcApi *api = getCompiler(library);
  TwcBlob *json = nullptr;
  if (api->listTargets(nullptr, &json) != TWC_OK)
    raise("CompileError", "T0610", "the targets cannot be listed");
  TwcBytes bytes = api->blobBytes(json);
  nb::bytes text(bytes.data, bytes.size);
  api->blobRelease(json);
  return text;
}

} // namespace

void tw::python::bindCompiler(nb::module_ &module) {
  module.def("compile", compile, nb::arg("library"), nb::arg("path").none(), nb::arg("data").none(),
             nb::arg("kind"), nb::arg("imports"), nb::arg("target").none(),
             nb::arg("device").none(), nb::arg("options"), nb::arg("dump_folder").none(),
             nb::arg("module_folder").none(), nb::arg("threads"), nb::arg("progress").none(),
             nb::sig("def compile(library: str, path: str | None, data: bytes | None, kind: int, "
                     "imports: str, "
                     "target: str | None, device: str | None, options: str, dump_folder: str | "
                     "None, module_folder: "
                     "str | None, threads: int, progress: collections.abc.Callable[[str, int, "
                     "int], None] | None) -> "
                     "tuple[int, bytes | None, bytes | None, list[tuple[int, str, str, str, int, "
                     "int, str, str, str]]]"),
             "A code of the compiler, the module, the report as JSON, and the diagnostics.");
  module.def("list_targets", listTargets, nb::arg("library"), "The compiler's targets, as JSON.");
  module.def(
      "compiler_version",
      [](const std::string &library) { return getCompiler(library)->version(); },
      nb::arg("library"), "Version of the compiler.");
}
