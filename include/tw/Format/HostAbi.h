/* How the runtime calls a kernel of a host image. C and C++.
 *
 * An image is read-only data followed by 64 KiB-aligned text, without relocations, imports,
 * writable data, constructors or unwind tables; it runs wherever it is mapped. */
#ifndef TW_FORMAT_HOSTABI_H
#define TW_FORMAT_HOSTABI_H

#include <stdint.h>

/* bindings: inputs, then results; arena memory is 64-byte aligned, constants and arguments at
 * least element-aligned. */
typedef struct TwrtHostLaunch {
  void *const *bindings;
  const int64_t *scalars;
  uint32_t grid[3];
} TwrtHostLaunch;

/* Runs the programs [begin, end) of the grid, counted row-major; any split of the grid over
 * threads gives the same result. `scratch` holds Variant::scratchBytes, 64-byte aligned, of the
 * calling thread's own; its contents start undefined. */
typedef void TwrtHostKernel(const TwrtHostLaunch *launch, uint32_t begin, uint32_t end,
                            void *scratch);

#endif /* TW_FORMAT_HOSTABI_H */
