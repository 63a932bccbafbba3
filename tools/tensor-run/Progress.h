// Says on stderr what is going on, once it takes longer than a second.
#pragma once

#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <string>

namespace tw::run {

/// On a terminal one line that changes; elsewhere a line every two seconds at most.
class Progress {
public:
  explicit Progress(bool quiet);
  ~Progress();

  /// From now on this is going on; `total` 0: nobody knows how much there is.
  void set(const std::string &what, uint32_t done = 0, uint32_t total = 0);
  /// Nothing worth saying until the next set; clears the line.
  void clear();

private:
  void watch();

  std::mutex mutex;
  std::condition_variable changed;
  std::string text, shown;
  bool stopping = false, terminal = false, line = false;
  bool watched = false;
  pthread_t thread = {};
};

} // namespace tw::run
