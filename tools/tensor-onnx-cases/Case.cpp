// Compiles, runs and interprets one case, and compares with what is stored.
#include "Case.h"
#include "Compare.h"
#include "Refusal.h"

#include "tw/Import/ONNX/Model.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstring>

namespace {

llvm::json::Object answer(const char *result, std::string message) {
  return llvm::json::Object{{"result", result}, {"message", std::move(message)}};
}

std::vector<CaseTensor> readAll(const std::string &folder, const char *kind, std::string &error) {
  std::vector<CaseTensor> tensors;
  for (unsigned i = 0;; ++i) {
    std::string path = folder + "/" + kind + "_" + std::to_string(i) + ".pb";
    if (!llvm::sys::fs::exists(path))
      return tensors;
    std::optional<CaseTensor> tensor = readTensorFile(path, error);
    if (!tensor)
      return {};
    tensors.push_back(std::move(*tensor));
  }
}

TwcTensor view(CaseTensor &tensor) {
  return {tensor.element, static_cast<uint32_t>(tensor.dims.size()), tensor.dims.data(),
          tensor.data()};
}

/// A compiled case, and the errors of whichever call failed last.
class Program {
public:
  Program(const Tools &tools, TwcBytes bytes, const std::string &folder) : tools(tools) {
    TwrtModuleOptions options = {};
    options.size = sizeof options;
    options.flags = TWRT_MODULE_ALLOW_NATIVE;
    options.weightsFolder = folder.c_str();
    good = ok(twrtModuleFromMemory(tools.instance, {bytes.data, bytes.size}, &options, &module,
                                   error())) &&
           ok(twrtProgramCreate(module, nullptr, &tools.device, 1, &program, error()));
  }
  ~Program() {
    twrtProgramRelease(program);
    twrtModuleRelease(module);
  }

  /// Puts `tensors` in the order of the program's arguments, by name where the names fit.
  bool order(std::vector<CaseTensor> &tensors) {
    size_t count = twrtProgramArgumentCount(program);
    if (tensors.size() < count)
      return fail("the program has " + std::to_string(count) + " arguments, the data set " +
                  std::to_string(tensors.size()));
    std::vector<CaseTensor> ordered;
    for (size_t i = 0; i < count; ++i) {
      TwrtValueInfo info = {};
      info.size = sizeof info;
      if (!ok(twrtProgramArgument(program, i, &info, error())))
        return false;
      llvm::StringRef name(info.name.data, info.name.size);
      auto found = llvm::find_if(tensors, [&](const CaseTensor &t) { return t.name == name; });
      ordered.push_back(found != tensors.end() ? *found : tensors[i]);
      // ONNX's own data have the bits of bf16 as unsigned integers.
      if (info.element == TWRT_BF16 && ordered.back().element == TWRT_U16)
        ordered.back().element = TWRT_BF16;
      if (llvm::ArrayRef(info.dims, info.rank) != llvm::ArrayRef(ordered.back().dims)) {
        contradicted = true;
        return fail("input '" + name.str() + "' of the data set is " + typeName(ordered.back()) +
                    ", of other dimensions than the model's");
      }
    }
    tensors = std::move(ordered);
    return true;
  }

  /// Runs on the device; `results` come in with any contents.
  bool run(std::vector<CaseTensor> &arguments, std::vector<CaseTensor> &results) {
    TwrtCall *call = nullptr;
    if (!ok(twrtCallCreate(program, &call, error())))
      return false;
    llvm::scope_exit release([&] { twrtCallRelease(call); });
    for (size_t i = 0; i < arguments.size(); ++i)
      if (!setArgument(call, i, arguments[i]))
        return false;
    TwrtPoint point = {};
    if (!ok(twrtCallSubmit(call, tools.queue, nullptr, 0, &point, error())) ||
        !ok(twrtPointWait(point, UINT64_MAX, error())))
      return false;
    results.resize(twrtProgramResultCount(program));
    for (size_t i = 0; i < results.size(); ++i)
      if (!getResult(call, i, results[i]))
        return false;
    return true;
  }

  bool good = false;
  /// Whether an input of the data set has not the shape that the model declares.
  bool contradicted = false;
  std::string why;

private:
  TwrtError *error() {
    last = {};
    last.size = sizeof last;
    return &last;
  }
  bool fail(std::string message) {
    why = std::move(message);
    return false;
  }
  bool ok(TwrtCode code) { return code == TWRT_OK || fail(last.message); }

  /// The tensor's own memory on the host, a copy of it on another device.
  TwrtBuffer *makeBuffer(CaseTensor &from) {
    TwrtBuffer *buffer = nullptr;
    if (tools.uri == "host")
      return ok(twrtBufferImport(tools.device, from.data(), from.size, nullptr, nullptr, &buffer,
                                 error()))
                 ? buffer
                 : nullptr;
    if (!ok(twrtBufferCreate(tools.device, from.size, 0, &buffer, error())))
      return nullptr;
    if (from.size == 0 ||
        ok(twrtBufferWrite(tools.queue, buffer, 0, {from.data(), from.size}, nullptr, error())))
      return buffer;
    twrtBufferRelease(buffer);
    return nullptr;
  }

