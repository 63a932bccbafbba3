"""Ours, compiled for the sizes of the row: beside modules whose sizes a call settles."""
from peers.tensorwright import DEBIAN, PACKAGES, TARGETS, VENV, environment, version  # noqa: F401

NAME = "fixed"


def prepare(work, threads):
    from harness.work import Unsupported
    from peers import tensorwright
    if not work.data["open"]:
        raise Unsupported()
    work.data["module"] = work.data["fixed"]
    return tensorwright.prepare(work, threads)
