// One model on one device: from file to results.
#include "Session.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>

using namespace tw::run;
using Clock = std::chrono::steady_clock;

/// Whether the symbol that NAME=SIZE gives a size has a range, too.
static bool hasRange(const Options &options, const std::string &symbol) {
  std::string name = symbol.substr(0, symbol.rfind('=') + 1);
  return std::any_of(options.dims.begin(), options.dims.end(),
                     [&](const std::string &dim) { return dim.starts_with(name); });
}

Session::Session(const Options &options, Progress &progress, Problems &problems)
    : options(options), progress(progress), problems(problems) {
  // The size of one with a range is that of inputs that are made here.
  for (const std::string &symbol : options.symbols)
    if (!hasRange(options, symbol))
      importOptions += "symbol=" + symbol + "\n";
  for (const std::string &dim : options.dims)
    importOptions += "dim=" + dim + "\n";
  for (const std::string &alias : options.aliases)
    importOptions += "alias=" + alias + "\n";
  for (const std::string &assumption : options.assumptions)
    importOptions += "assume=" + assumption + "\n";
  if (!options.weights.empty())
    importOptions += "weights=" + options.weights + "\n";
  if (options.followLinks)
    importOptions += "follow-links=true\n";
  // Files that cannot be read are told of when the inputs are made.
  for (const std::string &input : options.inputs) {
    size_t equals = input.find('=');
    support::MappedFile file;
    support::NpyArray array;
    std::string error;
    if (!file.open(equals == input.npos ? input : input.substr(equals + 1), error) ||
        !support::parseNpyHeader(file.bytes(), array, error))
      continue;
    std::string shape;
    for (int64_t dim : array.dims)
      shape += (shape.empty() ? "" : ",") + std::to_string(dim);
    importShapes +=
        "shape=" + (equals == input.npos ? "" : input.substr(0, equals)) + "=" + shape + "\n";
  }
}

std::string Session::weightsFolder() const {
  if (!options.weights.empty())
    return options.weights;
  size_t slash = options.model.rfind('/');
  return slash == options.model.npos ? "." : options.model.substr(0, slash + 1);
}

std::string Session::description() const {
  TwrtString text = twrtDeviceDescription(deviceHandle.get());
  return {text.data, text.size};
}

uint64_t Session::threadCount() const {
  return options.threads ? options.threads : std::thread::hardware_concurrency();
}

bool Session::openDevice() {
  TwrtInstanceOptions instanceOptions = {};
  instanceOptions.size = sizeof(instanceOptions);
  instanceOptions.hostThreads = uint32_t(options.threads);
  TwrtInstance *madeInstance = nullptr;
  TwrtDevice *madeDevice = nullptr;
  TwrtQueue *madeQueue = nullptr;
  bool opened = twrtInstanceCreate(&instanceOptions, TWRT_ABI, &madeInstance, &error) == TWRT_OK;
  instanceHandle.reset(madeInstance);
  if (opened && !options.devices) {
    opened = twrtInstanceOpenDevice(madeInstance, options.device.c_str(), &madeDevice, &error) ==
             TWRT_OK;
    deviceHandle.reset(madeDevice);
    opened = opened && twrtQueueCreate(madeDevice, &madeQueue, &error) == TWRT_OK;
    queueHandle.reset(madeQueue);
  }
  if (!opened)
    problems.add(error);
  return opened;
}

CompilerLibrary *Session::compiler() {
  if (!library)
    library = CompilerLibrary::open(findCompilerLibrary(), problems);
  return library.get();
}

