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

  /// From the next run of the prepared call on.
  bool begin();
  /// Of the inputs: what is made of NaN is no kernel's fault.
  void checkInputs(const std::vector<Tensor> &inputs, std::vector<std::string> &notes);
  uint64_t step = 0;

private:
  static TwrtCode check(void *user, const TwrtLaunch *launch);

  Session &session;
  Problems &problems;
};

} // namespace tw::run
