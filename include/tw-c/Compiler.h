/* The C API of the compiler, libtensorwright, reached through one exported function so that the
 * library can be opened at run time. It needs no header of MLIR or of the runtime.
 *
 * Concepts: a context holds what is registered; a module is a program at any stage, read or built
 * op by op; a function and its values are handles of the module that they are built in; a blob is
 * bytes or text.
 *
 * Threads: one context, with its modules, is used by one thread at a time; different contexts may
 * be used at once.
 * Ownership: blobs, modules and contexts are released by the caller, in any order; a module keeps
 * its context alive. Functions and values live as long as their module, until stages or passes run
 * on it. All strings handed in are ended by zero and UTF-8 unless a TwcString is asked for, and
 * copied where they are kept.
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
  TWC_OUT_OF_MEMORY = 5,    /* there is none, or TwcOptions::memoryLimit says so */
  TWC_CANCELLED = 6         /* TwcHooks::cancelled said so */
} TwcCode;

typedef struct TwcContext TwcContext;
typedef struct TwcBlob TwcBlob;
typedef struct TwcModule TwcModule;
typedef struct TwcFunction TwcFunction;

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
  TWC_INPUT_ONNX = 2,
  TWC_INPUT_STABLEHLO = 3 /* MLIR text with ops of stablehlo and chlo, as JAX prints it */
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
   * "assume=NAME=tensor.pb" the value of an input on which shapes depend. "alias=INPUT=OUTPUT"
   * gives the memory of an input to an output, by names or patterns with one star. "weights=FOLDER"
   * is where the files lie that constants of an MLIR program name, instead of the program's folder.
   * "follow-links=true" lets weights be symbolic links that lead out of the folder. */
  const char *import;
} TwcInput;

/* Members after `size` may be zero. */
typedef struct TwcOptions {
  uint32_t size;
  uint32_t threads; /* that make code; 0: one per core. Without options: 1 */
  /* Bytes by which a call may make the process's own memory grow; 0: no limit. Looked at where
   * TwcHooks::cancelled is asked, and before what a call reads, the tensors of the interpreter and
   * the weights of a module take their memory; in between it may be passed by what passes and one
   * kernel's code take. Mapped files do not count, what other threads of the process take does.
   * Beyond it a call ends with TWC_OUT_OF_MEMORY and T0517, and all is as before it. */
  uint64_t memoryLimit;
} TwcOptions;

/* What is told while stages and passes run; any member may be NULL. */
typedef struct TwcHooks {
  uint32_t size;
  uint32_t reserved; /* 0 */
  /* Before and after each pass of MLIR, by its name in pipelines ("kernel-fuse", or "" where it has
   * none) and the op that it runs on ("builtin.module", "func.func"). */
  void (*beforePass)(void *user, const char *pass, const char *op);
  void (*afterPass)(void *user, const char *pass, const char *op);
  /* Asked before each pass, and before each kernel's schedules are proposed and its code is made;
   * other than 0 ends the call with TWC_CANCELLED. Hooks are called by the calling thread alone; of
   * passes that run on single kernels in threads of the context they do not tell. */
  int (*cancelled)(void *user);
  void *user;
} TwcHooks;

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
  const TwcHooks *hooks; /* or NULL; for the time of the call */
} TwcCompileOptions;

/* One run of a kernel, for checkKernel. */
typedef struct TwcKernelRun {
  uint32_t size;
  uint32_t reserved;
  TwcString source;          /* twrtModuleKernelSource */
  const TwcTensor *bindings; /* inputs, then results, of the dimensions that they have in memory */
  size_t bindingCount, inputCount;
  /* By result, its memory before the run; needed of those that the kernel updates, else NULL. */
  const void *const *before;
  const int64_t *scalars; /* TwrtLaunch::scalars */
  size_t scalarCount;
} TwcKernelRun;

/* What checkKernel found of one result. */
typedef struct TwcKernelCheck {
  uint32_t size;
  uint32_t reserved;
  uint64_t worstElement; /* row-major */
  double expected, found;
  double maxError;     /* largest |found - expected|; infinite where only one of them is NaN */
  double maxReference; /* largest finite |expected| */
} TwcKernelCheck;

/* Where in the caller's source something is built; NULL, or line 0, for nowhere. */
typedef struct TwcPlace {
  const char *file;
  uint32_t line, column;
} TwcPlace;

/* The type of a tensor. A dimension that a call settles is -1 in `dims`, and in `expressions`,
 * which may be NULL otherwise, an expression of symbols: "S", "P + S", "2*S + 1". */
typedef struct TwcType {
  uint32_t element; /* TwrtElement */
  uint32_t rank;
  const int64_t *dims;
  const char *const *expressions;
} TwcType;

/* A tensor of a function; {NULL, NULL} is none. */
typedef struct TwcValue {
  void *function;
  void *value;
} TwcValue;

