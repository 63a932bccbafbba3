// One model on one device: from file to results.
#pragma once

#include "CompilerLibrary.h"
#include "ModuleCache.h"
#include "Tensors.h"

#include <map>
#include <memory>

namespace tw::run {

template <typename T, void (*release)(T *)> struct Release {
  void operator()(T *object) const { release(object); }
};
template <typename T, void (*release)(T *)> using Handle = std::unique_ptr<T, Release<T, release>>;

/// Steps are called in order; each returns false with the reasons in `problems`.
class Session {
public:
  Session(const Options &options, Progress &progress, Problems &problems);

  bool openDevice();
  /// Opens the module, from the cache or from the compiler if need be, and makes a program of it.
  bool loadModel();
  /// Runs the program's initializer, if it has one; the hook may be NULL.
  bool initialize(TwrtLaunchHook hook, void *user);
  /// Uploads the inputs and prepares the call.
  bool prepare(const std::vector<Tensor> &inputs);
  /// Other elements for an input of the prepared call.
  bool write(size_t input, std::span<const uint8_t> data);
  /// An output of the last run, which is a scalar of floats.
  bool readScalar(size_t output, double &number);
  /// One run; `nanoseconds` is the time from submitting to the end.
  bool run(uint64_t &nanoseconds);
  bool readOutputs(std::vector<Tensor> &outputs);
  /// Makes results that share an input's memory the next run's inputs.
  bool advance();
  /// The dimensions of all outputs of the last run.
  bool readShapes(std::vector<std::vector<int64_t>> &shapes);

  /// The compiler, opened when first asked for; NULL with the reason in `problems`.
  CompilerLibrary *compiler();
  /// TwcInput::import: what the command line says of symbols, assumed values and inputs' shapes.
  std::string importEntries() const { return importOptions + importShapes; }
  /// The same for the sizes that these inputs have, of which none is left open.
  std::string importEntries(const std::vector<Tensor> &inputs) const;

  bool isModule() const { return moduleFile; }
  const std::vector<Value> &inputValues() const { return inputs; }
  const std::vector<Value> &outputValues() const { return outputs; }
  /// Names of the sizes that a call settles, of which dimension -1 - i of a value is the i-th.
  const std::vector<std::string> &symbolNames() const { return symbols; }
  /// The least size of each of them above 0.
  const std::vector<int64_t> &symbolLeast() const { return leastSizes; }
  /// Fills in what follows from the sizes that are known, by dimension, for other symbols.
  void deduceSymbols(SymbolSizes &sizes) const;
  /// What the storage of an input comes to for dimensions of it.
  std::vector<int64_t> getStorage(size_t input, const std::vector<int64_t> &dims) const;
  TwrtInstance *instance() const { return instanceHandle.get(); }
  TwrtModule *module() const { return moduleHandle.get(); }
  TwrtCall *call() const { return callHandle.get(); }
  std::string description() const;
  bool isHost() const { return options.device == "host"; }
  /// Threads that run kernels of the host device.
  uint64_t threadCount() const;

  bool fromCache = false, compiled = false;
  double loadSeconds = 0;
  uint64_t arenaBytes = 0;
  /// What the initializer did; no launches if there is none.
  TwrtInitialization initialization = {sizeof(TwrtInitialization), 0, 0, 0, 0, 0};

private:
  bool readOutput(size_t number, Tensor &tensor);
  bool openModule(std::span<const uint8_t> bytes, bool quiet);
  bool compileModel();
  bool findCached(const ModuleCache &cache, const std::string &key);
  bool makeProgram();
  bool checkSymbols();
  bool checkRanges();
  std::string weightsFolder() const;

  const Options &options;
  Progress &progress;
  Problems &problems;
  TwrtError error = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  std::unique_ptr<CompilerLibrary> library;
  ModuleCache::Entry cached;
  CompilerLibrary::Blob blob{nullptr, {nullptr}};
  bool moduleFile = false;
  std::string importOptions, importShapes;
  Handle<TwrtInstance, twrtInstanceRelease> instanceHandle;
  Handle<TwrtDevice, twrtDeviceRelease> deviceHandle;
  Handle<TwrtQueue, twrtQueueRelease> queueHandle;
  Handle<TwrtModule, twrtModuleRelease> moduleHandle;
  Handle<TwrtProgram, twrtProgramRelease> programHandle;
  Handle<TwrtCall, twrtCallRelease> callHandle;
  std::vector<Handle<TwrtBuffer, twrtBufferRelease>> buffers;
  std::vector<Value> inputs, outputs;
  std::vector<std::string> symbols;
  std::vector<int64_t> leastSizes;
};

} // namespace tw::run
