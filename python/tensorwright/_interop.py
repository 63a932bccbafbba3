"""Results as arrays of other libraries, where their own ways in are slow."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tensorwright._tensorwright import Buffer


def make_jax_importer() -> Callable[[Buffer], Any]:
    """A function that makes an array of JAX in the memory of a Buffer of the host.

    jax.dlpack.from_dlpack takes 25 microseconds, the function of jaxlib behind it 4. That one is
    none of JAX's interface: where it is not what it was, the public one is taken."""
    from importlib import import_module

    from tensorwright._tensorwright import Buffer

    from_dlpack: Callable[[Buffer], Any] = import_module("jax.dlpack").from_dlpack
    try:
        convert = import_module("jaxlib._jax").dlpack_managed_tensor_to_buffer
        cpu = import_module("jax").devices("cpu")[0]
        convert(Buffer(1).__dlpack__(), cpu, None)
    except Exception:
        return from_dlpack

    def import_buffer(buffer: Buffer) -> Any:
        # JAX makes what is wider than 32 bits narrower, unless told otherwise.
        if buffer.dtype in ("int64", "uint64", "float64", "complex128"):
            return from_dlpack(buffer)
        return convert(buffer.__dlpack__(), cpu, None)

    return import_buffer
