/* How the runtime calls a kernel of a host image. C and C++.
 *
 * An image is read-only data followed by 64 KiB-aligned text, without relocations, imports,
 * writable data, constructors or unwind tables; it runs wherever it is mapped. */
#ifndef TW_FORMAT_HOSTABI_H
#define TW_FORMAT_HOSTABI_H

#include <stdint.h>

/* What a thread of a team is given: threads that run a launch together, all at the same time.
 * `barrier(state)` returns once every member has called it as often as this one; what members wrote
 * before is then seen by all. `shared` holds Variant::sharedBytes, 64-byte aligned, the same for
 * all members; its contents start undefined. */
typedef struct TwrtHostTeam {
  uint32_t member, members; /* from 0 on; at least 1 */
  void (*barrier)(void *state);
  void *state;
  void *shared;
} TwrtHostTeam;

/* bindings: inputs, then results; arena memory is 64-byte aligned, constants and arguments at
 * least element-aligned. One without bytes is at 64 bytes that can be read: kernels read the first
 * element in place of one that is not there. team: NULL but for variants of format "host-team". */
typedef struct TwrtHostLaunch {
  void *const *bindings;
  const int64_t *scalars;
  uint32_t grid[3];
  const TwrtHostTeam *team;
} TwrtHostLaunch;

/* Runs the programs [begin, end) of the grid, counted row-major; any split of the grid over
 * threads gives the same result. A team's kernel is called once by each member, with a launch that
 * holds its own `team` and with all programs, and gives the same result for any number of members.
 * `scratch` holds Variant::scratchBytes, 64-byte aligned, of the calling thread's own; its contents
 * start undefined. */
typedef void TwrtHostKernel(const TwrtHostLaunch *launch, uint32_t begin, uint32_t end,
                            void *scratch);

/* Of functions that call kernels: these have no signature in front of them, which Clang's sanitizer
 * of calls would read. */
#ifdef __clang__
#define TWRT_CALLS_KERNELS __attribute__((no_sanitize("function")))
#else
#define TWRT_CALLS_KERNELS
#endif

#endif /* TW_FORMAT_HOSTABI_H */
