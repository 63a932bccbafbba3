"""PyTorch with torch.compile: its default compiler, inductor, weights frozen."""
from peers import torch as eager

NAME, VENV = "inductor", "torch"
PACKAGES, DEBIAN = eager.PACKAGES, []
TARGETS = ["native"]


def environment(threads, target, folder):
    return {"TORCHINDUCTOR_FREEZING": "1", "TORCHINDUCTOR_CACHE_DIR": folder + "/inductor", "TORCHINDUCTOR_COMPILE_THREADS": "1"}


def version(folder):
    return eager.version(folder)


def prepare(work, threads):
    return eager.prepare(work, threads, compile=True)
