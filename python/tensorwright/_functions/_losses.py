"""Losses, for tensors of a function that `tensorwright.jit` traces.

Written by tools/dev/docs from include/tw/Frontend/Ops.def; edit that.
"""

from __future__ import annotations

from tensorwright._trace import one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tensorwright._trace import Operand, Tensor

__all__ = [
    "binary_cross_entropy",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "hinge_loss",
    "huber_loss",
    "kl_divergence",
    "l1_loss",
    "mse_loss",
    "nll_loss",
    "smooth_l1_loss",
]


def mse_loss(prediction: Operand, target: Operand, reduction: str = "mean") -> Tensor:
    """(prediction - target) ** 2; the reduction is "mean", "sum" or "none"."""
    return one("mse_loss", "vvs", prediction, target, reduction)


def l1_loss(prediction: Operand, target: Operand, reduction: str = "mean") -> Tensor:
    """abs(prediction - target)."""
    return one("l1_loss", "vvs", prediction, target, reduction)


def huber_loss(prediction: Operand, target: Operand, delta: float = 1.0, reduction: str = "mean") -> Tensor:
    """Half the squared difference up to delta, linear beyond."""
    return one("huber_loss", "vvns", prediction, target, delta, reduction)


def smooth_l1_loss(prediction: Operand, target: Operand, beta: float = 1.0, reduction: str = "mean") -> Tensor:
    """huber_loss / beta; abs(prediction - target) for beta 0."""
    return one("smooth_l1_loss", "vvns", prediction, target, beta, reduction)


def cross_entropy(logits: Operand, target: Operand, axis: int = -1, label_smoothing: float = 0.0, reduction: str = "mean", weight: Operand | None = None, ignore_index: int = -100) -> Tensor:
    """-log_softmax(logits) at the target, integer classes without the axis, or times probabilities of the logits' shape; classes as for nll_loss."""
    return one("cross_entropy", "vvinsvi", logits, target, axis, label_smoothing, reduction, weight, ignore_index)


def nll_loss(log_probabilities: Operand, target: Operand, axis: int = -1, reduction: str = "mean", weight: Operand | None = None, ignore_index: int = -100) -> Tensor:
    """-log_probabilities at integer classes, which lack the axis, times the class's weight [c]; the mean is over the weights of those that are not ignored."""
    return one("nll_loss", "vvisvi", log_probabilities, target, axis, reduction, weight, ignore_index)


def binary_cross_entropy(logits: Operand, target: Operand, reduction: str = "mean", pos_weight: Operand | None = None) -> Tensor:
    """-(pos_weight * target * log_sigmoid(logits) + (1 - target) * log_sigmoid(-logits))."""
    return one("binary_cross_entropy", "vvsv", logits, target, reduction, pos_weight)


def kl_divergence(log_probabilities: Operand, target: Operand, reduction: str = "mean") -> Tensor:
    """target * (log(target) - log_probabilities), 0 where the target is 0; the reduction batchmean is their sum over the first dimension's size."""
    return one("kl_divergence", "vvs", log_probabilities, target, reduction)


def ctc_loss(log_probabilities: Operand, targets: Operand, input_lengths: Operand, target_lengths: Operand, blank: int = 0, reduction: str = "mean") -> Tensor:
    """-log of the probability of all alignments: log_probabilities [t, n, c], targets [n, s], lengths [n]; the mean is of losses over their targets' lengths."""
    return one("ctc_loss", "vvvvis", log_probabilities, targets, input_lengths, target_lengths, blank, reduction)


def hinge_loss(prediction: Operand, target: Operand, reduction: str = "mean") -> Tensor:
    """maximum(0, 1 - prediction * target) of targets -1 and 1."""
    return one("hinge_loss", "vvs", prediction, target, reduction)


def cosine_similarity(x1: Operand, x2: Operand, axis: int = -1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along an axis."""
    return one("cosine_similarity", "vvin", x1, x2, axis, eps)
