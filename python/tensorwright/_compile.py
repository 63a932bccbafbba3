"""Compiling programs and models, and loading modules."""

from __future__ import annotations

import os
import sys
import time

from tensorwright import _errors, _tensorwright
from tensorwright._devices import Device
from tensorwright._model import Model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn

    from tensorwright._dims import Dim

_AUTO, _MLIR, _ONNX, _STABLEHLO = 0, 1, 2, 3
_BYTECODE_TAG = b"ML\xefR"
_ONNX_TAG = b"\x08"  # of the first field, ir_version, which no text begins with


def _find_compiler() -> str:
    """The path of the compiler's library: named by TENSORWRIGHT_LIBRARY, of the installed package,
    or of the build that this package lies in."""
    named = os.environ.get("TENSORWRIGHT_LIBRARY")
    if named:
        return named
    package = os.path.dirname(_tensorwright.__file__ or "")
    for folder in (os.path.join(package, "lib"), os.path.join(package, "..", "..", "lib")):
        path = os.path.join(folder, "libtensorwright.so.0")
        if os.path.exists(path):
            return path
    raise _errors.CompilerMissingError(
        "compiling needs the package tensorwright, and tensorwright-runtime is here alone",
        code="T0607",
        remedy=_tensorwright.explain("T0607") or "",
    )


