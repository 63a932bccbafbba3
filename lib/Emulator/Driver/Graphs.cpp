// Graphs: what streams capture, to be handed in again and again.
#include "Library.h"

using namespace tw::emulator;

Graph *Library::findGraph(int device, void *graph, bool isExecutable) {
  auto found = graphs.find(graph);
  if (found != graphs.end() && found->second->device == device &&
      found->second->isExecutable == isExecutable)
    return found->second.get();
  mistake("a graph that is not alive on device %d", device);
  return nullptr;
}

int Library::beginCapture(int device, void *stream, int mode) {
  Stream *found = findStream(device, stream);
  if (!found)
    return InvalidHandle;
  if (mode != 2 || found->isCapturing) {
    mistake("a capture in mode %d, expected 2 on a stream that does not capture", mode);
    return InvalidValue;
  }
  found->isCapturing = true;
  return Success;
}

int Library::endCapture(int device, void *stream, void **graph) {
  Stream *found = findStream(device, stream);
  if (!found)
    return InvalidHandle;
  if (!found->isCapturing) {
    mistake("the end of a capture that has not begun");
    return InvalidValue;
  }
  auto made = std::make_unique<Graph>();
  made->device = device;
  made->commands = std::move(found->captured);
  found->captured.clear();
  found->isCapturing = false;
  *graph = made.get();
  graphs[*graph] = std::move(made);
  return Success;
}

int Library::instantiateGraph(int device, void **executable, void *graph) {
  const Graph *found = findGraph(device, graph, false);
  if (!found)
    return InvalidHandle;
  auto made = std::make_unique<Graph>(*found);
  made->isExecutable = true;
  *executable = made.get();
  graphs[*executable] = std::move(made);
  return Success;
}

int Library::updateGraph(int device, void *executable, void *graph) {
  Graph *updated = findGraph(device, executable, true);
  const Graph *by = findGraph(device, graph, false);
  if (!updated || !by)
    return InvalidHandle;
  bool isAlike = updated->commands.size() == by->commands.size();
  for (size_t i = 0; isAlike && i < by->commands.size(); ++i) {
    const Command &from = updated->commands[i], &to = by->commands[i];
    isAlike = from.kind == to.kind && from.function.module == to.function.module &&
              from.function.emulated == to.function.emulated &&
              from.function.kernel.kernel == to.function.kernel.kernel;
  }
  if (!isAlike)
    return GraphUpdateFailed;
  updated->commands = by->commands;
  return Success;
}

/// What a command of a graph uses may have gone since it was captured.
void Library::checkAlive(const Command &command) {
  auto check = [&](uint64_t address, uint64_t bytes) {
    if (Allocation *memory = findMemory(address, bytes);
        !memory || memory->device != command.device)
      mistake("a graph uses memory that is not alive on device %d", command.device);
  };
  if (command.kind == Command::Launch) {
    for (void *binding : command.bindings)
      if (binding)
        check(reinterpret_cast<uintptr_t>(binding), 0);
    if (!modules.count(command.function.module))
      mistake("a graph launches a function of a module that is not loaded");
    return;
  }
  check(command.to, command.bytes);
  if (command.from)
    check(command.from, command.bytes);
}

int Library::launchGraph(int device, void *executable, void *stream) {
  const Graph *found = findGraph(device, executable, true);
  Stream *on = findStream(device, stream);
  if (!found || !on)
    return InvalidHandle;
  if (on->isCapturing) {
    mistake("a graph handed to a stream that captures");
    return CaptureUnsupported;
  }
  for (const Command &command : found->commands) {
    checkAlive(command);
    if (int code = enqueue(device, stream, command); code != Success)
      return code;
  }
  return Success;
}

int Library::destroyGraph(int device, void *graph, bool isExecutable) {
  if (!findGraph(device, graph, isExecutable))
    return InvalidHandle;
  graphs.erase(graph);
  return Success;
}
