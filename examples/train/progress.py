"""What a training shows: a bar while it runs, and curves behind it."""
import math
import sys
import time

WIDTH, HEIGHT = 60, 10


class Progress:
    """A bar for all steps, on stderr where that is a terminal, below the lines that are printed by `say`."""

    def __init__(self, steps):
        self.steps, self.done, self.note, self.began = steps, 0, "", time.perf_counter()
        self.is_shown = sys.stderr.isatty()

    def advance(self):
        """One more step is done."""
        self.done += 1
        self._show()
        if self.done == self.steps:
            self._clear()

    def say(self, text, is_kept=True):
        """What came of an epoch: beside the bar, and where it is kept as a line that stays."""
        self.note = text
        if is_kept:
            self._clear()
            print(f"{text}  {time.perf_counter() - self.began:.1f} s", flush=True)
        self._show()

    def _show(self):
        if self.is_shown and self.done < self.steps:
            bar = "#" * (30 * self.done // self.steps)
            left = (time.perf_counter() - self.began) * (self.steps / max(self.done, 1) - 1)
            print(f"\r[{bar:<30}] {self.done}/{self.steps} steps, {left:.0f} s left  {self.note}\033[K", end="", file=sys.stderr, flush=True)

    def _clear(self):
        if self.is_shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def draw(curves, is_log=False):
    """Curves {name: numbers, one an epoch} as text, each in a letter of its own: that of its name."""
    scale = math.log10 if is_log else float
    values = {name: [scale(max(one, 1e-12) if is_log else one) for one in curve] for name, curve in curves.items()}
    everything = [one for curve in values.values() for one in curve if math.isfinite(one)]
    low, high = (min(everything), max(everything)) if everything else (0.0, 1.0)
    span = (high - low) or 1.0
    rows = [[" "] * WIDTH for _ in range(HEIGHT)]
    for name, curve in values.items():
        for column in range(WIDTH):
            at = curve[column * len(curve) // WIDTH]
            if math.isfinite(at):
                rows[round((high - at) / span * (HEIGHT - 1))][column] = name[0]
    text = []
    for number, row in enumerate(rows):
        at = high - span * number / (HEIGHT - 1)
        label = f"{10**at if is_log else at:8.3g}" if number % 3 == 0 else " " * 8
        text.append(f"{label} |{''.join(row)}".rstrip())
    epochs = str(max(len(curve) for curve in curves.values()))
    text += [" " * 9 + "+" + "-" * WIDTH, " " * 10 + f"1{epochs:>{WIDTH - 1}}"]
    return "\n".join(text)


def load_pyplot():
    """matplotlib's pyplot, drawing without a screen; where it is not, ends the program and says what to do."""
    try:
        import matplotlib
    except ImportError:
        sys.exit("error: --plot needs matplotlib, which is not installed: 'pip install matplotlib'; without --plot curves are drawn as text")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def save_plot(pyplot, path, losses, accuracies):
    """Writes both as a picture, of a kind that the path's ending says."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4))
    for axes, curves, title in ((left, losses, "loss"), (right, accuracies, "accuracy")):
        for name, curve in curves.items():
            axes.plot(range(1, len(curve) + 1), curve, label=name.lower())
        axes.set(title=title, xlabel="epoch")
        axes.grid(alpha=0.3)
        axes.legend()
    left.set_yscale("log")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