/// `quiet`: a module that is refused is no problem, because it can be made again.
bool Session::openModule(std::span<const uint8_t> bytes, bool quiet) {
  std::string folder = weightsFolder();
  TwrtModuleOptions moduleOptions = {};
  moduleOptions.size = sizeof(moduleOptions);
  moduleOptions.flags =
      TWRT_MODULE_ALLOW_NATIVE | (options.checkWeights ? uint32_t(TWRT_MODULE_CHECK_WEIGHTS) : 0);
  // What the compiler was let read for this module, the runtime may.
  if (options.followLinks || !bytes.empty())
    moduleOptions.flags |= TWRT_MODULE_FOLLOW_LINKS;
  moduleOptions.weightsFolder = folder.c_str();
  TwrtModule *made = nullptr;
  TwrtCode code = bytes.empty()
                      ? twrtModuleOpen(instanceHandle.get(), options.model.c_str(), &moduleOptions,
                                       &made, &error)
                      : twrtModuleFromMemory(instanceHandle.get(), {bytes.data(), bytes.size()},
                                             &moduleOptions, &made, &error);
  moduleHandle.reset(made);
  if (code == TWRT_OK && makeProgram())
    return true;
  if (quiet)
    return false;
  if (error.code == TWRT_IO_ERROR && moduleHandle && options.weights.empty())
    problems.add("T0603", std::string(error.message) + (error.driverCode == EXDEV
                                                            ? "; --follow-links allows that"
                                                            : "; --weights=FOLDER names it"));
  else
    problems.add(error);
  return false;
}

static std::vector<Value> listValues(const TwrtProgram *program, size_t count,
                                     TwrtCode (*get)(const TwrtProgram *, size_t, TwrtValueInfo *,
                                                     TwrtError *)) {
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) {
    TwrtValueInfo info = {};
    info.size = sizeof(info);
    if (get(program, i, &info, nullptr) != TWRT_OK)
      continue;
    values.push_back({std::string(info.name.data, info.name.size),
                      info.element,
                      {info.dims, info.dims + info.rank},
                      std::isfinite(info.step) ? info.step : 0,
                      info.storage ? std::vector<int64_t>(info.storage, info.storage + info.rank)
                                   : std::vector<int64_t>(),
                      info.sharesResult});
    uint64_t bytes = twrtElementBytes(info.element);
    for (int64_t dim : values.back().dims)
      bytes *= uint64_t(dim);
    if (const auto *assumed = static_cast<const uint8_t *>(info.assumed))
      values.back().assumed.assign(assumed, assumed + bytes);
  }
  return values;
}

bool Session::makeProgram() {
  TwrtDevice *devices[] = {deviceHandle.get()};
  TwrtProgram *made = nullptr;
  const char *function = options.function.empty() ? nullptr : options.function.c_str();
  if (twrtProgramCreate(moduleHandle.get(), function, devices, 1, &made, &error) != TWRT_OK)
    return false;
  programHandle.reset(made);
  inputs = listValues(made, twrtProgramArgumentCount(made), twrtProgramArgument);
  outputs = listValues(made, twrtProgramResultCount(made), twrtProgramResult);
  symbols.clear();
  leastSizes.clear();
  for (size_t i = 0; i < twrtProgramSymbolCount(made); ++i) {
    TwrtSymbolInfo info = {};
    info.size = sizeof(info);
    if (twrtProgramSymbol(made, i, &info, nullptr) != TWRT_OK)
      continue;
    symbols.emplace_back(info.name.data, info.name.size);
    int64_t step = std::max<int64_t>(info.multiple, 1);
    leastSizes.push_back(std::max((info.min + step - 1) / step, int64_t(1)) * step);
  }
  return true;
}

/// Sizes on the command line are those of inputs that are made here, for a module that leaves them
/// open.
bool Session::checkSymbols() {
  for (const std::string &symbol : options.symbols) {
    std::string name = symbol.substr(0, symbol.rfind('='));
    if (std::find(symbols.begin(), symbols.end(), name) != symbols.end())
      continue;
    std::string known;
    for (size_t i = 0; i < symbols.size(); ++i)
      if (isDeclared(symbols[i]))
        known += (known.empty() ? "; it leaves open " : ", ") + symbols[i];
    problems.add("T0602", options.model + " is compiled already and has no size '" + name +
                              "' left to give" + known);
    return false;
  }
  return true;
}

