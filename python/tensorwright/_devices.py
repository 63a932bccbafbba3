"""The devices of this machine."""

from __future__ import annotations

from tensorwright import _tensorwright


class Device:
    """A device by its name, such as "host", "vulkan:0" or "opencl", which stands for the first one.

    Wherever a device is asked for, its name does as well. `threads` is the number of threads that
    run kernels on the host, the caller's included; 0: one per core.

    >>> import tensorwright as tw
    >>> tw.Device("host", threads=1)
    Device('host', threads=1)
    """

    __slots__ = ("uri", "threads")

    def __init__(self, uri: str, threads: int = 0) -> None:
        self.uri = uri
        self.threads = threads

    @property
    def description(self) -> dict[str, object]:
        """What the runtime knows of it: "uri", "target", "name" and more, by device. Raises
        DeviceError if it is not there."""
        import json

        return dict(json.loads(_tensorwright.describe_device(self.uri, self.threads)))

    @property
    def memory(self) -> tuple[int, int]:
        """Bytes that buffers and arenas take now, and bytes that there are."""
        return _tensorwright.device_memory(self.uri, self.threads)

    def __repr__(self) -> str:
        return f"Device({self.uri!r}{f', threads={self.threads}' if self.threads else ''})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self.uri, self.threads) == (other.uri, other.threads)

    def __hash__(self) -> int:
        return hash((self.uri, self.threads))


def devices() -> list[Device]:
    """The devices that programs can run on here. The first call looks for the libraries of drivers.

    >>> import tensorwright as tw
    >>> tw.devices()[0]
    Device('host')
    """
    return [Device(uri) for uri in _tensorwright.list_devices()]


def missing_devices() -> dict[str, str]:
    """Kinds of devices that cannot be used here, each with the reason."""
    return _tensorwright.list_missing()
