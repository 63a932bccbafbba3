"""Ours, the kernel file written by hand: beside what the graph of the same program becomes."""
from peers.tensorwright import DEBIAN, PACKAGES, TARGETS, VENV, environment, version  # noqa: F401

NAME = "by_hand"


def prepare(work, threads):
    from peers import tensorwright
    return tensorwright.prepare_beside(work, threads, NAME)
