// Finds the launch that makes the first NaN.
#pragma once

#include "Session.h"

namespace tw::run {

/// Looks at what each launch of a call writes, and stops the run with a problem that names the
/// first kernel with a NaN in it.
class NanCheck {
public:
  NanCheck(Session &session, Problems &problems) : session(session), problems(problems) {}
  ~NanCheck();

  /// From the next run of the prepared call on. A NaN among its inputs, of which no kernel is the
  /// maker, is a problem.
  bool begin(const std::vector<Tensor> &inputs);
  uint64_t step = 0;

private:
  static TwrtCode check(void *user, const TwrtLaunch *launch);

  Session &session;
  Problems &problems;
};

} // namespace tw::run
