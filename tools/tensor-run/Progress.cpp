// Says on stderr what is going on, once it takes longer than a second.
#include "Progress.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

using namespace tw::run;
using Clock = std::chrono::steady_clock;

Progress::Progress(bool quiet) : terminal(isatty(STDERR_FILENO)) {
  // Where no thread is to be had, nobody is told of progress.
  auto watchThis = [](void *progress) -> void * {
    static_cast<Progress *>(progress)->watch();
    return nullptr;
  };
  watched = !quiet && pthread_create(&thread, nullptr, watchThis, this) == 0;
}

Progress::~Progress() {
  clear();
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  changed.notify_one();
  if (watched)
    pthread_join(thread, nullptr);
}

void Progress::set(const std::string &what, uint32_t done, uint32_t total) {
  std::lock_guard lock(mutex);
  text = what;
  if (total)
    text += " (" + std::to_string(done) + " of " + std::to_string(total) + ")";
}

void Progress::clear() {
  std::lock_guard lock(mutex);
  text.clear();
  if (line)
    fputs("\r\033[K", stderr);
  line = false;
}

void Progress::watch() {
  Clock::time_point start = Clock::now(), last;
  std::unique_lock lock(mutex);
  while (!stopping) {
    changed.wait_for(lock, std::chrono::milliseconds(250));
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count();
    if (stopping || text.empty() || seconds < 1)
      continue;
    if (terminal) {
      fprintf(stderr, "\r\033[Ktensor-run: %s, %lld s", text.c_str(), (long long)seconds);
      line = true;
    } else if (text != shown && Clock::now() - last > std::chrono::seconds(2)) {
      fprintf(stderr, "tensor-run: %s\n", text.c_str());
      shown = text;
      last = Clock::now();
    }
  }
}
