"""Inputs and results of part `speed`: tensors of torch on the GPU, or arrays of numpy that are copied there."""


class Torch:
    """The runtime uses torch's memory in place."""

    def __init__(self, torch, runtime):
        self.torch, self.runtime, self.buffers = torch, runtime, []
        self.types = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "f8E4M3FN": torch.float8_e4m3fn, "i8": torch.int8,
                      "i32": torch.int32}

    def random(self, dims, element, seed, positive=False):
        generator = self.torch.Generator("cuda").manual_seed(seed)
        if element == "i8":
            return self.torch.randint(-128, 128, dims, generator=generator, device="cuda", dtype=self.torch.int8)
        array = self.torch.randn(dims, generator=generator, device="cuda", dtype=self.torch.float32)
        return (array.abs_() if positive else array).to(self.types[element])

    def from_bits(self, bits):
        """bf16 of numpy's integers."""
        return self.torch.from_numpy(bits.view("int16")).cuda().view(self.torch.bfloat16)

    def poisoned(self, dims, element):
        value = -2 ** 31 if element == "i32" else float("nan")
        return self.torch.full(dims, value, device="cuda", dtype=self.types[element])

    def buffer(self, array):
        self.buffers.append(self.runtime.import_address(array.data_ptr(), array.numel() * array.element_size()))
        return self.buffers[-1]

    def finish(self, array):
        return array

    def keep(self, array):
        return array.clone()

    def equal(self, first, second):
        """Of the bits."""
        whole = {1: self.torch.int8, 2: self.torch.int16, 4: self.torch.int32}[first.element_size()]
        return self.torch.equal(first.view(whole), second.view(whole))

    def widen(self, array):
        return array.double()

    def release(self):
        for buffer in self.buffers:
            self.runtime.release_buffer(buffer)
        self.buffers = []
        self.torch.cuda.empty_cache()


class Host:
    """Arrays of the elements' bits, and f64 where numbers are meant."""

    def __init__(self, runtime):
        import numpy
        self.numpy, self.runtime, self.buffers = numpy, runtime, []

        # f8E4M3FN by its bits; all ones are NaN.
        bits = numpy.arange(128)
        sizes = numpy.where(bits < 8, bits * 2.0 ** -9, (8 + bits % 8) * 2.0 ** (bits // 8 - 10.0))
        sizes[127] = numpy.nan
        self.float8 = numpy.concatenate([sizes, -sizes])

    def random(self, dims, element, seed, positive=False):
        random = self.numpy.random.default_rng(seed)
        if element == "i8":
            return random.integers(-128, 128, dims, self.numpy.int8)
        numbers = random.standard_normal(dims, self.numpy.float32)
        return self.narrow(abs(numbers) if positive else numbers, element)

    def narrow(self, numbers, element):
        """bf16 as its bits, rounded to nearest even; f8E4M3FN as bits of a number as near."""
        if element == "f8E4M3FN":
            middles = (self.float8[1:127] + self.float8[:126]) / 2
            bits = self.numpy.searchsorted(middles, abs(numbers)) + 128 * self.numpy.signbit(numbers)
            return bits.astype(self.numpy.uint8)
        if element != "bf16":
            return numbers.astype({"f32": self.numpy.float32, "f16": self.numpy.float16}[element])
        bits = self.numpy.ascontiguousarray(numbers).view(self.numpy.uint32)
        return ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16).astype(self.numpy.uint16)

    def widen(self, array):
        if array.dtype == self.numpy.uint8:
            return self.float8[array]
        if array.dtype == self.numpy.uint16:
            array = (array.astype(self.numpy.uint32) << 16).view(self.numpy.float32)
        return array.astype(self.numpy.float64)

    def keep(self, array):
        return array.copy()

    def equal(self, first, second):
        return first.tobytes() == second.tobytes()

    def from_bits(self, bits):
        return bits

    def poisoned(self, dims, element):
        if element == "i32":
            return self.numpy.full(dims, -2 ** 31, self.numpy.int32)
        return self.narrow(self.numpy.full(dims, self.numpy.nan, self.numpy.float32), element)

    def buffer(self, array):
        buffer = self.runtime.buffer(max(1, array.nbytes))
        self.runtime.write(buffer, array.ctypes.data, array.nbytes)
        self.buffers.append((buffer, array))
        return buffer

    def finish(self, array):
        """The result, read back."""
        for buffer, known in self.buffers:
            if known is array:
                self.runtime.read(buffer, array.ctypes.data, array.nbytes)
        return array

    def release(self):
        for buffer, _ in self.buffers:
            self.runtime.release_buffer(buffer)
        self.buffers = []
