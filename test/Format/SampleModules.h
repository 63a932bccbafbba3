// Small modules with hand-made machine code, for the tests of the format and the runtime.
#pragma once

#include "tw/Format/Metadata.h"

#include <string>
#include <vector>

namespace tw::test {

/// main(x: f32[64]) -> y: f32[64] with y = 3 * (x + w), w an embedded f32[16] 0, 1, 2 ... repeated:
/// two launches over an arena, DEBUG section, locations.
std::vector<uint8_t> makeAffineModule();

/// main(x: f32[64]) -> y: f32[64] with y = 3 * (x + d), d = w + 1 a derived constant: the
/// initializer fills 256 bytes of an arena of its own with 1 and launches `add`, the program `add`
/// and `scale`.
std::vector<uint8_t> makeDerivedModule();

/// main(x: f32[S]) -> y: f32[S], S a multiple of 4 up to 1024: shape arithmetic, a guard that S is
/// not 8, two intervals planned at prepare, copies, a fill of the last quarter with 7.
std::vector<uint8_t> makeDynamicModule();

/// main() -> y: f32[48]: constants from `file` (f32[16] at byte `offset`), a splat 2.5 and an
/// embedded one that is not aligned. y is the three of them, one after the other.
std::vector<uint8_t> makeExternalModule(const std::string &file,
                                        const std::vector<uint8_t> &contents, uint64_t offset);

/// main() -> y: i32[64]: the floating-point control word as each program of a kernel sees it.
std::vector<uint8_t> makeControlModule();

/// The function of makeAffineModule with programs for host (if `host`), opencl and cuda, which
/// share the constant. Sections 4 to 6 are OPENCL_C, PTX and CUBIN; the code in them is not real.
std::vector<uint8_t> makeManyTargetsModule(bool host = true);

/// Adds the sections of makeAffineModule after META: CONSTANTS (1), HOST_IMAGE (2), DEBUG (3). The
/// image holds the kernel `put` if asked for.
void addSections(format::ContainerWriter &writer, bool withPut = false);

/// A module around `metadata` with the sections that makeAffineModule has: META, CONSTANTS (1),
/// HOST_IMAGE (2), DEBUG (3).
std::vector<uint8_t> assemble(const format::Metadata &metadata);

/// The metadata of makeAffineModule and of makeDerivedModule, to be damaged.
format::Metadata makeAffineMetadata();
format::Metadata makeDerivedMetadata();

// Modules of format 1.4, around a kernel whose bindings are typed in its scalars.

/// main(x: f32[S], z: f32[T]) -> y: f32[U] with y = 3 * x, then 5 * z: S to 512, T a multiple of 2,
/// U = S + T to 768, S mod 2 and T mod 2 checked to be equal, a guard that S is not 500, an order
/// of two intervals.
format::Metadata makeSizesMetadata();
/// main(x: f32[S]) -> y: f32[S] with y = 7 * x where S is 1, 5 * x below 16, else 3 * x: blocks in
/// blocks, with memory of their own.
format::Metadata makeChoiceMetadata();
/// main(x: f32[S], past: f32[P] in storage f32[256], mask: f32[L]) -> (present: f32[L], y: f32[S])
/// with L = P + S to 256: x is put behind past, in its memory; y is the first S of mask. P is late,
/// a buffer grows with it by 64, a guard wants it not to be 100.
format::Metadata makeCacheMetadata();
/// main(x: f32[64], flags: 4 bytes in an f32[1]) -> (y: f32[16], z: f32[64]): z is 3 * x in rows of
/// 16 from the last one on, the first three of x; y is the first row of x times 8, doubled for each
/// of the bytes of flags from the last on up to one that is 0, one more than there are, and times 5
/// if the third is 0. Loops of all kinds, that rotate and advance, and an `if`.
format::Metadata makeLoopsMetadata();

/// main(x: f32[64]) -> (y: f32[4, 16], z: f32[64]) and two results that count: y has all rows and
/// `columns` of each, z `elements`; both are x.
format::Metadata makeCountedMetadata(int64_t columns, int64_t elements);

} // namespace tw::test
