/* Runs a module of Tensorwright through libtwrt and times each run: what bench/cpu calls "ours". */
#include <string.h>
#include <time.h>

#include "twrt/twrt.h"

typedef struct Session {
  TwrtInstance *instance;
  TwrtDevice *device;
  TwrtQueue *queue;
  TwrtModule *module;
  TwrtProgram *program;
  TwrtCall *call;
} Session;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static int say(const TwrtError *error, char *message) {
  strncpy(message, error->message, 431);
  return 1;
}

int openSession(Session *session, uint32_t threads, char *message) {
  TwrtError error = {sizeof(error)};
  TwrtInstanceOptions options = {sizeof(options), threads};
  if (twrtInstanceCreate(&options, TWRT_ABI, &session->instance, &error) ||
      twrtInstanceOpenDevice(session->instance, "host", &session->device, &error) ||
      twrtQueueCreate(session->device, &session->queue, &error))
    return say(&error, message);
  return 0;
}

/* `parent` has an open device; `child` shares it. */
int openModule(Session *child, const Session *parent, const char *path, const char *folder,
               char *message) {
  TwrtError error = {sizeof(error)};
  TwrtModuleOptions options = {sizeof(options), TWRT_MODULE_ALLOW_NATIVE, folder, 0, 0, 0};
  *child = *parent;
  if (twrtModuleOpen(child->instance, path, &options, &child->module, &error) ||
      twrtProgramCreate(child->module, NULL, &child->device, 1, &child->program, &error) ||
      twrtCallCreate(child->program, &child->call, &error))
    return say(&error, message);
  return 0;
}

/* The index of an argument, or -1. */
int findArgument(const Session *session, const char *name) {
  for (size_t i = 0; i < twrtProgramArgumentCount(session->program); ++i) {
    TwrtValueInfo info = {sizeof(info)};
    if (twrtProgramArgument(session->program, i, &info, NULL) == TWRT_OK &&
        info.name.size == strlen(name) && !memcmp(info.name.data, name, info.name.size))
      return (int)i;
  }
  return -1;
}

/* `dims`: its sizes, some of which the program may leave open. */
int setArgument(Session *session, int index, const void *data, uint64_t bytes, const int64_t *dims,
                char *message) {
  TwrtError error = {sizeof(error)};
  TwrtValueInfo info = {sizeof(info)};
  TwrtBuffer *buffer = NULL;
  if (twrtProgramArgument(session->program, (size_t)index, &info, &error) ||
      twrtBufferCreate(session->device, bytes, 0, &buffer, &error) ||
      twrtBufferWrite(session->queue, buffer, 0, (TwrtBytes){data, bytes}, NULL, &error))
    return say(&error, message);
  TwrtTensor tensor = {sizeof(tensor), info.element, info.rank, 0, buffer, 0, dims, NULL};
  int failed = twrtCallSetArgument(session->call, (size_t)index, &tensor, &error) != TWRT_OK;
  twrtBufferRelease(buffer);
  return failed ? say(&error, message) : 0;
}

int runSession(Session *session, int64_t count, int64_t *nanoseconds, char *message) {
  TwrtError error = {sizeof(error)};
  for (int64_t i = 0; i < count; ++i) {
    TwrtPoint point = {0};
    int64_t begin = now();
    if (twrtCallSubmit(session->call, session->queue, NULL, 0, &point, &error) ||
        twrtPointWait(point, UINT64_MAX, &error))
      return say(&error, message);
    nanoseconds[i] = now() - begin;
  }
  return 0;
}

/* The data of a result after a run; `bytes` is what the caller expects. */
const void *getResult(Session *session, size_t index, uint64_t bytes, char *message) {
  TwrtError error = {sizeof(error)};
  TwrtTensor tensor = {sizeof(tensor)};
  int64_t dims[8];
  if (twrtCallGetResult(session->call, index, &tensor, dims, 8, &error)) {
    say(&error, message);
    return NULL;
  }
  uint64_t found = twrtElementBytes(tensor.element);
  for (uint32_t d = 0; d < tensor.rank; ++d)
    found *= (uint64_t)dims[d];
  if (found != bytes) {
    strcpy(message, "a result of another size than expected");
    return NULL;
  }
  return (const char *)twrtBufferData(tensor.buffer) + tensor.offset;
}

void closeModule(Session *session) {
  twrtCallRelease(session->call);
  twrtProgramRelease(session->program);
  twrtModuleRelease(session->module);
}