  bool setArgument(TwrtCall *call, size_t index, CaseTensor &from) {
    TwrtBuffer *buffer = makeBuffer(from);
    if (!buffer)
      return false;
    TwrtTensor tensor = {};
    tensor.size = sizeof tensor;
    tensor.element = from.element;
    tensor.rank = static_cast<uint32_t>(from.dims.size());
    tensor.buffer = buffer;
    tensor.dims = from.dims.data();
    bool set = ok(twrtCallSetArgument(call, index, &tensor, error()));
    twrtBufferRelease(buffer);
    return set;
  }

  bool getResult(TwrtCall *call, size_t index, CaseTensor &to) {
    TwrtTensor tensor = {};
    tensor.size = sizeof tensor;
    int64_t dims[32];
    if (!ok(twrtCallGetResult(call, index, &tensor, dims, 32, error())))
      return false;
    to.element = tensor.element;
    to.dims.assign(dims, dims + tensor.rank);
    to.resize(to.elements() * twrtElementBytes(to.element));
    if (to.size == 0 || !tensor.storage)
      return to.size == 0 || ok(twrtBufferRead(tools.queue, tensor.buffer, tensor.offset, to.data(),
                                               to.size, nullptr, error()));
    return readFromStorage(tensor, to);
  }

  /// The elements that are there, of a tensor that has room for more.
  bool readFromStorage(const TwrtTensor &tensor, CaseTensor &to) {
    uint64_t width = twrtElementBytes(to.element), bytes = width;
    for (uint32_t d = 0; d < tensor.rank; ++d)
      bytes *= uint64_t(tensor.storage[d]);
    std::vector<uint8_t> all(bytes);
    if (!ok(twrtBufferRead(tools.queue, tensor.buffer, tensor.offset, all.data(), bytes, nullptr,
                           error())))
      return false;
    for (uint64_t i = 0; i < to.elements(); ++i) {
      uint64_t place = 0, rest = i, scale = 1;
      for (uint32_t d = tensor.rank; d-- > 0;) {
        place += rest % uint64_t(tensor.dims[d]) * scale;
        rest /= uint64_t(tensor.dims[d]);
        scale *= uint64_t(tensor.storage[d]);
      }
      std::memcpy(to.data() + i * width, all.data() + place * width, width);
    }
    return true;
  }

