// Calls of a decoder: tokens in, logits out; caches stay where they are.
#include "Generator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

static TwrtError error = {sizeof(TwrtError), TWRT_OK, 0, "", ""};

static void check(TwrtCode code) {
  if (code == TWRT_OK)
    return;
  fprintf(stderr, "language-model: error: %s\n", error.message);
  exit(1);
}

Generator::Generator(const std::string &path, const std::string &folder, uint32_t threads) {
  TwrtInstanceOptions options = {};
  options.size = sizeof options;
  options.hostThreads = threads;
  check(twrtInstanceCreate(&options, TWRT_ABI, &instance, &error));
  check(twrtInstanceOpenDevice(instance, "host", &device, &error));
  check(twrtQueueCreate(device, &queue, &error));
  TwrtModuleOptions moduleOptions = {};
  moduleOptions.size = sizeof moduleOptions;
  moduleOptions.flags = TWRT_MODULE_ALLOW_NATIVE;
  moduleOptions.weightsFolder = folder.c_str();
  check(twrtModuleOpen(instance, path.c_str(), &moduleOptions, &module, &error));
  check(twrtProgramCreate(module, "main", &device, 1, &program, &error));
  // Packs the weights, which the first call would do.
  check(twrtProgramInitialize(program, nullptr, nullptr, &error));
  check(twrtCallCreate(program, &call, &error));

  for (size_t i = 0; i < twrtProgramSymbolCount(program); ++i) {
    TwrtSymbolInfo symbol = {};
    symbol.size = sizeof symbol;
    check(twrtProgramSymbol(program, i, &symbol, &error));
    if (std::string(symbol.name.data, symbol.name.size) == "S")
      chunk = symbol.max;
  }
  for (size_t i = 1; i < twrtProgramArgumentCount(program); ++i) {
    TwrtValueInfo info = {};
    info.size = sizeof info;
    check(twrtProgramArgument(program, i, &info, &error));
    std::vector<int64_t> &storage = caches.emplace_back(info.storage, info.storage + info.rank);
    uint64_t bytes = twrtElementBytes(info.element);
    for (int64_t dim : storage)
      bytes *= uint64_t(dim);
    TwrtBuffer *buffer = nullptr;
    check(twrtBufferCreate(device, bytes, 0, &buffer, &error));
    int64_t dims[] = {storage[0], storage[1], 0, storage[3]};
    TwrtTensor tensor = {sizeof tensor, info.element, 4, 0, buffer, 0, dims, storage.data()};
    check(twrtCallSetArgument(call, i, &tensor, &error));
    twrtBufferRelease(buffer); // the call's from here on
    count = storage[0];
    most = storage[2];
  }
  check(twrtBufferCreate(device, uint64_t(count * chunk) * sizeof(int64_t), 0, &input, &error));
}

Generator::~Generator() {
  twrtBufferRelease(input);
  twrtCallRelease(call);
  twrtProgramRelease(program);
  twrtModuleRelease(module);
  twrtQueueRelease(queue);
  twrtDeviceRelease(device);
  twrtInstanceRelease(instance);
}

void Generator::step(const std::vector<std::vector<int64_t>> &tokens, size_t first, int64_t rows) {
  std::vector<int64_t> all;
  for (const std::vector<int64_t> &stream : tokens)
    all.insert(all.end(), stream.begin() + long(first), stream.begin() + long(first) + rows);
  check(twrtBufferWrite(queue, input, 0, {all.data(), all.size() * sizeof(int64_t)}, nullptr,
                        &error));
  int64_t taken[] = {count, rows};
  TwrtTensor tensor = {sizeof tensor, TWRT_I64, 2, 0, input, 0, taken, nullptr};
  check(twrtCallSetArgument(call, 0, &tensor, &error));
  for (size_t i = 0; i < caches.size(); ++i) {
    int64_t dims[] = {caches[i][0], caches[i][1], length, caches[i][3]};
    check(twrtCallSetDims(call, i + 1, dims, 4, &error));
  }
  TwrtPoint done = {};
  check(twrtCallSubmit(call, queue, nullptr, 0, &done, &error));
  check(twrtPointWait(done, UINT64_MAX, &error));
  length += rows;
}

const std::vector<std::vector<float>> &
Generator::feed(const std::vector<std::vector<int64_t>> &tokens) {
  size_t rows = tokens.front().size();
  for (size_t at = 0; at < rows; at += size_t(chunk))
    step(tokens, at, std::min<int64_t>(chunk, int64_t(rows - at)));
  TwrtTensor result = {};
  result.size = sizeof result;
  int64_t dims[2];
  check(twrtCallGetResult(call, 0, &result, dims, 2, &error));
  logits.assign(size_t(dims[0]), std::vector<float>(size_t(dims[1])));
  uint64_t offset = result.offset;
  for (std::vector<float> &own : logits) {
    check(twrtBufferRead(queue, result.buffer, offset, own.data(), own.size() * sizeof(float),
                         nullptr, &error));
    offset += own.size() * sizeof(float);
  }
  return logits;
}
