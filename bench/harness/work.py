"""What a peer is asked to compute, and what it gives back."""
import json
import os

import numpy


class Unsupported(Exception):
    """The peer has no such operation."""


class Prepared:
    """`call()` runs once and waits; `results()` gives arrays; `times(count)`, if set, runs and times in C."""

    def __init__(self, call, results, times=None, note=None):
        self.call, self.results, self.times, self.note = call, results, times, note


class Work:
    """What is to be computed: work.json and the arrays beside it."""

    def __init__(self, folder, peers):
        self.folder, self.peers = folder, peers
        with open(os.path.join(folder, "work.json")) as file:
            self.data = json.load(file)
        self.op, self.attributes, self.sizes = self.data["op"], self.data["attributes"], self.data["sizes"]
        self.inputs, self.results = self.data["inputs"], self.data["results"]
        self.flops, self.arrays = self.data["flops"], {}
        for tensor in self.inputs:
            mapped = numpy.load(os.path.join(folder, tensor["name"] + ".npy"), mmap_mode="r")
            self.arrays[tensor["name"]] = aligned_copy(mapped)

    def element(self):
        return self.inputs[0]["element"]


def aligned_copy(array, alignment=4096):
    memory = numpy.empty(array.nbytes + alignment, numpy.uint8)
    start = -memory.ctypes.data % alignment
    copy = memory[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
