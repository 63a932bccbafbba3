"""Trains a network to read handwritten digits: examples/train/digits.py [EPOCHS] [--plot=FILE] [--seed=N]

The pictures are those that scikit-learn ships (dataset.py): a fifth of them, drawn by the seed, is
kept to test with. A bar shows how far it is, and curves of loss and accuracy stand at the end: as
text, and with --plot as a picture, by matplotlib. So few pictures are soon known by heart, which
dropout, smoothed labels and noise on the pictures are against.
"""
import argparse

import dataset
import progress
import tensorwright as tw

nn = tw.nn
BATCH = 64


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("epochs", nargs="?", type=int, default=60, help="how often all pictures are seen (default 60)")
    parser.add_argument("--plot", metavar="FILE", help="write loss and accuracy to FILE, such as digits.png; needs matplotlib")
    parser.add_argument("--seed", type=int, default=0, help="of weights, order and what is tested with (default 0)")
    arguments = parser.parse_args()
    if arguments.epochs < 1:
        parser.error("epochs: expected 1 or more")
    return arguments


def make_network():
    return nn.Sequential(nn.Linear(64, 512), tw.gelu, nn.Dropout(0.5), nn.Linear(512, 512), tw.gelu, nn.Dropout(0.5), nn.Linear(512, 10))


def make_step(optimizer):
    def loss(network, x, digits, key):
        # Random numbers are functions of key and counter: noise has counters that dropout does not reach.
        x = x + 0.15 * tw.random_normal(key, 1 << 32, x.shape)
        with nn.random(key):
            return tw.cross_entropy(network(x), digits, label_smoothing=0.1)

    @tw.jit(donate_argnames=("network", "state"))
    def step(network, state, x, digits):
        value, gradients = tw.value_and_grad(loss)(network, x, digits, state["step"])
        return value, *optimizer.update(network, gradients, state)

    return step


@tw.jit
def evaluate(network, x, digits):
    """Loss, and the part of the digits that are told right."""
    scores = network(x)
    right = tw.argmax(scores, axis=-1) == digits
    return tw.cross_entropy(scores, digits), tw.mean(tw.astype(right, "float32"))


def main():
    arguments = parse_arguments()
    pyplot = progress.load_pyplot() if arguments.plot else None
    train, test = dataset.load(arguments.seed)
    loader = tw.data.Loader(train, BATCH, seed=arguments.seed)
    tw.init.manual_seed(arguments.seed)
    network = make_network()
    optimizer = tw.optim.AdamW(tw.optim.cosine_decay(3e-3, arguments.epochs * len(loader), warmup=50), weight_decay=0.01)
    state, step = optimizer.init(network), make_step(optimizer)
    losses, accuracies = {"train": [], "Test": []}, {"train": [], "Test": []}
    show = progress.Progress(arguments.epochs * len(loader))
    for epoch in range(1, arguments.epochs + 1):
        for x, digits in loader:
            _, network, state = step(network, state, x, digits)
            show.advance()
        network.eval()
        for name, rows in (("train", train), ("Test", test)):
            loss, accuracy = evaluate(network, *rows)
            losses[name].append(float(loss))
            accuracies[name].append(float(accuracy))
        network.train()
        text = f"epoch {epoch}  loss {losses['train'][-1]:.4f}  test loss {losses['Test'][-1]:.4f}  test accuracy {accuracies['Test'][-1]:.4f}"
        show.say(text, is_kept=epoch == 1 or epoch % max(arguments.epochs // 12, 1) == 0)
    print(f"\nloss (t: train, T: test)\n{progress.draw(losses, is_log=True)}")
    print(f"\naccuracy\n{progress.draw(accuracies)}")
    if arguments.plot:
        progress.save_plot(pyplot, arguments.plot, losses, accuracies)
        print(f"wrote {arguments.plot}")
    count = len(test[1])
    print(f"\ntest accuracy {accuracies['Test'][-1]:.2%}: {round(accuracies['Test'][-1] * count)} of {count} pictures that were not trained on")


if __name__ == "__main__":
    main()
