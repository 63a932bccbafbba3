// Streams and events: commands run when somebody waits or asks.
#include "Library.h"

#include <cstring>
#include <ctime>

using namespace tw::emulator;

static uint8_t *bytesAt(uint64_t address) { return reinterpret_cast<uint8_t *>(address); }

static double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

Stream *Library::findStream(int device, void *stream) {
  auto found = streams.find(stream);
  if (found != streams.end() && found->second->device == device)
    return found->second.get();
  mistake("a stream that is not alive on device %d", device);
  return nullptr;
}

Event *Library::findEvent(int device, void *event) {
  auto found = events.find(event);
  if (found != events.end() && found->second->device == device)
    return found->second.get();
  mistake("an event that is not alive on device %d", device);
  return nullptr;
}

void Library::pend(const Command &command, int change) {
  auto touch = [&](uint64_t address) {
    if (Allocation *found = address ? findMemory(address, 0) : nullptr)
      found->pending += uint32_t(change);
  };
  touch(command.to);
  touch(command.from);
  for (void *binding : command.bindings)
    touch(reinterpret_cast<uintptr_t>(binding));
}

int Library::enqueue(int device, void *stream, Command command) {
  Stream *found = findStream(device, stream);
  if (!found)
    return InvalidHandle;
  command.device = device;
  if (found->isCapturing) {
    // Whoever waits for an event, or copies what the host has, would be waited for.
    if (command.isStaged || command.kind == Command::Record || command.kind == Command::Wait) {
      mistake("a command that cannot be captured");
      return CaptureUnsupported;
    }
    found->captured.push_back(std::move(command));
    return Success;
  }
  pend(command, 1);
  found->commands.push_back(std::move(command));
  return Success;
}

int Library::codeOf(int device) const {
  auto found = lost.find(device);
  return found == lost.end() ? int(Success) : found->second;
}

void Library::execute(const Command &command) {
  // After a fault nothing happens on the device any more; who waits is let go.
  if (codeOf(command.device) != Success && command.kind != Command::Record)
    return;
  switch (command.kind) {
  case Command::Copy:
    if (command.bytes) // None: a record that a later one has replaced.
      memcpy(bytesAt(command.to), command.isStaged ? command.staged.data() : bytesAt(command.from),
             command.bytes);
    memories[command.device].markWritten(command.to, command.bytes);
    break;
  case Command::Set:
    for (uint64_t i = 0; i < command.bytes; i += command.width)
      memcpy(bytesAt(command.to) + i, &command.pattern, command.width);
    memories[command.device].markWritten(command.to, command.bytes);
    break;
  case Command::Launch: {
    if (command.function.emulated)
      return emulate(command);
    std::vector<uint8_t> local(command.localBytes + 64, 0xcd);
    for (uint64_t group = 0; group < command.groups; ++group)
      command.function.kernel.kernel(
          {command.bindings.data(), command.scalars.data(), group, command.threads, local.data()});
    break;
  }
  case Command::Record:
    command.event->reached = true;
    command.event->time = now();
    break;
  case Command::Wait:
    runUntil(*command.event);
    break;
  }
}

void Library::runOne(Stream &stream) {
  Command command = std::move(stream.commands[stream.next++]);
  if (stream.next == stream.commands.size()) {
    stream.commands.clear();
    stream.next = 0;
  }
  pend(command, -1);
  execute(command);
}

void Library::runAll(Stream &stream) {
  while (stream.next < stream.commands.size())
    runOne(stream);
}

void Library::runUntil(Event &event) {
  for (auto &[handle, stream] : streams)
    for (size_t i = stream->next; i < stream->commands.size(); ++i)
      if (stream->commands[i].kind == Command::Record && stream->commands[i].event == &event) {
        while (!event.reached)
          runOne(*stream);
        return;
      }
}

int Library::streamCreate(int device, void **stream, unsigned flags) {
  if (flags != 1) {
    mistake("a stream with flags %u, expected non-blocking", flags);
    return InvalidValue;
  }
  auto made = std::make_unique<Stream>();
  made->device = device;
  *stream = made.get();
  streams[*stream] = std::move(made);
  return Success;
}