/// Sizes beside ranges are those of inputs that are made here, which have to be of such a size.
bool Session::checkRanges() {
  for (const std::string &symbol : options.symbols) {
    std::string name = symbol.substr(0, symbol.rfind('='));
    if (!hasRange(options, symbol) ||
        std::find(symbols.begin(), symbols.end(), name) != symbols.end())
      continue;
    problems.add("T0602", "'" + name +
                              "' has a size and a range, and is no dimension that the range leaves "
                              "open: give one of them; --input gives the value of an input");
    return false;
  }
  return true;
}

/// A module of which the compiler said nothing has no symbol that shapes could have settled, so it
/// serves inputs of any shape; others serve the shapes they were compiled for.
bool Session::findCached(const ModuleCache &cache, const std::string &key) {
  bool found =
      cache.find(key, weightsFolder(), cached) && (importShapes.empty() || cached.texts.empty());
  found =
      found || (!importShapes.empty() && cache.find(key + importShapes, weightsFolder(), cached));
  if (!found || !openModule(cached.module, true))
    return false;
  for (const std::string &text : cached.texts)
    problems.add(Problem::unpack(text));
  problems.print();
  return fromCache = true;
}

bool Session::compileModel() {
  std::string joined;
  for (const std::string &option : options.compileOptions)
    joined += (joined.empty() ? "" : " ") + option;
  std::string device = description(), key, cacheError;
  ModuleCache cache;
  if (!options.noCache) {
    CacheKey content = {readBuildId(findCompilerLibrary()),
                        options.target,
                        device,
                        joined,
                        importOptions,
                        options.model};
    if (!content.makeText(key, cacheError)) {
      problems.add("T0603", cacheError);
      return false;
    }
    if (!content.compiler.empty() && findCached(cache, key))
      return true;
  }
  CompilerLibrary *opened = compiler();
  if (!opened)
    return false;
  Problems said;
  if (!options.noCache)
    joined = "kernel-cache=true" + (joined.empty() ? "" : " " + joined);
  blob = opened->compile(options.model, importEntries(), options.target, device, joined, progress,
                         said);
  problems.addAll(said);
  if (!blob)
    return false;
  problems.print();
  compiled = true;
  TwcBytes bytes = opened->api().blobBytes(blob.get());
  std::span<const uint8_t> module(static_cast<const uint8_t *>(bytes.data), bytes.size);
  if (!openModule(module, false))
    return false;
  if (!options.noCache) {
    std::vector<std::string> files;
    for (size_t i = 0; i < twrtModuleFileCount(moduleHandle.get()); ++i) {
      TwrtString path = twrtModuleFilePath(moduleHandle.get(), i);
      files.emplace_back(path.data, path.size);
    }
    std::vector<std::string> texts;
    for (const Problem &problem : said.all())
      texts.push_back(problem.pack());
    if (!texts.empty())
      key += importShapes;
    if (!cache.store(key, weightsFolder(), files, texts, module, cacheError)) {
      Problem note;
      note.severity = Severity::Note;
      note.message = "the compiled module is not kept: " + cacheError;
      problems.add(std::move(note));
    }
  }
  return true;
}

bool Session::loadModel() {
  Clock::time_point start = Clock::now();
  {
    support::MappedFile file;
    std::string reason;
    if (!file.open(options.model, reason)) {
      problems.add("T0603", reason);
      return false;
    }
    std::span<const uint8_t> bytes = file.bytes();
    size_t dot = options.model.rfind('.');
    bool named = dot != options.model.npos && options.model.substr(dot) == ".twm";
    moduleFile = named || (bytes.size() >= 4 && memcmp(bytes.data(), "\x89TWM", 4) == 0);
  }
  if (moduleFile &&
      !(options.dims.empty() && options.assumptions.empty() && options.aliases.empty())) {
    problems.add("T0602", options.model + " is compiled already: ranges of sizes, aliases and "
                                          "assumed values are given when a model is compiled");
    return false;
  }
  bool loaded =
      moduleFile ? openModule({}, false) && checkSymbols() : compileModel() && checkRanges();
  loadSeconds = std::chrono::duration<double>(Clock::now() - start).count();
  return loaded;
}

