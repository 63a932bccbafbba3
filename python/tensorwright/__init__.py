"""Tensorwright: compile tensor programs and run them.

>>> import tensorwright as tw
>>> import numpy as np
>>> model = tw.compile('''
... func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
...   %sum = tgraph.add %x, %y : tensor<4xf32>
...   %result = tgraph.relu %sum : tensor<4xf32>
...   return %result : tensor<4xf32>
... }''')
>>> model(np.arange(4, dtype="float32"), np.full(4, -1.5, dtype="float32"))
array([0. , 0. , 0.5, 1.5], dtype=float32)

Neither numpy nor the compiler is loaded before it is needed.
"""

from tensorwright import _functions, checkpoints, data, init, jax, nn, optim
from tensorwright._compile import compile, load, targets
from tensorwright._devices import Device, devices, missing_devices
from tensorwright._dims import Dim
from tensorwright._errors import (
    ArgumentError,
    CompileError,
    CompilerMissingError,
    CompileWarning,
    CopyWarning,
    DeviceError,
    Error,
    FallbackWarning,
    FileError,
    ModuleError,
    OutOfMemoryError,
    RunError,
    TimeoutError,
    UnsupportedError,
)
from tensorwright._functions import *
from tensorwright._jit import associative_scan, cond, fori_loop, grad, jit, jvp, remat, scan, value_and_grad, vjp, while_loop
from tensorwright._model import Model, Value
from tensorwright._tensorwright import Buffer, Pending, Queue, State, explain, runtime_version
from tensorwright._trace import Tensor
from tensorwright._tree import tree_map

__version__ = runtime_version()

__all__ = [
    "ArgumentError",
    "Buffer",
    "CompileError",
    "CompilerMissingError",
    "CompileWarning",
    "CopyWarning",
    "Device",
    "Dim",
    "DeviceError",
    "Error",
    "FallbackWarning",
    "FileError",
    "Model",
    "ModuleError",
    "OutOfMemoryError",
    "Pending",
    "Queue",
    "RunError",
    "State",
    "Tensor",
    "TimeoutError",
    "UnsupportedError",
    "Value",
    "associative_scan",
    "checkpoints",
    "compile",
    "cond",
    "data",
    "devices",
    "explain",
    "fori_loop",
    "grad",
    "init",
    "jax",
    "jit",
    "jvp",
    "load",
    "missing_devices",
    "nn",
    "optim",
    "remat",
    "scan",
    "targets",
    "tree_map",
    "value_and_grad",
    "vjp",
    "while_loop",
]
__all__ += _functions.__all__
