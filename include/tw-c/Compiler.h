/* The C API of the compiler, libtensorwright, reached through one exported function so that the
 * library can be opened at run time. It needs no header of MLIR or of the runtime.
 *
 * Threads: one context is used by one thread at a time; different contexts may be used at once.
 * Ownership: blobs and contexts are released by the caller; a blob may outlive its context. All
 * strings handed in are ended by zero and UTF-8 unless a TwcString is asked for.
 * Errors: a function that fails returns a code other than TWC_OK after it has told the handler
 * why; outputs are then untouched. Nothing is printed, nothing exits.
 * Sizes: structs that start with `size` are filled by the caller with sizeof(struct), so that they
 * can grow; a smaller known size is accepted, an unknown one refused. */
#ifndef TW_C_COMPILER_H
#define TW_C_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TWC_EXPORT __attribute__((visibility("default")))
#else
#define TWC_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define TWC_ABI 0u

/* Diagnostics say why; the code is that of the first error. */
typedef enum TwcCode {
  TWC_OK = 0,
  TWC_FAILED = 1,           /* the input is malformed or meaningless, or the compiler is wrong */
  TWC_INVALID_ARGUMENT = 2, /* nulls, unknown names, wrong sizes: the caller's mistake */
  TWC_UNSUPPORTED = 3,      /* sound input that this compiler or target cannot do */
  TWC_IO_ERROR = 4,         /* a file that is missing, cannot be read or written, or lies outside */
  TWC_OUT_OF_MEMORY = 5
} TwcCode;

typedef struct TwcContext TwcContext;
typedef struct TwcBlob TwcBlob;

typedef struct TwcBytes {
  const void *data;
  size_t size;
} TwcBytes;

typedef struct TwcString {
  const char *data;
  size_t size;
} TwcString;

typedef enum TwcSeverity { TWC_ERROR = 0, TWC_WARNING = 1, TWC_NOTE = 2 } TwcSeverity;

/* Valid during the handler's call. Members that do not apply are empty strings or 0. A note
 * belongs to the diagnostic before it. */
typedef struct TwcDiagnostic {
  uint32_t size;
  TwcSeverity severity;
  const char *code; /* "T0104" */
  const char *file;
  uint32_t line, column;
  const char *node;    /* name of the model's node */
  const char *message; /* without the code */
  const char *remedy;
  const char *excerpt; /* the line of a text, and below it a caret at the column */
} TwcDiagnostic;

typedef void (*TwcDiagnosticHandler)(void *user, const TwcDiagnostic *diagnostic);

/* Where messages go; `handler` NULL drops them. */
typedef struct TwcSink {
  TwcDiagnosticHandler handler;
  void *user;
} TwcSink;

/* Element types are numbered as in the module file and in twrt.h (TwrtElement). Dense,
 * row-major; `data` has room for all elements, at least element-aligned. */
typedef struct TwcTensor {
  uint32_t element;
  uint32_t rank;
  const int64_t *dims;
  void *data;
} TwcTensor;

typedef enum TwcInputKind {
  TWC_INPUT_AUTO = 0, /* by the path's ending, then by content */
  TWC_INPUT_MLIR = 1,
  TWC_INPUT_ONNX = 2
} TwcInputKind;

/* A path, or bytes with the path (may be NULL) only naming them in messages and giving the folder
 * that external weights lie beneath. Weights in an ONNX model's bytes become part of the module;
 * the context keeps a copy of them as long as it lives. */
typedef struct TwcInput {
  uint32_t size;
  TwcInputKind kind;
  const char *path;
  TwcBytes bytes; /* data NULL: read the path */
  /* How the program is read, one entry a line, or NULL: "symbol=NAME=SIZE" gives a symbolic
   * dimension its size, "shape=NAME=SIZE,SIZE..." an input its shape, which settles symbols (an
   * empty NAME stands for the next input that is not named), and of an ONNX model
   * "assume=NAME=tensor.pb" the value of an input on which shapes depend. "weights=FOLDER" is where
   * the files lie that constants of an MLIR program name, instead of the program's folder.
   * "follow-links=true" lets weights be symbolic links that lead out of the folder. */
  const char *import;
} TwcInput;

