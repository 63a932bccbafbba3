// The forms of a report other than text.
#pragma once

#include "Report.h"

namespace tw::run {

/// One object on one line.
void printJson(const Options &options, const Session &session, const Report &report,
               const Problems &problems);

} // namespace tw::run