bool Session::initialize(TwrtLaunchHook hook, void *user) {
  TwrtProgram *program = programHandle.get();
  bool done = twrtProgramInitialize(program, hook, user, &error) == TWRT_OK &&
              twrtProgramInitialization(program, &initialization, &error) == TWRT_OK;
  // A hook that stops it has said why.
  if (!done && error.code != TWRT_CANCELLED)
    problems.add(error);
  return done;
}

/// A dimension that is a symbol has the size that the input has there, if it has one.
std::vector<int64_t> Session::getStorage(size_t input, const std::vector<int64_t> &dims) const {
  std::vector<int64_t> storage = inputs[input].storage;
  for (size_t d = 0; d < storage.size(); ++d)
    if (storage[d] < 0)
      storage[d] = dims[d];
    else if (storage[d] < dims[d])
      return {}; // the runtime says so
  return storage;
}

void Session::deduceSymbols(SymbolSizes &sizes) const {
  std::vector<int64_t> values(symbols.size(), -1);
  for (auto [dim, size] : sizes)
    values[size_t(-1 - dim)] = size;
  twrtProgramDeduceSymbols(programHandle.get(), values.data(), values.size(), nullptr);
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] >= 0)
      sizes.try_emplace(-1 - int64_t(i), values[i]);
}

std::string Session::importEntries(const std::vector<Tensor> &tensors) const {
  SymbolSizes sizes;
  for (size_t i = 0; i < tensors.size(); ++i)
    for (size_t d = 0; d < inputs[i].dims.size(); ++d)
      if (inputs[i].dims[d] < 0)
        sizes.try_emplace(inputs[i].dims[d], tensors[i].array.dims[d]);
  if (sizes.empty())
    return importEntries();
  deduceSymbols(sizes);
  std::string settled;
  std::vector<std::string> ranges;
  for (auto [dim, size] : sizes)
    if (std::string name = symbols[size_t(-1 - dim)]; isDeclared(name)) {
      settled += "symbol=" + name + "=" + std::to_string(size) + "\n";
      ranges.push_back("dim=" + name + "=");
    }
  // Sizes take the place of their ranges; those of values stay.
  std::string entries;
  for (size_t at = 0, end; at < importOptions.size(); at = end + 1) {
    end = importOptions.find('\n', at);
    std::string entry = importOptions.substr(at, end + 1 - at);
    if (std::find(ranges.begin(), ranges.end(), entry.substr(0, entry.rfind('=') + 1)) ==
        ranges.end())
      entries += entry;
  }
  return entries + settled + importShapes;
}

bool Session::prepare(const std::vector<Tensor> &tensors) {
  TwrtCall *made = nullptr;
  bool ready = twrtCallCreate(programHandle.get(), &made, &error) == TWRT_OK;
  callHandle.reset(made);
  buffers.clear();
  for (size_t i = 0; ready && i < tensors.size(); ++i) {
    const support::NpyArray &array = tensors[i].array;
    std::vector<int64_t> storage = getStorage(i, array.dims);
    std::vector<uint8_t> spreadData;
    if (!storage.empty())
      spreadData = spread(array.data, array.dims, storage, twrtElementBytes(array.element));
    const std::vector<uint8_t> &data = storage.empty() ? array.data : spreadData;
    TwrtBuffer *buffer = nullptr;
    ready = twrtBufferCreate(deviceHandle.get(), data.size(), 0, &buffer, &error) == TWRT_OK;
    buffers.emplace_back(buffer);
    TwrtPoint point = {nullptr, 0};
    ready = ready &&
            twrtBufferWrite(queueHandle.get(), buffer, 0, {data.data(), data.size()}, &point,
                            &error) == TWRT_OK &&
            twrtPointWait(point, UINT64_MAX, &error) == TWRT_OK;
    TwrtTensor tensor = {sizeof(tensor),
                         array.element,
                         uint32_t(array.dims.size()),
                         0,
                         buffer,
                         0,
                         array.dims.data(),
                         storage.empty() ? nullptr : storage.data()};
    ready = ready && twrtCallSetArgument(made, i, &tensor, &error) == TWRT_OK;
  }
  ready = ready && (!options.capture || twrtCallSetCaptured(made, 1, &error) == TWRT_OK) &&
          twrtCallPrepare(made, &arenaBytes, &error) == TWRT_OK;
  if (!ready)
    problems.add(error);
  return ready;
}