/* Members after `size` may be zero. */
typedef struct TwcOptions {
  uint32_t size;
  uint32_t threads; /* that make code; 0: one per core. Without options: 1 */
} TwcOptions;

typedef struct TwcCompileOptions {
  uint32_t size;
  uint32_t reserved; /* 0 */
  /* Names of listTargets with or without a chip: "host:x86-64-v3,opencl,cuda:sm_80,cuda:sm_90a";
   * "host" is this machine's CPU. NULL: the target of `device`, without one "host". */
  const char *target;
  const char *device;  /* JSON from twrtDeviceDescription of the device to run on, or NULL */
  const char *options; /* "name=value name=value", as the tools take them, or NULL */
  const char *dumpDir; /* folder for the IR after each stage, or NULL */
  /* Called when a stage starts; done of total stages are finished. May be NULL. */
  void (*progress)(void *user, const char *stage, uint32_t done, uint32_t total);
  void *progressUser;
  /* Folder that the module will lie in, which its weights are named from, or NULL: they are named
   * from the input's folder, which TwrtModuleOptions::weightsFolder must then name. A warning says
   * where they do not lie beneath it. Unused where options say "embed-weights=true". */
  const char *moduleFolder;
} TwcCompileOptions;

/* What checkKernel found. */
typedef struct TwcKernelCheck {
  uint32_t size;
  uint32_t worstBinding; /* index into the bindings */
  uint64_t worstElement; /* row-major */
  double expected, found;
  double maxError;     /* largest |found - expected|; infinite where only one of them is NaN */
  double maxReference; /* largest finite |expected| */
} TwcKernelCheck;

typedef struct TwcApi {
  uint32_t size;
  uint32_t abi;

  TwcCode (*contextCreate)(const TwcOptions *options, TwcContext **context);
  void (*contextRelease)(TwcContext *context);

  /* Input to the bytes of a module, which lists every file that it needs besides. */
  TwcCode (*compile)(TwcContext *context, const TwcInput *input, const TwcCompileOptions *options,
                     TwcSink sink, TwcBlob **module);
  TwcBytes (*blobBytes)(const TwcBlob *blob);
  void (*blobRelease)(TwcBlob *blob);

  /* JSON array of {name, summary}. */
  TwcCode (*listTargets)(TwcContext *context, TwcBlob **json);
  /* Long text for an error code such as "T0104"; NULL if there is none. Static memory. */
  const char *(*explain)(const char *code);
  /* Version of the compiler. Static memory. */
  const char *(*version)(void);

  /* Runs the whole model in the interpreter. `results` have room for what the model returns; their
   * types are checked against the model's. */
  TwcCode (*interpret)(TwcContext *context, const TwcInput *input, const TwcTensor *arguments,
                       size_t argumentCount, TwcTensor *results, size_t resultCount, TwcSink sink);

  /* Runs one kernel's point form (twrtModuleKernelSource) in the interpreter on the first
   * `inputCount` bindings and compares the other bindings with what it computes. TWC_OK means that
   * the comparison was made, not that it agreed. */
  TwcCode (*checkKernel)(TwcContext *context, TwcString source, const TwcTensor *bindings,
                         size_t bindingCount, size_t inputCount, TwcSink sink,
                         TwcKernelCheck *check);

  /* `compile`, and beside the module what `tensor-compile --explain=json` prints of it: stages and
   * their times, kernels with schedules, candidates, cycles and limits. `report` may be NULL. */
  TwcCode (*compileReport)(TwcContext *context, const TwcInput *input,
                           const TwcCompileOptions *options, TwcSink sink, TwcBlob **module,
                           TwcBlob **report);
} TwcApi;

/* NULL if the library does not speak `abi`. */
TWC_EXPORT const TwcApi *twcGetApi(uint32_t abi);
typedef const TwcApi *(*TwcGetApi)(uint32_t abi);

#ifdef __cplusplus
}
#endif
#endif /* TW_C_COMPILER_H */
