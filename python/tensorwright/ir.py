"""Programs in MLIR as objects: to walk and change them, and to run passes on them, also such as are
written in Python. For experiments: every access is a call of MLIR's C API.

>>> import tensorwright as tw
>>> from tensorwright import ir
>>> module = ir.parse('''
... func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
...   %0 = tgraph.relu %x : tensor<4xf32>
...   %1 = tgraph.neg %0 : tensor<4xf32>
...   return %1 : tensor<4xf32>
... }''')
>>> [op.name for op in module.walk()]
['func.func', 'tgraph.relu', 'tgraph.neg', 'func.return']

A pass is a function that takes the module; `run` calls it among passes by name, and verifies what it leaves.

>>> def relu_to_abs(module):
...     for op in module.walk():
...         if op.name == "tgraph.relu":
...             new = module.create("tgraph.abs", op.operands, [op.results[0].type], before=op)
...             op.results[0].replace_all_uses_with(new.results[0])
...             op.erase()
>>> module.run(relu_to_abs, "func.func(canonicalize,cse)")
>>> tw.compile(module)([1, -2, 3, -4]).tolist()
[-1.0, -2.0, -3.0, -4.0]

Objects stay usable as long as their op is: what was erased, or was there before passes ran, raises.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, Union

from tensorwright import _errors

__all__ = ["Attributes", "Block", "Module", "Operation", "Value", "parse"]


class _Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class _Piece(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class _NamedAttribute(ctypes.Structure):
    _fields_ = [("name", ctypes.c_void_p), ("attribute", ctypes.c_void_p)]


_List = ctypes.POINTER(ctypes.c_void_p)


class _State(ctypes.Structure):
    _fields_ = [
        ("name", _Text),
        ("location", ctypes.c_void_p),
        ("results", ctypes.c_ssize_t),
        ("result_list", _List),
        ("operands", ctypes.c_ssize_t),
        ("operand_list", _List),
        ("regions", ctypes.c_ssize_t),
        ("region_list", _List),
        ("successors", ctypes.c_ssize_t),
        ("successor_list", _List),
        ("attributes", ctypes.c_ssize_t),
        ("attribute_list", ctypes.POINTER(_NamedAttribute)),
        ("infers", ctypes.c_bool),
    ]


_Print = ctypes.CFUNCTYPE(None, _Piece, ctypes.c_void_p)
# MlirLogicalResult is one byte.
_Handle = ctypes.CFUNCTYPE(ctypes.c_int8, ctypes.c_void_p, ctypes.c_void_p)

# Functions of mlir-c: what they give, then what they take. p: any of its structs of one pointer, t: text, n: a
# number, b: a bool or a result, v: nothing, s: a callback that prints, h: one that handles diagnostics, and T, N, S, L and A what is named above.
_FUNCTIONS = """
mlirDialectRegistryCreate p|mlirDialectRegistryDestroy vp|mlirTensorwrightAppendDialects vp
mlirRegisterTensorwrightPasses v|mlirContextCreateWithRegistry ppb|mlirContextDestroy vp
mlirContextLoadAllAvailableDialects vp|mlirContextIsRegisteredOperation bpt
mlirContextAttachDiagnosticHandler nphpp|mlirDiagnosticPrint vpsp|mlirDiagnosticGetSeverity np
mlirDiagnosticGetLocation pp|mlirDiagnosticGetNumNotes np|mlirDiagnosticGetNote ppn
mlirLocationIsAFileLineColRange bp|mlirLocationFileLineColRangeGetFilename pp|mlirIdentifierStr Tp
mlirLocationFileLineColRangeGetStartLine np|mlirLocationFileLineColRangeGetStartColumn np
mlirLocationPrint vpsp|mlirLocationUnknownGet pp
mlirModuleCreateParse ppt|mlirModuleGetOperation pp|mlirOperationDestroy vp|mlirOperationVerify bp|mlirOperationGetName pp
mlirOperationGetLocation pp|mlirOperationGetParentOperation pp|mlirOperationGetBlock pp
mlirOperationGetNumRegions np|mlirOperationGetRegion ppn|mlirOperationGetNextInBlock pp
mlirOperationGetNumOperands np|mlirOperationGetOperand ppn|mlirOperationSetOperand vpnp
mlirOperationGetNumResults np|mlirOperationGetResult ppn|mlirOperationCreate pS
mlirOperationStateAddResults vSnL|mlirOperationStateAddOperands vSnL|mlirOperationStateAddAttributes vSnA
mlirOperationGetNumAttributes np|mlirOperationGetAttribute Npn|mlirOperationGetAttributeByName ppt
mlirOperationSetAttributeByName vptp|mlirOperationRemoveAttributeByName bpt
mlirOperationMoveBefore vpp|mlirOperationMoveAfter vpp|mlirOperationPrintWithFlags vppsp
mlirOpPrintingFlagsCreate p|mlirOpPrintingFlagsDestroy vp|mlirOpPrintingFlagsEnableDebugInfo vpbb
mlirOpPrintingFlagsPrintGenericOpForm vp|mlirOpPrintingFlagsUseLocalScope vp
mlirRegionGetFirstBlock pp|mlirBlockGetNextInRegion pp|mlirBlockGetFirstOperation pp|mlirBlockGetParentOperation pp
mlirBlockGetNumArguments np|mlirBlockGetArgument ppn
mlirBlockInsertOwnedOperationBefore vppp|mlirBlockInsertOwnedOperationAfter vppp
mlirValueIsAOpResult bp|mlirOpResultGetOwner pp|mlirOpResultGetResultNumber np|mlirBlockArgumentGetOwner pp
mlirBlockArgumentGetArgNumber np|mlirValueGetType pp|mlirValueSetType vpp|mlirValueGetFirstUse pp
mlirOpOperandGetOwner pp|mlirOpOperandGetOperandNumber np|mlirOpOperandGetNextUse pp|mlirValueReplaceAllUsesOfWith vpp
mlirTypeParseGet ppt|mlirTypePrint vpsp|mlirAttributeParseGet ppt|mlirAttributePrint vpsp|mlirIdentifierGet ppt
mlirPassManagerCreate pp|mlirPassManagerDestroy vp|mlirPassManagerGetAsOpPassManager pp|mlirPassManagerRunOnOp bpp
mlirOpPassManagerAddPipeline bptsp|mlirTensorwrightAddPipeline bppttt|mlirTensorwrightSuggestPass vtsp
"""
_KINDS: dict[str, Any] = {
    "p": ctypes.c_void_p,
    "t": _Text,
    "T": _Piece,
    "n": ctypes.c_ssize_t,
    "b": ctypes.c_bool,
    "v": None,
    "s": _Print,
    "h": _Handle,
    "S": ctypes.POINTER(_State),
    "L": _List,
    "N": _NamedAttribute,
    "A": ctypes.POINTER(_NamedAttribute),
}

_library: Any = None


def _load() -> Any:
    """The library, opened once."""
    global _library
    if _library is None:
        from tensorwright._compile import _find_compiler

        # In the wheel MLIR's C API is part of the compiler; in a build or an installation it lies beside it.
        path = _find_compiler()
        beside = os.path.join(os.path.dirname(path), "libTensorwrightC.so.0")
        try:
            library = ctypes.CDLL(beside if os.path.exists(beside) else path)
            library.mlirTensorwrightAppendDialects  # noqa: B018
        except (OSError, AttributeError) as error:
            raise _errors.CompilerMissingError(
                f"tensorwright.ir needs MLIR's C API with Tensorwright's dialects: {error}",
                code="T0607",
                remedy="Install the wheel tensorwright, or build libTensorwrightC beside the compiler.",
            ) from error
        for entry in _FUNCTIONS.replace("\n", "|").split("|"):
            if entry:
                name, kinds = entry.split()
                function = getattr(library, name)
                function.restype = _KINDS[kinds[0]]
                function.argtypes = [_KINDS[kind] for kind in kinds[1:]]
        # Results of enumerations and of sizes of 32 bits.
        for name in ("mlirDiagnosticGetSeverity", "mlirOpOperandGetOperandNumber"):
            getattr(library, name).restype = ctypes.c_uint32
        for name in ("StartLine", "StartColumn"):
            getattr(library, f"mlirLocationFileLineColRangeGet{name}").restype = ctypes.c_int
        library.mlirRegisterTensorwrightPasses()
        _library = library
    return _library


def _text(value: str) -> _Text:
    data = value.encode()
    return _Text(data, len(data))


def _collect(print_to: Callable[[Any], None]) -> str:
    """What a function of mlir-c prints in pieces."""
    pieces: list[bytes] = []
    print_to(_Print(lambda piece, _: pieces.append(ctypes.string_at(piece.data, piece.size))))
    return b"".join(pieces).decode(errors="replace")


def _fail(message: str, remedy: str = "") -> _errors.ArgumentError:
    return _errors.ArgumentError(message, code="T0507", remedy=remedy)


class _Context:
    """A context of MLIR, and what it has said since somebody asked."""

    def __init__(self) -> None:
        library = _load()
        registry = library.mlirDialectRegistryCreate()
        library.mlirTensorwrightAppendDialects(registry)
        # In one thread, as its diagnostics are handled here.
        self.handle = library.mlirContextCreateWithRegistry(registry, False)
        library.mlirDialectRegistryDestroy(registry)
        library.mlirContextLoadAllAvailableDialects(self.handle)
        said: list[tuple[int, str, str, int, int]] = []
        self.said = said
        self.handler = _Handle(lambda diagnostic, _: _note(said, diagnostic))
        library.mlirContextAttachDiagnosticHandler(self.handle, self.handler, None, None)

    def error(self, kind: type[_errors.Error], otherwise: str, code: str = "") -> _errors.Error:
        """Of what was said, which is forgotten."""
        said, first = list(self.said), next((one for one in self.said if one[0] == 0), None)
        self.said.clear()
        if first is None:
            return kind(otherwise, code=code)
        _, message, file, line, column = first
        found = re.search(r" \[(T\d{4})\]$", message)
        if found:
            code, message = found[1], message[: found.start()]
        notes = [f"{one[2]}:{one[3]}:{one[4]}: {one[1]}" if one[2] else one[1] for one in said if one is not first]
        return kind(message, code=code, file=file, line=line, column=column, notes=notes)


def _note(said: list[tuple[int, str, str, int, int]], diagnostic: Any) -> int:
    library = _library
    file, line, column = "", 0, 0
    location = library.mlirDiagnosticGetLocation(diagnostic)
    if library.mlirLocationIsAFileLineColRange(location):
        name = library.mlirIdentifierStr(library.mlirLocationFileLineColRangeGetFilename(location))
        file = ctypes.string_at(name.data, name.size).decode(errors="replace")
        line = library.mlirLocationFileLineColRangeGetStartLine(location)
        column = library.mlirLocationFileLineColRangeGetStartColumn(location)
    message = _collect(lambda to: library.mlirDiagnosticPrint(diagnostic, to, None))
    said.append((library.mlirDiagnosticGetSeverity(diagnostic), message, file, line, column))
    for i in range(library.mlirDiagnosticGetNumNotes(diagnostic)):
        _note(said, library.mlirDiagnosticGetNote(diagnostic, i))
    return 1


class Value:
    """A result of an op or an argument of a block. Equal values are one value."""

    __slots__ = ("owner", "index", "_handle")

    def __init__(self, owner: Operation | Block, index: int, handle: int) -> None:
        self.owner = owner
        self.index = index
        self._handle = handle

    def _get(self) -> int:
        self.owner._check()
        return self._handle

    @property
    def type(self) -> str:
        """As text, such as "tensor<4xf32>"; may be set."""
        library = _load()
        return _collect(lambda to: library.mlirTypePrint(library.mlirValueGetType(self._get()), to, None))

    @type.setter
    def type(self, text: str) -> None:
        _load().mlirValueSetType(self._get(), self.owner._module._type(text))

    @property
    def uses(self) -> list[tuple[Operation, int]]:
        """Ops that take it, each with the number of the operand."""
        library, found = _load(), []
        use = library.mlirValueGetFirstUse(self._get())
        while use:
            op = self.owner._module._wrap(library.mlirOpOperandGetOwner(use))
            found.append((op, int(library.mlirOpOperandGetOperandNumber(use))))
            use = library.mlirOpOperandGetNextUse(use)
        return found

    def replace_all_uses_with(self, value: Value) -> None:
        """Lets all who take it take the other, which is of the same type."""
        self.owner._module._own(value)
        if value.type != self.type:
            raise _fail(f"cannot replace a value of type {self.type} by one of type {value.type}")
        _load().mlirValueReplaceAllUsesOfWith(self._get(), value._get())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self._handle == other._handle

    def __hash__(self) -> int:
        return hash(self._handle)

    def __repr__(self) -> str:
        kind = "result" if isinstance(self.owner, Operation) else "argument"
        return f"<{kind} {self.index}: {self.type}>"


class Block:
    """Arguments and ops in a region of an op."""

    __slots__ = ("parent", "_handle")

    def __init__(self, parent: Operation, handle: int) -> None:
        self.parent = parent
        self._handle = handle

    @property
    def _module(self) -> Module:
        return self.parent._module

    def _check(self) -> None:
        self.parent._check()

    @property
    def arguments(self) -> list[Value]:
        library = _load()
        self._check()
        count = library.mlirBlockGetNumArguments(self._handle)
        return [Value(self, i, library.mlirBlockGetArgument(self._handle, i)) for i in range(count)]

    @property
    def operations(self) -> list[Operation]:
        library, found = _load(), []
        self._check()
        op = library.mlirBlockGetFirstOperation(self._handle)
        while op:
            found.append(self._module._wrap(op))
            op = library.mlirOperationGetNextInBlock(op)
        return found


class Attributes(MutableMapping[str, str]):
    """Attributes of an op by name, as text: `op.attributes["dim"] = "1 : i64"`."""

    def __init__(self, op: Operation) -> None:
        self._op = op

    def __getitem__(self, name: str) -> str:
        library = _load()
        found = library.mlirOperationGetAttributeByName(self._op._get(), _text(name))
        if not found:
            raise KeyError(name)
        return _collect(lambda to: library.mlirAttributePrint(found, to, None))

    def __setitem__(self, name: str, value: str) -> None:
        attribute = self._op._module._attribute(value)
        _load().mlirOperationSetAttributeByName(self._op._get(), _text(name), attribute)

    def __delitem__(self, name: str) -> None:
        if not _load().mlirOperationRemoveAttributeByName(self._op._get(), _text(name)):
            raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        library, names = _load(), []
        for i in range(library.mlirOperationGetNumAttributes(self._op._get())):
            name = library.mlirIdentifierStr(library.mlirOperationGetAttribute(self._op._get(), i).name)
            names.append(ctypes.string_at(name.data, name.size).decode())
        return iter(names)

    def __len__(self) -> int:
        return int(_load().mlirOperationGetNumAttributes(self._op._get()))

    def __repr__(self) -> str:
        return repr(dict(self))


class Operation:
    """An op of a module. The same op is the same object."""

    __slots__ = ("_module", "_handle", "_generation", "__weakref__")

    def __init__(self, module: Module, handle: int) -> None:
        self._module = module
        self._handle = handle
        self._generation = module._generation

    def _check(self) -> None:
        if self._generation != self._module._generation:
            what = "was erased" if self._generation < 0 else "is of before passes ran"
            raise _fail(f"this op {what}", "Walk the module again for its ops as they are.")

    def _get(self) -> int:
        self._check()
        return self._handle

    @property
    def name(self) -> str:
        """With its dialect: "tgraph.relu"."""
        library = _load()
        name = library.mlirIdentifierStr(library.mlirOperationGetName(self._get()))
        return ctypes.string_at(name.data, name.size).decode()

    @property
    def operands(self) -> list[Value]:
        library, op = _load(), self._get()
        count = library.mlirOperationGetNumOperands(op)
        return [self._module._value(library.mlirOperationGetOperand(op, i)) for i in range(count)]

    def set_operand(self, index: int, value: Value) -> None:
        """Lets it take another value, of any type: `verify` tells whether it may."""
        self._module._own(value)
        if not 0 <= index < _load().mlirOperationGetNumOperands(self._get()):
            raise _fail(f"{self.name} has {len(self.operands)} operands, found index {index}")
        _load().mlirOperationSetOperand(self._get(), index, value._get())

    @property
    def results(self) -> list[Value]:
        library, op = _load(), self._get()
        count = library.mlirOperationGetNumResults(op)
        return [Value(self, i, library.mlirOperationGetResult(op, i)) for i in range(count)]

    @property
    def attributes(self) -> Attributes:
        return Attributes(self)

    @property
    def location(self) -> str:
        """Where it comes from, as text: 'loc("model.onnx":0:0)'."""
        library = _load()
        where = library.mlirOperationGetLocation(self._get())
        return _collect(lambda to: library.mlirLocationPrint(where, to, None))

    @property
    def parent(self) -> Operation | None:
        """The op that it lies in; None for the module's own."""
        found = _load().mlirOperationGetParentOperation(self._get())
        return self._module._wrap(found) if found else None

    @property
    def regions(self) -> list[list[Block]]:
        """The blocks of each."""
        library, op = _load(), self._get()
        found = []
        for i in range(library.mlirOperationGetNumRegions(op)):
            blocks, block = [], library.mlirRegionGetFirstBlock(library.mlirOperationGetRegion(op, i))
            while block:
                blocks.append(Block(self, block))
                block = library.mlirBlockGetNextInRegion(block)
            found.append(blocks)
        return found

    def walk(self) -> Iterator[Operation]:
        """The ops in it, in order, each before those in it, as they are now; those that are erased meanwhile
        are left out."""
        found: list[Operation] = []
        self._collect(found)
        for op in found:
            if op._generation == self._module._generation:
                yield op

    def _collect(self, to: list[Operation]) -> None:
        for blocks in self.regions:
            for block in blocks:
                for op in block.operations:
                    to.append(op)
                    op._collect(to)

    def erase(self) -> None:
        """Removes it with what is in it. Nothing may take its results."""
        if self.parent is None:
            raise _fail("the module's own op cannot be erased")
        for result in self.results:
            for user, _ in result.uses:
                raise _fail(
                    f"{self.name} cannot be erased: {user.name} takes result {result.index}",
                    "Call replace_all_uses_with of the result before.",
                )
        gone = [self]
        self._collect(gone)
        _load().mlirOperationDestroy(self._handle)
        for op in gone:
            self._module._known.pop(op._handle, None)
            op._generation = -1

    def move_before(self, other: Operation) -> None:
        self._module._own(other)
        _load().mlirOperationMoveBefore(self._get(), other._get())

    def move_after(self, other: Operation) -> None:
        self._module._own(other)
        _load().mlirOperationMoveAfter(self._get(), other._get())

    def text(self, *, generic: bool = False, locations: bool = False) -> str:
        """As MLIR prints it."""
        library = _load()
        flags = library.mlirOpPrintingFlagsCreate()
        try:
            if generic:
                library.mlirOpPrintingFlagsPrintGenericOpForm(flags)
            if locations:
                library.mlirOpPrintingFlagsEnableDebugInfo(flags, True, False)
            return _collect(lambda to: library.mlirOperationPrintWithFlags(self._get(), flags, to, None))
        finally:
            library.mlirOpPrintingFlagsDestroy(flags)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<{self.name}>"