bool Session::write(size_t input, std::span<const uint8_t> data) {
  TwrtPoint point = {nullptr, 0};
  bool done = twrtBufferWrite(queueHandle.get(), buffers[input].get(), 0,
                              {data.data(), data.size()}, &point, &error) == TWRT_OK &&
              twrtPointWait(point, UINT64_MAX, &error) == TWRT_OK;
  if (!done)
    problems.add(error);
  return done;
}

bool Session::run(uint64_t &nanoseconds) {
  Clock::time_point start = Clock::now();
  TwrtPoint point = {nullptr, 0};
  bool done =
      twrtCallSubmit(callHandle.get(), queueHandle.get(), nullptr, 0, &point, &error) == TWRT_OK &&
      twrtPointWait(point, UINT64_MAX, &error) == TWRT_OK;
  nanoseconds =
      uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
  if (!done && error.code != TWRT_CANCELLED)
    problems.add(error);
  return done;
}

bool Session::readShapes(std::vector<std::vector<int64_t>> &shapes) {
  shapes.clear();
  for (size_t i = 0; i < outputs.size(); ++i) {
    TwrtTensor result = {};
    result.size = sizeof(result);
    int64_t dims[32];
    if (twrtCallGetResult(callHandle.get(), i, &result, dims, 32, &error) != TWRT_OK) {
      problems.add(error);
      return false;
    }
    shapes.emplace_back(dims, dims + result.rank);
  }
  return true;
}

bool Session::advance() {
  std::vector<std::vector<int64_t>> shapes;
  if (!readShapes(shapes))
    return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].shares < 0)
      continue;
    const std::vector<int64_t> &dims = shapes[size_t(inputs[i].shares)];
    if (twrtCallSetDims(callHandle.get(), i, dims.data(), uint32_t(dims.size()), &error) !=
        TWRT_OK) {
      problems.add(error);
      return false;
    }
  }
  return true;
}

bool Session::readOutput(size_t number, Tensor &tensor) {
  TwrtTensor result = {};
  result.size = sizeof(result);
  int64_t dims[32];
  bool read = twrtCallGetResult(callHandle.get(), number, &result, dims, 32, &error) == TWRT_OK;
  if (read) {
    tensor.name = outputs[number].name;
    tensor.array.element = result.element;
    tensor.array.dims.assign(dims, dims + result.rank);
    size_t bytes = twrtElementBytes(result.element);
    std::vector<int64_t> storage;
    if (result.storage)
      storage.assign(result.storage, result.storage + result.rank);
    for (int64_t dim : storage.empty() ? tensor.array.dims : storage)
      bytes *= size_t(dim);
    tensor.array.data.resize(bytes);
    TwrtPoint point = {nullptr, 0};
    read = twrtBufferRead(queueHandle.get(), result.buffer, result.offset, tensor.array.data.data(),
                          bytes, &point, &error) == TWRT_OK &&
           twrtPointWait(point, UINT64_MAX, &error) == TWRT_OK;
    if (!storage.empty())
      tensor.array.data =
          gather(tensor.array.data, tensor.array.dims, storage, twrtElementBytes(result.element));
  }
  if (!read)
    problems.add(error);
  return read;
}

bool Session::readOutputs(std::vector<Tensor> &tensors) {
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!readOutput(i, tensors.emplace_back()))
      return false;
  return true;
}

bool Session::readScalar(size_t output, double &number) {
  Tensor tensor;
  bool read = readOutput(output, tensor);
  number = read ? tensor.at(0) : 0;
  return read;
}