int Library::streamDestroy(int device, void *stream) {
  Stream *found = findStream(device, stream);
  if (!found)
    return InvalidHandle;
  if (found->next < found->commands.size())
    mistake("a stream destroyed before its commands have run");
  streams.erase(stream);
  return Success;
}

int Library::streamSynchronize(int device, void *stream) {
  Stream *found = findStream(device, stream);
  if (!found)
    return InvalidHandle;
  if (found->isCapturing) {
    mistake("waiting for a stream that captures");
    return CaptureUnsupported;
  }
  if (held && found->next < found->commands.size())
    mistake("waiting for a stream that is held");
  runAll(*found);
  return codeOf(device);
}

int Library::streamWaitEvent(int device, void *stream, void *event) {
  auto found = events.find(event);
  if (found == events.end()) {
    mistake("a stream waits for an event that is not alive");
    return InvalidHandle;
  }
  if (!found->second->recorded || found->second->reached)
    return Success;
  Command command;
  command.kind = Command::Wait;
  command.event = found->second.get();
  return enqueue(device, stream, std::move(command));
}

int Library::copyToDevice(int device, uint64_t to, const void *from, size_t bytes, void *stream) {
  if (!checkRange(device, to, bytes, "copy to the device"))
    return InvalidValue;
  Command command;
  command.to = to;
  command.bytes = bytes;
  command.from = reinterpret_cast<uintptr_t>(from);
  Allocation *source = findMemory(command.from, bytes);
  if (!source) {
    const uint8_t *begin = static_cast<const uint8_t *>(from);
    command.staged.assign(begin, begin + bytes);
    command.isStaged = true;
    command.from = 0;
  } else if (!source->pinned) {
    mistake("copy to the device from device memory");
  }
  return enqueue(device, stream, std::move(command));
}

int Library::copyToHost(int device, void *to, uint64_t from, size_t bytes, void *stream) {
  if (!checkRange(device, from, bytes, "copy to the host"))
    return InvalidValue;
  Command command;
  command.to = reinterpret_cast<uintptr_t>(to);
  command.from = from;
  command.bytes = bytes;
  Allocation *target = findMemory(command.to, bytes);
  if (target && !target->pinned)
    mistake("copy to the host into device memory");
  int code = enqueue(device, stream, std::move(command));
  if (code == Success && !target) {
    if (held)
      mistake("a copy to pageable memory waits for a stream that is held");
    runAll(*streams[stream]);
    return codeOf(device);
  }
  return code;
}

int Library::copyOnDevice(int device, uint64_t to, uint64_t from, size_t bytes, void *stream) {
  if (!checkRange(device, to, bytes, "copy") || !checkRange(device, from, bytes, "copy"))
    return InvalidValue;
  if (to < from + bytes && from < to + bytes) {
    mistake("a copy between ranges that overlap");
    return InvalidValue;
  }
  Command command;
  command.to = to;
  command.from = from;
  command.bytes = bytes;
  return enqueue(device, stream, std::move(command));
}

int Library::set(int device, uint64_t to, uint32_t pattern, uint32_t width, size_t count,
                 void *stream) {
  if (!checkRange(device, to, count * width, "set"))
    return InvalidValue;
  if (to % width != 0) {
    mistake("set of %u-byte elements at %#llx", width, (unsigned long long)to);
    return InvalidValue;
  }
  Command command;
  command.kind = Command::Set;
  command.to = to;
  command.bytes = count * width;
  command.pattern = pattern;
  command.width = width;
  return enqueue(device, stream, std::move(command));
}

int Library::eventCreate(int device, void **event, unsigned flags) {
  auto made = std::make_unique<Event>();
  made->device = device;
  made->timing = !(flags & 2);
  *event = made.get();
  events[*event] = std::move(made);
  return Success;
}

int Library::eventDestroy(int device, void *event) {
  Event *found = findEvent(device, event);
  if (!found)
    return InvalidHandle;
  if (found->recorded && !found->reached)
    mistake("an event destroyed before it is reached");
  for (auto &[handle, stream] : streams)
    std::erase_if(stream->commands, [&](const Command &c) { return c.event == found; });
  events.erase(event);
  return Success;
}

