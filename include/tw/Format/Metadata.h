// The contents of a module as plain structs, for whoever writes one, and their encoding.
//
// The META section is a FlatBuffer (lib/Format/Module.fbs, field for field the structs below); the
// DEBUG section another (lib/Format/Debug.fbs). Readers use Module.h.
#pragma once

#include "tw/Format/Container.h"
#include "tw/Format/Element.h"
#include "tw/Format/TensorMap.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tw::format {

/// Dimensions that a tensor of a module may have.
inline constexpr uint32_t maxRank = 32;

/// The dimension that stands for symbol `index` of the function, in a binding for scalar `index` of
/// the launch.
constexpr int64_t symbolicDim(uint32_t index) { return -1 - int64_t(index); }

/// Dense and row-major. Dimensions below zero: symbolicDim.
struct TensorType {
  ElementType element = ElementType::F32;
  std::vector<int64_t> dims;
};

/// A size that is settled when a call is prepared: from min to max (-1: no upper bound), and a
/// multiple of `multiple`. Minor version 4 from `equation` on.
struct Symbol {
  std::string name;
  int64_t min = 0, max = -1, multiple = 1;
  /// 0: free, settled by the arguments that have it as a dimension. Else the number of an opcode:
  /// Const, `literal`; Add to Max, of the symbols `a` and `b`, which come before it.
  uint8_t equation = 0;
  uint32_t a = 0, b = 0;
  int64_t literal = 0;
  /// Another value changes scalars, grids and results' shapes, never where memory lies: a prepared
  /// call follows it without planning. A symbol computed from a late one may be none; the memory
  /// then is planned anew only when that one changes.
  bool late = false;
};

struct Argument {
  std::string name;
  TensorType type;
  /// Bytes the data must be aligned to, a power of two.
  uint32_t alignment = 1;
  uint16_t slot = 0;
  /// Result that shares this argument's memory, or -1.
  int32_t aliasesResult = -1;
  /// The extents that it has in memory, where these are not those of `type`: at least as large, of
  /// the same element and rank. A result that shares its memory has them too. Minor version 4.
  std::optional<TensorType> storage = std::nullopt;
  /// The elements that it must have, which the program was made for; empty: any. Its dimensions are
  /// numbers then, and `storage` is not there. Minor version 4.
  std::vector<uint8_t> assumed = {};
};

struct Result {
  std::string name;
  TensorType type;
  uint16_t slot = 0;
  /// The step of the quantised numbers that the result's are, 0: they are none.
  double step = 0;
  /// Empty, or for each dimension the result that says how many elements along it the call has
  /// made, from the first one on, -1: as many as the type says, which is the most. Results that
  /// count are scalars of I64 behind all others, and callers do not see them. Minor version 4.
  std::vector<int32_t> counts = {};
};

/// Derived: no bytes in the module; the initializer of each program that binds it computes them.
enum class Storage : uint8_t { Embedded = 0, External = 1, Splat = 2, Derived = 3 };

struct Constant {
  std::string name;
  TensorType type;
  Storage storage = Storage::Embedded;
  /// Embedded: index of a CONSTANTS section in the container's table.
  uint32_t section = 0;
  /// External: index into Metadata::files.
  uint32_t file = 0;
  /// Place in the section or file. `length` is always the type's size, Splat and Derived included.
  uint64_t offset = 0, length = 0;
  /// Bytes the kernels need it aligned to; the runtime copies it where the file does not give that.
  uint32_t alignment = 1;
  /// Of the bytes; empty or 16 bytes.
  std::vector<uint8_t> digest;
  /// Splat: the bytes of one element.
  std::vector<uint8_t> splat;
  uint16_t slot = 0;
};

/// A file that the compiler read and that constants may lie in.
struct File {
  /// Relative to the weights folder, with '/', without "..".
  std::string path;
  uint64_t length = 0;
  /// computeFileIdentity of the file.
  std::vector<uint8_t> identity;
};

/// What a file is recognised by, without reading all of it: the digest of its first
/// min(length, 64 KiB) bytes.
inline constexpr uint64_t fileIdentityBytes = 64 * 1024;
Digest computeFileIdentity(std::span<const uint8_t> fileStart);

enum class Access : uint8_t { Read = 1, Write = 2, ReadWrite = 3 };

/// `type` is what the kernel reads or writes there: a launch binds at least its size in bytes,
/// under the launch's scalars. Dimensions from scalars: minor version 4.
struct Binding {
  Access access = Access::Read;
  uint32_t alignment = 1;
  TensorType type;
};

/// One way to run a kernel; the first that the device can run is taken.
struct Variant {
  /// "host" for a function of a HOST_IMAGE with the ABI of TwrtHostKernel (docs of HostAbi.h),
  /// "host-team" for one that all threads of a device run together (minor version 3: a runtime that
  /// does not know the format finds nothing that it can run), or another of `variantFormats`.
  std::string format;
  /// Index of the image's section in the container's table.
  uint32_t section = 0;
  /// Symbol name; for messages and profilers in host images.
  std::string entry;
  /// Byte offset of the function in the image; 0 where drivers find functions by name.
  uint64_t offset = 0;
  /// Features that a device must list: CPU features as LLVM spells them ("avx2"), or levels
  /// ("x86-64-v3"), "fp64", "shaderInt64", "sm_90a", "gfx942".
  std::vector<std::string> needs;
  /// Threads of a program, at most 3 extents; empty in host images and only there.
  std::vector<uint32_t> group;
  /// Local memory is of a group, registers and spills (bytes) of a thread as the assembler said.
  uint32_t localBytes = 0, scratchBytes = 0, subgroup = 0, registers = 0, spills = 0;
  /// The threads of a program are independent, and its group is a parameter of the code: a program
  /// may run as `group[0]` / n groups of n threads along z, for any divisor n. SPIR-V takes n as
  /// the specialisation constant that the kernel's LocalSizeId names, OpenCL C as the launch's
  /// size. Those two formats only, without local memory, all extents but the first 1. Minor
  /// version 2.
  bool divisible = false;
  /// Scratch memory that the threads of a "host-team" share, beside that of each (`scratchBytes`).
  uint32_t sharedBytes = 0;
  /// Maps of tensors, which a launch passes behind the scalars. Variants with maps need
  /// `mapsFeature`; formats whose devices make them (Formats.def) alone have any.
  std::vector<TensorMap> maps = {};
};

