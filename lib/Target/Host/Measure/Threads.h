// Times of what several threads do.
#pragma once

#include <functional>
#include <vector>

namespace tw::host::measure {

using ThreadTask = std::function<void()>;

/// Whether the system gives as many threads at once, the caller's among them.
bool hasThreads(unsigned count);

/// Runs each task in a thread of its own, all at once; seconds until the last one ends. A task
/// without a thread runs after the caller's.
double timeTogether(const std::vector<ThreadTask> &tasks);

/// Seconds from the beginning of a launch until as many threads, which spin as those of the
/// runtime's pool do, have seen it and the first one has seen that all have: the median of many.
double timeLaunch(unsigned threads);

} // namespace tw::host::measure