typedef enum TwcArgumentKind {
  TWC_ARGUMENT_DEFAULT = 0,  /* as if it were not there */
  TWC_ARGUMENT_BOOL = 1,     /* integer */
  TWC_ARGUMENT_INTEGER = 2,  /* integer */
  TWC_ARGUMENT_NUMBER = 3,   /* number */
  TWC_ARGUMENT_TEXT = 4,     /* text */
  TWC_ARGUMENT_INTEGERS = 5, /* integers, count */
  TWC_ARGUMENT_SHAPE = 6,    /* integers as TwcType::dims, expressions or NULL, count */
  TWC_ARGUMENT_TYPE = 7,     /* integer, a TwrtElement */
  TWC_ARGUMENT_VALUE = 8,    /* value */
  TWC_ARGUMENT_VALUES = 9    /* values, count */
} TwcArgumentKind;

/* One argument of an op, by the name that list(.., "ops") gives, or the next one where `name` is
 * NULL. Numbers are taken where values are, integers where numbers and lists are, lists of integers
 * where shapes are. */
typedef struct TwcArgument {
  const char *name;
  uint32_t kind; /* TwcArgumentKind */
  uint32_t count;
  int64_t integer;
  double number;
  const char *text;
  const int64_t *integers;
  const char *const *expressions;
  TwcValue value;
  const TwcValue *values;
} TwcArgument;

/* Builds the region of a branch or a loop out of its arguments: writes what it gives back, at most
 * `capacity` values, and returns how many; more than `capacity` for a failure. Called before the
 * function that it is handed to returns. What is made in it is used in it alone. */
typedef struct TwcRegion {
  size_t (*build)(void *user, const TwcValue *arguments, size_t count, TwcValue *values,
                  size_t capacity);
  void *user;
} TwcRegion;