/// The format of kernels whose launch all threads of a device run together.
inline constexpr std::string_view teamFormat = "host-team";

/// A format of kernels, the sections it stands in, and the target whose devices run it.
struct VariantFormat {
  std::string_view name;
  SectionKind section;
  std::string_view target;
  /// Whether a launch can give kernels the size of their groups.
  bool takesGroup;
  /// Whether a launch can give kernels maps of tensors.
  bool takesMaps;
};

/// The formats of this release, those of Formats.def.
std::span<const VariantFormat> variantFormats();
/// The one of that name, or null.
const VariantFormat *findVariantFormat(std::string_view name);

/// Bindings: inputs, then results; at most 16, and at most 16 scalars.
struct Kernel {
  std::string name;
  std::vector<Binding> bindings;
  uint16_t scalars = 0;
  std::vector<Variant> variants;
  /// Of one launch.
  uint64_t flops = 0, bytes = 0;
  /// What a launch takes at least if one core of the first chip does it alone, by the chip's peak
  /// rates: its float operations or its bytes. 0: not known.
  uint64_t leastCycles = 0;
};

/// A memory of the program: kind "host" or "device". maxSlab 0: no limit.
struct Slot {
  std::string kind;
  uint64_t maxSlab = 0;
  uint32_t offsetAlignment = 64;
  /// Sizes of the slabs of a static plan; empty when the runtime plans.
  std::vector<uint64_t> slabs;
  /// The slot's intervals in the order in which placing them did best at typical sizes, which the
  /// runtime tries first; empty where nothing is left to plan. Minor version 4.
  std::vector<uint32_t> order = {};
};

struct Command {
  uint16_t opcode = 0;
  uint16_t queue = 0;
  uint32_t first = 0, count = 0, target = 0;
};

/// Arena memory of the size in register `size`. offset -1: planned by the runtime.
struct Interval {
  uint16_t slot = 0;
  uint16_t slab = 0;
  uint32_t size = 0;
  uint32_t first = 0, last = 0;
  int64_t offset = -1;
  uint32_t alignment = 64;
};

/// Two symbols that must be equal, for what `location` says (UINT32_MAX: nothing is known).
struct Check {
  uint32_t a = 0, b = 0, location = UINT32_MAX;
};

/// Commands for one target. Made by ProgramBuilder.
struct Program {
  std::string target;
  std::vector<Slot> slots;
  uint32_t registers = 0, buffers = 0;
  std::vector<Interval> intervals;
  std::vector<Command> code;
  std::vector<uint32_t> operands;
  std::vector<int64_t> literals;
  /// One index into Metadata::locations per command, or empty.
  std::vector<uint32_t> locations;
  /// At most one: commands that run once, before the first call, and write derived constants. For
  /// the same target, with slots of its own; it binds constants only.
  std::vector<Program> initializer;
  /// Minor version 4.
  std::vector<Check> checks = {};
};

struct Function {
  std::string name;
  std::vector<Symbol> symbols;
  std::vector<Argument> arguments;
  std::vector<Result> results;
  std::vector<Program> programs;
};

/// parent -1: none.
struct Location {
  std::string file;
  uint32_t line = 0, column = 0;
  std::string node;
  int32_t parent = -1;
};

struct Metadata {
  /// "tensorwright 0.1.0"
  std::string producer;
  /// What else the same producer's code depends on: "LLVM 22.1.0". Says nothing of time or place,
  /// so that the same program gives the same bytes.
  std::string buildId;
  std::vector<File> files;
  std::vector<Constant> constants;
  std::vector<Kernel> kernels;
  std::vector<Function> functions;
  std::vector<Location> locations;
};

/// The bytes of a META section. Deterministic.
std::vector<uint8_t> encodeMetadata(const Metadata &metadata);

/// Whether it uses what minor version 4 added: equations, late symbols, storage, checks, orders of
/// intervals, results that are counted, dimensions from scalars, or opcodes of blocks and `symbol`.
bool needsFeatures14(const Metadata &metadata);

/// The file of the sections added so far around `metadata`, with a FEATURES_1_4 section after them
/// where that is needed.
std::vector<uint8_t> finishModule(ContainerWriter &writer, const Metadata &metadata);

/// The bytes of a DEBUG section: the point form of each kernel as text, by kernel index (empty
/// text: none).
std::vector<uint8_t> encodeDebug(const std::vector<std::string> &kernelSources);

/// Lays constants one after the other for a CONSTANTS section, each at its alignment.
class ConstantPool {
public:
  /// Copies `data` and returns its offset in the section. Equal data at a sufficient alignment
  /// shares a place.
  uint64_t add(std::span<const uint8_t> data, uint32_t alignment = 64);
  std::span<const uint8_t> bytes() const { return storage; }

private:
  struct Entry {
    Digest digest;
    uint64_t offset, length;
  };
  std::vector<uint8_t> storage;
  std::vector<Entry> entries;
};

} // namespace tw::format