  const Tools &tools;
  TwrtModule *module = nullptr;
  TwrtProgram *program = nullptr;
  TwrtError last = {};
};

std::string compareAll(const Tools &tools, const char *who, const std::vector<CaseTensor> &found,
                       const std::vector<CaseTensor> &expected) {
  if (found.size() != expected.size())
    return std::string(who) + ": expected " + std::to_string(expected.size()) + " outputs, found " +
           std::to_string(found.size());
  for (size_t i = 0; i < found.size(); ++i) {
    std::string difference = compare(found[i], expected[i], tools.absolute);
    if (!difference.empty())
      return std::string(who) + ": output_" + std::to_string(i) + ": " + difference;
  }
  return "";
}

/// Whether the model draws random numbers: those of the data set are others.
bool drawsNumbers(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  tw::onnx::Model model;
  return file && !tw::onnx::readModel((*file)->getBuffer(), model) &&
         llvm::any_of(model.graph.nodes, [](const tw::onnx::Node &node) {
           return node.op == "Bernoulli" || node.op == "Multinomial" ||
                  node.op.starts_with("Random");
         });
}

/// Interprets the model; `results` come in with the types of what it gives and any contents.
bool interpret(const Tools &tools, const TwcInput &input, std::vector<CaseTensor> &arguments,
               std::vector<CaseTensor> &results, Report &report) {
  std::vector<TwcTensor> in, out;
  for (CaseTensor &argument : arguments)
    in.push_back(view(argument));
  for (CaseTensor &result : results) {
    std::fill_n(result.data(), result.size, '\x55');
    out.push_back(view(result));
  }
  report = {};
  return tools.compiler->interpret(tools.context, &input, in.data(), in.size(), out.data(),
                                   out.size(), {Report::handle, &report}) == TWC_OK;
}

/// Empty if the data set's outputs come out, on the host both ways.
std::string runDataSet(const Tools &tools, const TwcInput &input, Program &program,
                       const std::string &folder, bool isRandom) {
  std::string error;
  std::vector<CaseTensor> arguments = readAll(folder, "input", error);
  std::vector<CaseTensor> expected = readAll(folder, "output", error);
  if (!error.empty())
    return error;
  std::vector<CaseTensor> results;
  if (!program.order(arguments) || !program.run(arguments, results))
    return tools.uri + ": " + program.why;
  // Of random numbers types are compared, and then with the interpreter's.
  for (size_t i = 0; isRandom && i < results.size() && i < expected.size(); ++i)
    if (typeName(results[i]) == typeName(expected[i]))
      expected[i] = results[i];
  std::string difference = compareAll(tools, tools.uri.c_str(), results, expected);
  if (!difference.empty() || tools.uri != "host")
    return difference;

  Report report;
  if (!interpret(tools, input, arguments, results, report))
    return "interpreter: " + report.message + " [" + report.code + "]";
  return compareAll(tools, "interpreter", results, expected);
}

/// Import entries that let shapes depend on the inputs of the one data set; empty if there are
/// more.
std::string assumeInputs(const std::string &folder) {
  std::string data = folder + "/test_data_set_0", entries, error;
  if (llvm::sys::fs::exists(folder + "/test_data_set_1"))
    return entries;
  std::vector<CaseTensor> inputs = readAll(data, "input", error);
  for (size_t i = 0; i < inputs.size(); ++i)
    entries += "assume=" + inputs[i].name + "=" + data + "/input_" + std::to_string(i) + ".pb\n";
  return entries;
}

/// The first data set in the interpreter alone.
llvm::json::Object interpretCase(const Tools &tools, const std::string &folder,
                                 const std::string &model) {
  std::string error, data = folder + "/test_data_set_0";
  std::vector<CaseTensor> arguments = readAll(data, "input", error);
  std::vector<CaseTensor> expected = readAll(data, "output", error), results = expected;
  if (!error.empty())
    return answer("mismatch", error);
  TwcInput input = {};
  input.size = sizeof input;
  input.kind = TWC_INPUT_ONNX;
  input.path = model.c_str();
  Report report;
  bool done = interpret(tools, input, arguments, results, report);
  std::string import;
  if (!done && report.code == "T0112") {
    import = assumeInputs(folder);
    input.import = import.c_str();
    done = interpret(tools, input, arguments, results, report);
  }
  // What the model gives has another type than the data set.
  if (!done && report.code == "T0507")
    return answer("mismatch", "interpreter: " + report.message);
  if (!done)
    return refusal(report, model);
  std::string difference = compareAll(tools, "interpreter", results, expected);
  if (!difference.empty() && !drawsNumbers(model))
    return answer("mismatch", difference);
  return llvm::json::Object{{"result", "pass"}};
}

} // namespace

/// What programs the device runs: its URI names the driver, which may be an emulator of another's
/// device, and then the chip.
static std::string targetOf(const Tools &tools) {
  size_t colon = std::min(tools.uri.find(':'), tools.uri.size());
  std::string driver = tools.uri.substr(0, colon);
  TwrtString text = twrtDeviceDescription(tools.device);
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse({text.data, text.size});
  if (!parsed)
    llvm::consumeError(parsed.takeError());
  else if (const llvm::json::Object *object = parsed->getAsObject())
    if (std::optional<llvm::StringRef> target = object->getString("target");
        target && *target != "*")
      return *target == driver ? driver : target->str() + tools.uri.substr(colon);
  return driver;
}

llvm::json::Object runCase(const Tools &tools, const std::string &folder) {
  std::string model = folder + "/model.onnx";
  if (tools.uri == interpreterUri)
    return interpretCase(tools, folder, model);
  TwcInput input = {};
  input.size = sizeof input;
  input.kind = TWC_INPUT_ONNX;
  input.path = model.c_str();
  TwcCompileOptions options = {};
  options.size = sizeof options;
  std::string target = targetOf(tools);
  options.target = target.c_str();
  Report report;
  TwcBlob *blob = nullptr;
  auto compile = [&] {
    report = {};
    return tools.compiler->compile(tools.context, &input, &options, {Report::handle, &report},
                                   &blob) == TWC_OK;
  };
  bool compiled = compile();
  std::string import;
  if (!compiled && report.code == "T0112") {
    import = assumeInputs(folder);
    input.import = import.c_str();
    compiled = compile();
  }
  if (!compiled)
    return refusal(report, model);
  llvm::scope_exit release([&] { tools.compiler->blobRelease(blob); });
  Program program(tools, tools.compiler->blobBytes(blob), folder);
  if (!program.good)
    return answer("mismatch", tools.uri + ": " + program.why);
  bool isRandom = drawsNumbers(model);
  unsigned sets = 0;
  for (;; ++sets) {
    std::string data = folder + "/test_data_set_" + std::to_string(sets);
    if (!llvm::sys::fs::exists(data))
      break;
    std::string difference = runDataSet(tools, input, program, data, isRandom);
    if (!difference.empty())
      return answer(program.contradicted ? "diagnostic" : "mismatch", difference);
  }
  if (sets == 0)
    return answer("mismatch", "no test_data_set_0 beside the model");
  return llvm::json::Object{{"result", "pass"}};
}
