"""Ours, compiled for the sizes of the row: beside modules whose sizes a call settles."""
from peers.tensorwright import DEBIAN, PACKAGES, TARGETS, VENV, environment, version  # noqa: F401

NAME = "fixed"


def prepare(work, threads):
    from peers import tensorwright
    return tensorwright.prepare_beside(work, threads, NAME)