int Library::eventRecord(int device, void *event, void *stream) {
  Event *found = findEvent(device, event);
  if (!found)
    return InvalidHandle;
  // A second record supersedes the first.
  for (auto &[handle, other] : streams)
    for (Command &command : other->commands)
      if (command.kind == Command::Record && command.event == found)
        command = Command{};
  found->recorded = true;
  found->reached = false;
  Command command;
  command.kind = Command::Record;
  command.event = found;
  return enqueue(device, stream, std::move(command));
}

int Library::eventQuery(int device, void *event) {
  Event *found = findEvent(device, event);
  if (!found)
    return InvalidHandle;
  if (!found->recorded || found->reached)
    return Success;
  if (held)
    return NotReady;
  for (auto &[handle, stream] : streams)
    for (size_t i = stream->next; i < stream->commands.size(); ++i)
      if (stream->commands[i].kind == Command::Record && stream->commands[i].event == found) {
        runOne(*stream);
        if (int code = codeOf(device); code != Success)
          return code;
        return found->reached ? Success : NotReady;
      }
  return Success;
}

int Library::eventSynchronize(int device, void *event) {
  Event *found = findEvent(device, event);
  if (!found)
    return InvalidHandle;
  if (!found->recorded || found->reached)
    return Success;
  if (held)
    mistake("waiting for an event of a stream that is held");
  runUntil(*found);
  return codeOf(device);
}

int Library::eventElapsed(int device, float *milliseconds, void *from, void *to) {
  Event *first = findEvent(device, from), *second = findEvent(device, to);
  if (!first || !second)
    return InvalidHandle;
  if (!first->timing || !second->timing) {
    mistake("time between events made without timing");
    return InvalidHandle;
  }
  if (!first->reached || !second->reached)
    return NotReady;
  *milliseconds = float(second->time - first->time);
  return Success;
}

int Library::launch(int device, void *function, const unsigned (&grid)[3],
                    const unsigned (&block)[3], unsigned dynamicBytes, void *stream,
                    void **parameters) {
  auto found = functions.find(function);
  if (found == functions.end() || found->second->module->device != device) {
    mistake("a launch of a function that is not loaded on device %d", device);
    return InvalidHandle;
  }
  const Function &called = *found->second;
  const Device &on = *find(device);
  uint64_t threads = uint64_t(block[0]) * block[1] * block[2];
  if (threads == 0 || grid[0] == 0 || grid[1] == 0 || grid[2] == 0 ||
      grid[0] > unsigned(on.maxGridX) || grid[1] > 65535 || grid[2] > 65535) {
    mistake("a launch of %u x %u x %u groups of %llu threads", grid[0], grid[1], grid[2],
            (unsigned long long)threads);
    return InvalidValue;
  }
  if (threads > uint64_t(on.maxThreads))
    return InvalidValue;
  if (dynamicBytes > unsigned(on.localBytes) && dynamicBytes > unsigned(called.dynamicBytes)) {
    mistake("a launch with %u bytes of local memory that were not asked for", dynamicBytes);
    return InvalidValue;
  }
  Command command;
  command.kind = Command::Launch;
  command.function = called;
  command.groups = uint64_t(grid[0]) * grid[1] * grid[2];
  command.threads = uint32_t(threads);
  command.localBytes = dynamicBytes;
  if (called.emulated) {
    std::copy(grid, grid + 3, command.grid);
    std::copy(block, block + 3, command.block);
    int code = addEmulated(command, parameters);
    return code == Success ? enqueue(device, stream, std::move(command)) : code;
  }
  for (uint32_t i = 0; i < called.kernel.bindings; ++i) {
    uint64_t address;
    memcpy(&address, parameters[i], sizeof(address));
    if (address && !checkRange(device, address, 1, "launch"))
      return InvalidValue;
    command.bindings.push_back(reinterpret_cast<void *>(address));
  }
  for (uint32_t i = 0; i < called.kernel.scalars; ++i) {
    int64_t scalar;
    memcpy(&scalar, parameters[called.kernel.bindings + i], sizeof(scalar));
    command.scalars.push_back(scalar);
  }
  return enqueue(device, stream, std::move(command));
}