typedef enum TwcPrintFlags {
  TWC_PRINT_LOCATIONS = 1, /* where ops come from */
  TWC_PRINT_WHOLE = 2,     /* all elements of constants, which are left out of long ones else */
  TWC_PRINT_GENERIC = 4,   /* MLIR's generic form */
  TWC_PRINT_BYTECODE = 8   /* MLIR's bytecode, whole and with locations */
} TwcPrintFlags;

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

  /* Runs one kernel's point form in the interpreter on the inputs of a run, and compares the run's
   * results with what it computes: `checks` has one for each, whose size is filled in. TWC_OK means
   * that the comparison was made, not that it agreed. */
  TwcCode (*checkKernel)(TwcContext *context, const TwcKernelRun *run, TwcSink sink,
                         TwcKernelCheck *checks);

  /* `compile`, and beside the module what `tensor-compile --explain=json` prints of it: stages and
   * their times, kernels with schedules, candidates, cycles and limits. `report` may be NULL. */
  TwcCode (*compileReport)(TwcContext *context, const TwcInput *input,
                           const TwcCompileOptions *options, TwcSink sink, TwcBlob **module,
                           TwcBlob **report);

  /* ---- what there is */

  /* JSON arrays: "targets" {name, summary, chips}, "stages" {name, summary, pipeline}, "forms" of
   * code {name, summary, target}, "ops" that can be built {section, name, text, results,
   * parameters:
   * [{name, kind, default}]}, "errors" {code, name, text}. */
  TwcCode (*list)(TwcContext *context, const char *what, TwcSink sink, TwcBlob **json);

  /* ---- modules */

  /* Reads a program at any stage, or imports a model. */
  TwcCode (*moduleRead)(TwcContext *context, const TwcInput *input, TwcSink sink,
                        TwcModule **module);
  /* An empty one to build functions in. `weightsFolder` is that of functionFileConstant's files, or
   * NULL. */
  TwcCode (*moduleCreate)(TwcContext *context, const char *weightsFolder, TwcModule **module);
  TwcCode (*moduleClone)(const TwcModule *module, TwcModule **clone);
  void (*moduleRelease)(TwcModule *module);
  TwcCode (*moduleVerify)(const TwcModule *module, TwcSink sink);
  /* `flags` of TwcPrintFlags. */
  TwcCode (*modulePrint)(const TwcModule *module, uint32_t flags, TwcBlob **text);
  /* "graph", "view" ... Static memory. */
  const char *(*moduleStage)(const TwcModule *module);
  /* Runs the stages that the program lacks up to and including `stage`, or "code": the kernels as
   * the target's code generator takes them. From stage schedule on the options name one target. */
  TwcCode (*moduleRunTo)(TwcModule *module, const char *stage, const TwcCompileOptions *options,
                         TwcSink sink);
  /* Runs a pipeline of passes, "func.func(canonicalize,cse),kernel-to-launch{target=host}", of any
   * that are registered; of the options, hooks alone are used. After a failure the module is as it
   * was. */
  TwcCode (*moduleRunPasses)(TwcModule *module, const char *pipeline,
                             const TwcCompileOptions *options, TwcSink sink);
  /* The code of the kernels in a form of list(.., "forms"): "assembly", "ptx". */
  TwcCode (*moduleEmit)(const TwcModule *module, const char *form, const TwcCompileOptions *options,
                        TwcSink sink, TwcBlob **code);
  /* The bytes of a module file, and of `compileReport` the report, where not NULL. */
  TwcCode (*moduleCompile)(const TwcModule *module, const TwcCompileOptions *options, TwcSink sink,
                           TwcBlob **bytes, TwcBlob **report);
  /* As `interpret`. */
  TwcCode (*moduleInterpret)(const TwcModule *module, const TwcTensor *arguments,
                             size_t argumentCount, TwcTensor *results, size_t resultCount,
                             TwcSink sink);

  /* ---- functions, built op by op; of each error the sink is told, and the module stays usable.
   * Handles of functions end with moduleRelease, and with moduleRunTo and moduleRunPasses. */

  TwcCode (*functionCreate)(TwcModule *module, const char *name, TwcFunction **function);
  /* A size that each call settles: a multiple of `step` from `min` to `max`. */
  TwcCode (*functionSymbol)(TwcFunction *function, const char *name, int64_t min, int64_t max,
                            int64_t step, const TwcPlace *place, TwcSink sink);
  /* The next argument. */
  TwcCode (*functionArgument)(TwcFunction *function, const char *name, const TwcType *type,
                              const TwcPlace *place, TwcSink sink, TwcValue *argument);
  /* Lets result `result` take the memory of an argument, whose dimensions there are those of
   * `storage`. */
  TwcCode (*functionAlias)(TwcFunction *function, TwcValue argument, uint32_t result,
                           const TwcType *storage, const TwcPlace *place, TwcSink sink);
  /* A constant, copied. */
  TwcCode (*functionConstant)(TwcFunction *function, const TwcTensor *tensor, const TwcPlace *place,
                              TwcSink sink, TwcValue *constant);
  /* A constant `offset` bytes into a file, row-major and little-endian. */
  TwcCode (*functionFileConstant)(TwcFunction *function, const char *file, uint64_t offset,
                                  const TwcType *type, const TwcPlace *place, TwcSink sink,
                                  TwcValue *constant);
  /* An op of list(.., "ops"). `count` holds the capacity of `results` on entry and the number of
   * results on return; TWC_INVALID_ARGUMENT where they are more than the capacity. */
  TwcCode (*functionCall)(TwcFunction *function, const char *op, const TwcArgument *arguments,
                          size_t argumentCount, const TwcPlace *place, TwcSink sink,
                          TwcValue *results, size_t *count);
  /* What `then` gives where the predicate, a bool scalar, holds, else what `otherwise` does;
   * neither has arguments. */
  TwcCode (*functionCond)(TwcFunction *function, TwcValue predicate, TwcRegion then,
                          TwcRegion otherwise, const TwcPlace *place, TwcSink sink,
                          TwcValue *results, size_t *count);
  /* Iterations as long as `condition`, one bool scalar of what is carried, holds; at most `limit`.
   */
  TwcCode (*functionWhile)(TwcFunction *function, TwcRegion condition, TwcRegion body,
                           const TwcValue *init, size_t initCount, int64_t limit,
                           const TwcPlace *place, TwcSink sink, TwcValue *results, size_t *count);
  /* `length` iterations over slices of `xs` along their first dimension, from the last one with
   * `reverse`. The body takes what is carried, then the slices; it gives what is carried, then
   * slices of results, which are stacked. `length` -1: the first dimension of xs. */
  TwcCode (*functionScan)(TwcFunction *function, TwcRegion body, const TwcValue *init,
                          size_t initCount, const TwcValue *xs, size_t xCount, int64_t length,
                          int reverse, const TwcPlace *place, TwcSink sink, TwcValue *results,
                          size_t *count);
  /* Ends the function. `names`, or one of them, may be NULL. */
  TwcCode (*functionReturn)(TwcFunction *function, const TwcValue *values, const char *const *names,
                            size_t count, const TwcPlace *place, TwcSink sink);
  /* Element type and dimensions, of which at most `capacity` are written, -1 where a call settles
   * them. */
  TwcCode (*valueType)(TwcValue value, uint32_t *element, uint32_t *rank, int64_t *dims,
                       uint32_t capacity);
  /* One dimension as an expression: "8", "P + S". */
  TwcCode (*valueDim)(TwcValue value, uint32_t axis, TwcBlob **text);

  /* The running combination of `xs`, of one shape, along an axis, from its end with `reverse`; a
   * result of each. `combine` takes what is combined, one scalar of each, then the next elements,
   * and gives what both are; it is associative, and uses no tensors around it. */
  TwcCode (*functionAssociativeScan)(TwcFunction *function, TwcRegion combine, const TwcValue *xs,
                                     size_t xCount, int64_t axis, int reverse,
                                     const TwcPlace *place, TwcSink sink, TwcValue *results,
                                     size_t *count);
  /* Which size of a symbol calls have most: it counts for more in what is chosen. */
  TwcCode (*functionTypical)(TwcFunction *function, const char *symbol, int64_t size,
                             const TwcPlace *place, TwcSink sink);
} TwcApi;

/* NULL if the library does not speak `abi`. */
TWC_EXPORT const TwcApi *twcGetApi(uint32_t abi);
typedef const TwcApi *(*TwcGetApi)(uint32_t abi);

#ifdef __cplusplus
}
#endif
#endif /* TW_C_COMPILER_H */