class _Progress:
    """Tells of a compilation that takes longer than a second, on a terminal or in a notebook."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.told = False

    def __call__(self, stage: str, done: int, total: int) -> None:
        if time.monotonic() - self.began >= 1:
            sys.stderr.write(f"\r\x1b[Kcompiling: {stage} ({done} of {total})")
            sys.stderr.flush()
            self.told = True

    def end(self) -> None:
        if self.told:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _is_shown() -> bool:
    return (sys.stderr is not None and sys.stderr.isatty()) or "ipykernel" in sys.modules


class Samples:
    """A program at several sizes of its symbols, of which the compiler makes the one for all of their ranges.

    Attributes:
        sizes: of the symbols in the order of their names, as the compiler's `chooseSizes` has them.
        programs: bytes of a program for each.
        small: symbols that may be none or one, and which.
        known: what sizes of slices are that are no sums of multiples.
    """

    def __init__(self, ranges: Mapping[str, tuple[int, ...]]) -> None:
        self.names = sorted(ranges)
        most = [ranges[name][1] for name in self.names]
        # Not 0 and 1, of which functions make other programs that mean the same.
        steps = [(*ranges[name][2:], 1)[0] for name in self.names]
        least = [max(ranges[name][0], 2 if step == 1 else step) for name, step in zip(self.names, steps)]
        for i, (low, high, *_) in enumerate(ranges[name] for name in self.names):
            # Where there would be no other one, one beyond the range.
            least[i], most[i] = (high, high) if low == high else (least[i], max(high, least[i] + steps[i]))
        count = range(len(most))
        self.sizes = [most]
        self.sizes += [[least[j] if j == i else most[j] for j in count] for i in count]
        self.sizes += [[least[k] if k in (i, j) else most[k] for k in count] for i in count for j in range(i + 1, len(most))]
        self.sizes.append(least)
        # Neighbours, of all remainders by eight and less, in another order for each symbol.
        places = [(high - low) // step for low, high, step in zip(least, most, steps)]
        firsts = [max(0, min(last * 5 // 16, last - 7)) for last in places]
        for each in range(8):
            at = [((2 * i + 1) * each + i) % 8 for i in count]
            self.sizes.append(
                [low + (first + i) % (last + 1) * step for low, first, last, i, step in zip(least, firsts, places, at, steps)]
            )
        # Far from all of these.
        for each in (11, 14):
            parts = [(each + 3 * i) % 16 for i in count]
            self.sizes.append([low + last * part // 16 * step for low, last, part, step in zip(least, places, parts, steps)])
        # None and one of each, of which functions may make no program at all.
        self.small: list[tuple[str, int]] = []
        for i, name in enumerate(self.names):
            low, high, *step = ranges[name]
            for size in range(low, min(high, 1) + 1, *step):
                self.small.append((name, size))
        self.programs: list[bytes] = []
        self.known: list[str] = []


def _print_artifact(data: bytes) -> bytes:
    """The text of a portable artifact of StableHLO, bytecode whose ops have versions, which JAX's
    libraries read."""
    from importlib import import_module

    try:
        context = import_module("jax.interpreters.mlir").make_ir_context()
        read = import_module("jaxlib.mlir.dialects.stablehlo").deserialize_portable_artifact
    except (ImportError, AttributeError) as error:
        raise _errors.UnsupportedError(
            "bytecode of StableHLO is read by JAX, which is not there",
            code="T0514",
            remedy="Install jax, or give the program as text, str(exported.mlir_module()).",
        ) from error
    try:
        with context:
            return str(read(context, data)).encode()
    except Exception as error:  # of the binding, of no kind of its own
        raise _errors.CompileError(
            f"not a portable artifact of StableHLO that JAX reads: {error}",
            code="T0514",
            remedy="Give what jax.export wrote (exported.mlir_module_serialized), whole.",
        ) from error


def _read_source(source: Any) -> tuple[str | None, bytes | None, int]:
    """Path, bytes and kind of what `compile` was given."""
    if isinstance(source, Samples):
        return None, b"".join(source.programs), _MLIR
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
        if data.startswith(_BYTECODE_TAG) and b"StableHLO" in data[4:16]:
            return None, _print_artifact(data), _STABLEHLO
        return None, data, _ONNX if data.startswith(_ONNX_TAG) else _MLIR
    if isinstance(source, os.PathLike):
        return os.fsdecode(source), None, _AUTO
    if isinstance(source, str):
        if "{" in source or "\n" in source:
            return None, source.encode(), _MLIR
        return source, None, _AUTO
    ir = sys.modules.get("tensorwright.ir")
    if ir is not None and isinstance(source, ir.Module):
        return None, source.text(locations=True).encode(), _MLIR
    if hasattr(source, "SerializeToString") and hasattr(source, "graph"):
        return None, source.SerializeToString(), _ONNX
    if hasattr(source, "compiler_ir"):  # jax.stages.Lowered
        operation = source.compiler_ir("stablehlo").operation
        text = operation.get_asm(enable_debug_info=True, print_generic_op_form=True)
        return None, text.encode(), _STABLEHLO
    if hasattr(source, "mlir_module"):  # jax.export.Exported
        return None, str(source.mlir_module()).encode(), _STABLEHLO
    kind = type(source)
    if hasattr(source, "lower") and hasattr(source, "trace"):
        raise _errors.ArgumentError(
            f"cannot compile {source!r}, whose arguments are not known",
            code="T0506",
            remedy="Give jax.jit(f).lower(arguments), or call tensorwright.jax.jit(f).",
        )
    raise _errors.ArgumentError(
        f"cannot compile a '{kind.__module__}.{kind.__qualname__}'",
        code="T0506",
        remedy="Give a path, the bytes or the onnx.ModelProto of a model, the text of a program in MLIR, a "
        "torch.nn.Module or an exported program of torch, or jax.jit(f).lower(arguments).",
    )


def _is_torch(source: Any) -> bool:
    """Whether it is a module or an exported program of torch, which is there then."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "nn"):
        return False
    exported = sys.modules.get("torch.export")
    return isinstance(source, torch.nn.Module) or (
        exported is not None and isinstance(source, exported.ExportedProgram)
    )


def _join_shape(shape: Sequence[int]) -> str:
    return ",".join(str(int(size)) for size in shape)


def _describe(diagnostic: tuple[Any, ...]) -> str:
    severity, code, message, file, line, column = diagnostic[:6]
    place = (f"{file}:{line}:{column}: " if line else f"{file}: ") if file else ""
    return f"{place}{('error', 'warning', 'note')[severity]}: {message}" + (f" [{code}]" if code else "")


_KINDS = {
    2: _errors.ArgumentError,
    3: _errors.UnsupportedError,
    4: _errors.FileError,
    5: _errors.OutOfMemoryError,
}


def _raise(result: int, diagnostics: Sequence[tuple[Any, ...]]) -> NoReturn:
    kind = _KINDS.get(result, _errors.CompileError)
    first = next((i for i, one in enumerate(diagnostics) if one[0] == 0), None)
    if first is None:
        raise kind("the compiler failed without a message", code="T0610")
    _, code, message, file, line, column, node, remedy, excerpt = diagnostics[first]
    raise kind(
        message,
        code=code,
        file=file,
        line=line,
        column=column,
        node=node,
        remedy=remedy,
        excerpt=excerpt,
        notes=[_describe(one) for one in diagnostics[first + 1 :]],
    )