Step = Union[str, Callable[["Module"], object]]


class Module:
    """A program; `parse` makes it. One thread at a time uses it and what is in it."""

    def __init__(self, context: _Context, handle: int) -> None:
        self._context = context
        self._handle = handle
        self._generation = 0
        self._known: weakref.WeakValueDictionary[int, Operation] = weakref.WeakValueDictionary()
        weakref.finalize(self, _destroy, _load(), context, handle)

    def _wrap(self, handle: int) -> Operation:
        found = self._known.get(handle)
        if found is None:
            found = self._known[handle] = Operation(self, handle)
        return found

    def _value(self, handle: int) -> Value:
        library = _load()
        if library.mlirValueIsAOpResult(handle):
            owner = self._wrap(library.mlirOpResultGetOwner(handle))
            return Value(owner, library.mlirOpResultGetResultNumber(handle), handle)
        block = library.mlirBlockArgumentGetOwner(handle)
        parent = self._wrap(library.mlirBlockGetParentOperation(block))
        return Value(Block(parent, block), library.mlirBlockArgumentGetArgNumber(handle), handle)

    def _own(self, what: Value | Operation) -> None:
        module = what.owner._module if isinstance(what, Value) else what._module
        if module is not self:
            raise _fail("a value or an op of another module is used here")

    def _parsed(self, handle: int | None, what: str, text: str) -> int:
        if not handle:
            error = self._context.error(_errors.ArgumentError, f"'{text}' is no {what}", "T0514")
            error.args = (error.message,)
            raise error
        return handle

    def _type(self, text: str) -> int:
        return self._parsed(_load().mlirTypeParseGet(self._context.handle, _text(text)), "type", text)

    def _attribute(self, text: str) -> int:
        return self._parsed(_load().mlirAttributeParseGet(self._context.handle, _text(text)), "attribute", text)

    @property
    def operation(self) -> Operation:
        """Its own op, "builtin.module"."""
        return self._wrap(self._handle)

    @property
    def operations(self) -> list[Operation]:
        """The ops at its top, such as functions."""
        return self.operation.regions[0][0].operations

    def walk(self) -> Iterator[Operation]:
        """As Operation.walk."""
        return self.operation.walk()

    def create(
        self,
        name: str,
        operands: Sequence[Value] = (),
        types: Sequence[str] | None = None,
        attributes: Mapping[str, str] | None = None,
        *,
        before: Operation | None = None,
        after: Operation | None = None,
    ) -> Operation:
        """Makes an op without regions and puts it before or after another, whose location it takes.

        Args:
            types: of its results; None: what the op infers, if it can.
            attributes: by name, as text.

        Raises ArgumentError for a name, type or attribute that there is not. Whether the op is right is for
        `verify` to tell.
        """
        library = _load()
        place = before or after
        if place is None or (before is not None and after is not None):
            raise _fail("create: expected one of before and after")
        self._own(place)
        if place.parent is None:
            raise _fail("create: there is nothing before or after the module's own op")
        if not library.mlirContextIsRegisteredOperation(self._context.handle, _text(name)):
            raise _fail(f"there is no op '{name}'", "Names are those of the reference, with their dialect.")
        for operand in operands:
            self._own(operand)
        results = [self._type(one) for one in types or ()]
        taken = [one._get() for one in operands]
        named = [
            _NamedAttribute(library.mlirIdentifierGet(self._context.handle, _text(key)), self._attribute(value))
            for key, value in (attributes or {}).items()
        ]
        # The lists are copied, and freed when the op is made.
        state = _State(name=_text(name), location=library.mlirOperationGetLocation(place._get()), infers=types is None)
        to = ctypes.byref(state)
        library.mlirOperationStateAddResults(to, len(results), (ctypes.c_void_p * len(results))(*results))
        library.mlirOperationStateAddOperands(to, len(taken), (ctypes.c_void_p * len(taken))(*taken))
        library.mlirOperationStateAddAttributes(to, len(named), (_NamedAttribute * len(named))(*named))
        made = library.mlirOperationCreate(to)
        if not made:
            raise self._context.error(_errors.ArgumentError, f"cannot make a '{name}' of this", "T0507")
        block = library.mlirOperationGetBlock(place._get())
        insert = library.mlirBlockInsertOwnedOperationBefore if before else library.mlirBlockInsertOwnedOperationAfter
        insert(block, place._get(), made)
        # Another op may have been there before.
        self._known.pop(made, None)
        return self._wrap(made)

    def verify(self) -> None:
        """Raises CompileError for what is wrong."""
        self._context.said.clear()
        if not _load().mlirOperationVerify(self._handle):
            raise self._context.error(_errors.CompileError, "the module is not valid", "T0515")

    def run(self, *steps: Step) -> None:
        """Runs passes in order: pipelines of builtin.module as text ("func.func(canonicalize,cse)",
        "graph-fold-constants"), and functions that are called with the module, after each of which it is
        verified. What a function raises is raised here; the module stays as it then is.

        Raises ArgumentError for a text that is no pipeline, CompileError where a pass fails.
        """
        for step in steps:
            if isinstance(step, str):
                self._run(functools.partial(self._add, step))
            else:
                step(self)
                self.verify()

    def lower(self, to: str, *, start: str = "graph", target: str = "host") -> None:
        """Runs the stages from `start` up to and including `to`: "graph", "view", "kernel", "schedule",
        "launch", "tile", "code"."""

        def add(passes: int) -> None:
            if not _load().mlirTensorwrightAddPipeline(
                self._context.handle, passes, _text(start), _text(to), _text(target)
            ):
                raise self._context.error(_errors.ArgumentError, f"no stages from {start} to {to}", "T0506")

        self._run(add)

    def _add(self, text: str, passes: int) -> None:
        library = _load()
        added: list[bool] = []
        said = _collect(
            lambda to: added.append(library.mlirOpPassManagerAddPipeline(passes, _text(text), to, None))
        )
        if not added[0]:
            meant = _collect(lambda to: library.mlirTensorwrightSuggestPass(_text(said), to, None))
            raise _errors.ArgumentError(
                f"'{text}' is no pipeline: {said.strip().split('error: ')[-1].splitlines()[0]}{meant}",
                code="T0506",
                remedy="Passes are those of docs/reference/passes.md and MLIR's, functions of Python go in between.",
            )

    def _run(self, add: Callable[[int], None]) -> None:
        library = _load()
        self._context.said.clear()
        manager = library.mlirPassManagerCreate(self._context.handle)
        try:
            add(library.mlirPassManagerGetAsOpPassManager(manager))
            self._generation += 1
            self._known.clear()
            if not library.mlirPassManagerRunOnOp(manager, self._handle):
                raise self._context.error(_errors.CompileError, "a pass failed", "T0515")
        finally:
            library.mlirPassManagerDestroy(manager)

    def text(self, *, generic: bool = False, locations: bool = False) -> str:
        """As MLIR prints it."""
        return self.operation.text(generic=generic, locations=locations)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<module of {', '.join(map(repr, self.operations))}>"


def _destroy(library: Any, context: _Context, handle: int) -> None:
    library.mlirOperationDestroy(handle)
    library.mlirContextDestroy(context.handle)


def parse(source: str | bytes) -> Module:
    """A module of MLIR's text or bytecode. Its place in locations is "-".

    Raises CompileError, with the place, for what is no valid program.
    """
    library, context = _load(), _Context()
    data = source.encode() if isinstance(source, str) else source
    module = library.mlirModuleCreateParse(context.handle, _Text(data, len(data)))
    if not module:
        error = context.error(_errors.CompileError, "this is no program", "T0514")
        library.mlirContextDestroy(context.handle)
        raise error
    return Module(context, library.mlirModuleGetOperation(module))
