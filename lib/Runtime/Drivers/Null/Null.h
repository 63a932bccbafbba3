// What tests ask the null driver.
#pragma once

#include <cstdint>

namespace tw::runtime::null {

/// Handles used after they were destroyed, of the wrong kind or of another device, ranges outside
/// their memory, devices closed with handles alive: counted over the whole process.
uint64_t mistakeCount();

/// Handles alive on all null devices.
uint64_t liveCount();

/// Launches, copies and fills that plans have asked for.
uint64_t stepCount();

} // namespace tw::runtime::null