def compile(
    source: Any,
    *,
    inputs: Sequence[Any] | None = None,
    target: str | None = None,
    device: str | Device | None = None,
    threads: int = 0,
    function: str | None = None,
    symbols: Mapping[str, int] | None = None,
    dims: Mapping[str, Dim | tuple[int, ...]] | None = None,
    shapes: Mapping[str, Sequence[int]] | Sequence[Sequence[int]] | None = None,
    weights: str | os.PathLike[str] | None = None,
    follow_links: bool = False,
    fusion: str | None = None,
    fast_math: str | None = None,
    optimize: int | None = None,
    deterministic: bool = False,
    embed_weights: bool = False,
    debug_info: bool = True,
    check_nan: bool = False,
    options: Mapping[str, object] | None = None,
    dump_stages: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Model:
    """Compiles a program or a model and returns it ready to be called.

    Args:
        source: the path of a model (.onnx) or program (.mlir, .stablehlo.mlir); their bytes; an
            onnx.ModelProto; the text of a program in MLIR, which is what a str with a brace or a line
            break is, or a tensorwright.ir.Module; what jax.jit(f).lower(...) or jax.export give; or a torch.nn.Module or
            torch.export.ExportedProgram, whose weights become constants.
        inputs: example arguments of a torch.nn.Module, which is compiled for their types and shapes.
        target: what code is made for, names with or without a chip, separated by commas:
            "host:x86-64-v3,opencl,cuda:sm_90a" (`targets` lists them). None: what `device` runs.
        device: that the model runs on, such as "host" or "vulkan". None: the first of `target`, and
            "host" without one. It is opened at the first call unless it is named here.
        threads: that run kernels on the host; 0: one per core.
        function: of a program with several; None: the only one, or "main".
        symbols: sizes of symbolic dimensions by name.
        dims: ranges of sizes that stay open by name: a `Dim` of that name, (least, most), (least, most,
            step) or (least, most, step, typical), the size that calls have most; one module serves them all.
        shapes: of inputs, by name or in order, which settle symbolic dimensions.
        weights: the folder of the files that weights lie in; None: that of the source, or of bytes
            and texts the working folder. Of the path of an ONNX model it is always its own.
        follow_links: let weights be symbolic links that lead out of their folder.
        fusion: "off", "elementwise" or "full" (as without it).
        fast_math: what may be changed of numbers: "none" (as without it), "fast", or some of "reassoc",
            "nnan", "ninf", "nsz", "arcp", "contract", "afn", separated by commas.
        optimize: 0 to 3, of the code generator.
        deterministic: the same bits on every target.
        embed_weights: copy weights into the module, which otherwise reads them from their files.
        debug_info: keep the point form of every kernel, which checking needs.
        check_nan: the model's `check_nan`: a run stops at the first kernel that makes a NaN and names it.
        options: further options by name, as `tensor-compile --option` takes them.
        dump_stages: a folder that gets the program after each stage.
        progress: tell how far it is after a second; None: on a terminal and in a notebook.

    Raises:
        CompileError, UnsupportedError, ArgumentError, FileError: with code, place and remedy.
        CompilerMissingError: only tensorwright-runtime is installed.

    Warnings of the compiler become CompileWarning. The GIL is free meanwhile, and threads may
    compile at once.

    >>> import tensorwright as tw
    >>> model = tw.compile('''
    ... func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
    ...   %0 = tgraph.permute %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    ...   return %0 : tensor<3x2xf32>
    ... }''')
    >>> model([[1, 2, 3], [4, 5, 6]]).tolist()
    [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    """
    kept: Any = None
    if _is_torch(source):
        from importlib import import_module

        source, kept = import_module("tensorwright.torch._export").trace(source, inputs)
        weights = kept.name
    path, data, kind = _read_source(source)
    if isinstance(device, Device):
        threads, device = device.threads, device.uri
    entries = [f"symbol={name}={int(size)}" for name, size in (symbols or {}).items()]
    if dims is not None:
        from tensorwright._dims import list_ranges

        entries += list_ranges(dims)
    if isinstance(source, Samples):
        for program, sizes in zip(source.programs, source.sizes):
            entries.append(f"sample={len(program)}:{_join_shape(sizes)}")
        entries.extend([f"known={size}" for size in source.known])
    from collections.abc import Mapping

    if not isinstance(options or {}, Mapping):
        raise _errors.ArgumentError(
            f"options are of type '{type(options).__name__}', expected a mapping of names to values",
            code="T0506",
            remedy='Give options={"fusion": "off"}.',
        )
    named = shapes.items() if isinstance(shapes, Mapping) else [("", shape) for shape in shapes or ()]
    entries += [f"shape={name}={_join_shape(shape)}" for name, shape in named]
    if weights is not None and kind == _ONNX:
        path = os.path.join(os.fsdecode(weights), "model.onnx")  # whose bytes these are; its folder counts
    elif weights is not None:
        entries.append(f"weights={os.fsdecode(weights)}")
    if follow_links:
        entries.append("follow-links=true")
    words: dict[str, object] = {}
    if fusion is not None:
        words["fusion"] = fusion
    if fast_math is not None:
        words["fast-math"] = fast_math
    if optimize is not None:
        words["optimize"] = optimize
    if threads:
        words["threads"] = threads
    words.update({"deterministic": deterministic, "embed-weights": embed_weights, "debug-info": debug_info})
    words["kernel-cache"] = True
    words.update({name.replace("_", "-"): value for name, value in (options or {}).items()})
    text = " ".join(
        f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in words.items()
    )
    description = None
    if target is None:
        description = _tensorwright.describe_device(device or "host", threads)
    shown = _Progress() if progress or (progress is None and _is_shown()) else None
    library = _find_compiler()

    def run(extra: str, folder: str | None) -> tuple[bytes, bytes]:
        result, module, report, diagnostics = _tensorwright.compile(
            library,
            path,
            data,
            kind,
            "\n".join(entries),
            target,
            description,
            text + extra,
            None if dump_stages is None else os.fsdecode(dump_stages),
            folder,
            0,
            shown,
        )
        if shown:
            shown.end()
        if result or module is None or report is None:
            _raise(result, diagnostics)
        for diagnostic in diagnostics:
            if diagnostic[0] == 1:
                import warnings

                warnings.warn(_describe(diagnostic), _errors.CompileWarning, stacklevel=3)
        return module, report

    module, report = run("", None)
    is_model = path is not None and path.endswith(".onnx")
    folder = os.path.dirname(path or "") if weights is None or is_model else os.fsdecode(weights)
    place = device or (target or "host").split(",")[0].split(":")[0]
    model = Model(module, place, threads, function, folder or ".")
    model._report_text = report
    model.check_nan = check_nan
    model._kept = kept  # the folder of weights goes with it
    model._recompile = run
    if "supplied-weights" in words:
        # They come with other models of the same module: address and bytes by name.
        model._supply = lambda supplied: Model(module, place, threads, function, None, False, supplied)
    elif device is not None or target is None:
        model.open()
    return model


def load(
    path: str | os.PathLike[str] | bytes,
    *,
    device: str | Device = "host",
    threads: int = 0,
    function: str | None = None,
    weights: str | os.PathLike[str] | None = None,
    check_weights: bool = False,
) -> Model:
    """Opens a module that `Model.save` or `tensor-compile` has written, or its bytes.

    A module holds machine code with the power of whoever made it: load only those that you trust.

    Args:
        device: that it runs on. threads: as for `compile`.
        function: of a module with several; None: the only one, or "main".
        weights: the folder that its weights are named from; None: that of the module.
        check_weights: compare the digests of all weights, which reads them.

    Raises:
        ModuleError, FileError: the module is damaged, or cannot be read.
        DeviceError: the device is not there, or the module has no code for it.

    >>> import tempfile, os, tensorwright as tw
    >>> model = tw.compile("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {"
    ...                    "%y = tgraph.neg %x : tensor<2xf32> return %y : tensor<2xf32> }")
    >>> path = os.path.join(tempfile.mkdtemp(), "negative.twm")
    >>> model.save(path)
    >>> tw.load(path)([1, -2]).tolist()
    [-1.0, 2.0]
    """
    if isinstance(device, Device):
        threads, device = device.threads, device.uri
    model = Model(
        path if isinstance(path, bytes) else os.fsdecode(path),
        device,
        threads,
        function,
        None if weights is None else os.fsdecode(weights),
        check_weights,
    )
    model.open()
    return model


def targets() -> list[dict[str, Any]]:
    """The targets that the compiler has code for: "name", "summary" and "chips" of each."""
    import json

    return list(json.loads(_tensorwright.list_targets(_find_compiler())))
