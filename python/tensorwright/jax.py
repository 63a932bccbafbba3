"""Functions of JAX, compiled by Tensorwright.

JAX traces and differentiates; what it lowers to, StableHLO, is compiled here, for any device.
JAX itself is imported when a function is wrapped.
"""

from __future__ import annotations

import functools
import threading

from tensorwright import _errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from tensorwright._model import Model

__all__ = ["jit"]

_NUMBERS = (bool, int, float)


class _Program:
    """A compiled function for arguments of one kind."""

    __slots__ = ("model", "dtypes", "tree", "keys")

    def __init__(self, model: Model | None, dtypes: list[Any], tree: Any, keys: list[Any]) -> None:
        self.model = model
        self.dtypes = dtypes  # of each leaf of the arguments; None of a key
        self.tree = tree  # of the results
        self.keys = keys  # of each result: the generator whose key it is, or None


class Jitted:
    """What `jit` makes of a function."""

    def __init__(self, function: Callable[..., Any], static: dict[str, Any], options: dict[str, Any]) -> None:
        from importlib import import_module

        functools.update_wrapper(self, function)
        self._jax = import_module("jax")
        # Arguments that are not used stay arguments, so that leaves and arguments are the same.
        self._jitted = self._jax.jit(function, keep_unused=True, **static)
        names, places = static.get("static_argnames") or (), static.get("static_argnums")
        self._names = {names} if isinstance(names, str) else set(names)
        self._places = {places} if isinstance(places, int) else set(places or ())
        if self._names or self._places:
            self._settle(function)
        self._options = options
        self._programs: dict[Any, _Program] = {}
        self._lock = threading.RLock()

    def _settle(self, function: Callable[..., Any]) -> None:
        """Names of static arguments by their places, and the reverse, as jax.jit has it."""
        import inspect

        try:
            known = list(inspect.signature(function).parameters)
        except (TypeError, ValueError):
            return
        for place in list(self._places):
            if -len(known) <= place < len(known):
                self._places.add(place % len(known))
                self._names.add(known[place])
        self._places |= {i for i, name in enumerate(known) if name in self._names}

    @property
    def cache_size(self) -> int:
        """The number of programs that were made so far."""
        return len(self._programs)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """What JAX lowers the function to, as jax.jit has it."""
        return self._jitted.lower(*args, **kwargs)

    def model(self, *args: Any, **kwargs: Any) -> Model:
        """The compiled program that a call with these arguments runs, to look into or to save. Its
        arguments and results are the leaves of the function's, in order."""
        program = self._get(args, kwargs)[1]
        model: Model | None = program.model if program else None
        if model is None:
            raise _errors.ArgumentError("the function gives no arrays", code="T0507", remedy="Return one.")
        return model

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, program = self._get(args, kwargs)
        if program is None:
            return self._jitted(*args, **kwargs)
        model = program.model
        results: Any = ()
        if model is not None:
            given = [
                leaf
                if type(leaf) in _NUMBERS or leaf.dtype == dtype
                else self._convert(leaf, dtype)
                for leaf, dtype in zip(leaves, program.dtypes)
            ]
            results = model(*given)
        if type(results) is not tuple:
            results = (results,)
        jax = self._jax
        made = [one if isinstance(one, jax.Array) else jax.numpy.asarray(one) for one in results]
        for i, generator in enumerate(program.keys):
            if generator is not None:
                made[i] = jax.random.wrap_key_data(made[i], impl=generator)
        return jax.tree_util.tree_unflatten(program.tree, made)

    def _convert(self, leaf: Any, dtype: Any) -> Any:
        if self._is_key(leaf.dtype):
            return self._jax.random.key_data(leaf)
        return leaf.astype(dtype)

    def _is_key(self, dtype: Any) -> bool:
        return bool(self._jax.dtypes.issubdtype(dtype, self._jax.dtypes.prng_key))

    def _find_generator(self, key: Any) -> Any:
        found: list[Any] = []
        self._jax.eval_shape(lambda one: found.append(self._jax.random.key_impl(one)), key)
        return found[0]

    def _get(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], Any]:
        """Leaves that are arrays or numbers, and their program; no program within another trace."""
        jax = self._jax
        static: tuple[Any, ...] = ()
        dynamic: tuple[Any, Any] = (args, kwargs)
        if self._names or self._places:
            static = tuple((i, type(one), one) for i, one in enumerate(args) if i in self._places)
            static += tuple((name, type(one), one) for name, one in kwargs.items() if name in self._names)
            dynamic = (
                tuple(one for i, one in enumerate(args) if i not in self._places),
                {name: one for name, one in kwargs.items() if name not in self._names},
            )
        leaves, tree = jax.tree_util.tree_flatten(dynamic)
        kinds: list[Any] = []
        for i, leaf in enumerate(leaves):
            kind = type(leaf)
            if isinstance(leaf, jax.core.Tracer):
                return leaves, None
            if kind not in _NUMBERS and not hasattr(leaf, "dtype"):
                leaf = leaves[i] = jax.numpy.asarray(leaf)
            kinds.append(kind if kind in _NUMBERS else (leaf.shape, leaf.dtype, getattr(leaf, "weak_type", False)))
        key = (tree, static, tuple(kinds), jax.config.jax_enable_x64)
        program = self._programs.get(key)
        if program is None:
            with self._lock:
                program = self._programs.get(key)
                if program is None:
                    program = self._programs[key] = self._make(args, kwargs)
        return leaves, program

    def _make(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Program:
        from tensorwright._compile import compile

        jax = self._jax
        lowered = self._jitted.lower(*args, **kwargs)
        inputs = jax.tree_util.tree_leaves(lowered.in_avals)
        outputs = jax.tree_util.tree_leaves(lowered.out_info)
        keys = [self._find_generator(one) if self._is_key(one.dtype) else None for one in outputs]
        model = compile(lowered, **self._options) if outputs else None
        # Keys are handed over as their words.
        dtypes = [None if self._is_key(one.dtype) else one.dtype for one in inputs]
        return _Program(model, dtypes, lowered.out_tree, keys)

    def __repr__(self) -> str:
        return f"<tensorwright.jax.jit of {getattr(self, '__qualname__', self._jitted)}>"


def jit(
    function: Callable[..., Any] | None = None,
    *,
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    **options: Any,
) -> Any:
    """Makes a program of a function of JAX.

    The first call with arguments of each type and shape lets JAX trace and lower the function, compiles
    that, and runs it; later calls run it at once. Arguments and results are trees as JAX knows them;
    arrays are read and made where they are, without copies. What `jax.grad`, `jax.vmap` and
    `jax.value_and_grad` give are functions too. Within another trace of JAX it is the function itself.

    Args:
        function: of arrays, without side effects, custom calls and other devices.
        static_argnums, static_argnames: as for jax.jit.
        options: of `compile`, such as device, target, threads.

    Raises:
        CompileError: what cannot be compiled, all of it, with the lines of the function it comes from.

    >>> import tensorwright as tw, numpy as np
    >>> import jax, jax.numpy as jnp                                       # doctest: +SKIP
    >>> @tw.jax.jit                                                        # doctest: +SKIP
    ... def layer(params, x):
    ...     return jax.nn.softmax(x @ params["w"] + params["b"])
    >>> layer({"w": jnp.zeros((3, 2)), "b": jnp.zeros(2)}, jnp.ones((1, 3)))   # doctest: +SKIP
    Array([[0.5, 0.5]], dtype=float32)
    """
    if function is None:
        return functools.partial(jit, static_argnums=static_argnums, static_argnames=static_argnames, **options)
    static: dict[str, Any] = {}
    if static_argnums is not None:
        static["static_argnums"] = static_argnums if isinstance(static_argnums, int) else tuple(static_argnums)
    if static_argnames is not None:
        static["static_argnames"] = static_argnames if isinstance(static_argnames, str) else tuple(static_argnames)
    return Jitted(function, static, options)
