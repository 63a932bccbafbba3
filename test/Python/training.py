# RUN: %venv_python %s
# Training: data, checkpoints, and going on from them with the same bits.
import os
import tempfile
import unittest

import numpy as np
import tensorwright as tw

R = np.random.default_rng(1)
X = R.normal(0, 1, (48, 6)).astype("float32")
Y = (X[:, :2] > 0).astype("float32")

optimizer = tw.optim.AdamW(0.01)


def loss(model, x, y, key):
    with tw.nn.random(key):
        return tw.mse_loss(model(x), y)


@tw.jit
def step(model, state, x, y):
    value, grads = tw.value_and_grad(loss)(model, x, y, state["step"])
    return value, *optimizer.update(model, grads, state)


def begin():
    tw.init.manual_seed(2)
    model = tw.nn.Sequential(tw.nn.Linear(6, 16), tw.relu, tw.nn.Dropout(0.1), tw.nn.Linear(16, 2))
    return model, optimizer.init(model), tw.data.Loader((X, Y), 8, seed=4)


def advance(model, state, loader, steps):
    losses = tw.data.Receiver()
    done = 0
    while done < steps:
        for x, y in loader:
            value, model, state = step(model, state, x, y)
            losses.put(value)
            done += 1
            if done == steps:
                break
    return model, state, losses.take()


class Checkpoints(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.path = os.path.join(self.folder, "a.safetensors")

    def test_resumed_with_the_same_bits(self):
        model, state, loader = begin()
        model, state, losses = advance(model, state, loader, 20)
        other, other_state, other_loader = begin()
        other, other_state, first = advance(other, other_state, other_loader, 9)
        tw.checkpoints.save(self.path, {"model": other, "optimizer": other_state, "data": other_loader.state()})
        self.assertEqual(os.listdir(self.folder), ["a.safetensors"])
        # In a fresh start all is read back.
        other, other_state, other_loader = begin()
        found = tw.checkpoints.load(self.path, like={"model": other, "optimizer": other_state, "data": other_loader.state()})
        other_loader.restore(found["data"])
        other, other_state, rest = advance(found["model"], found["optimizer"], other_loader, 11)
        np.testing.assert_array_equal(losses, np.concatenate([first, rest]))
        same = lambda a, b: np.testing.assert_array_equal(a, b)
        tw.tree_map(same, (model, state), (other, other_state))
        self.assertLess(losses[-3:].mean(), losses[:3].mean())

    def test_layout(self):
        tree = {"a": [np.arange(6, dtype="int16").reshape(2, 3), np.bool_([1, 0])], "b": 2.5, "c": np.zeros((0, 4))}
        tw.checkpoints.save(self.path, tree)
        with open(self.path, "rb") as file:
            data = file.read()
        size = int.from_bytes(data[:8], "little")
        self.assertEqual(size % 8, 0)
        self.assertIn(b'"a.0":{"dtype":"I16","shape":[2,3],"data_offsets":[0,12]}', data[8 : 8 + size])
        found = tw.checkpoints.load(self.path, tree)
        np.testing.assert_array_equal(found["a"][0], tree["a"][0])
        self.assertEqual((found["b"], found["c"].shape), (2.5, (0, 4)))
        buffer = tw.Buffer.copy_of(np.float32([1, 2]))
        tw.checkpoints.save(self.path, buffer)
        self.assertEqual(tw.data.read(self.path)["value"].tolist(), [1, 2])

    def test_of_another_model(self):
        tw.checkpoints.save(self.path, {"w": np.zeros((2, 3), "float32"), "old": 1, "b": np.zeros(2)})
        with self.assertRaisesRegex(
            tw.ArgumentError,
            r"of another model: 'new' is missing; 'old' is too much; 'w': expected float32\[3, 3\], found float32\[2, 3\]; "
            r"'b': expected float32\[2\], found float64\[2\] \[T0606\]",
        ):
            tw.checkpoints.load(self.path, {"w": np.zeros((3, 3), "float32"), "new": 1, "b": np.zeros(2, "float32")})

    def test_two_of_a_name(self):
        for tree in ({"a.b": X, "a": {"b": X}}, {1: X, "1": X}):
            with self.assertRaisesRegex(tw.ArgumentError, "two places of the tree are named '(a.b|1)'"):
                tw.checkpoints.save(os.path.join(tempfile.mkdtemp(), "x"), tree)

    def test_damaged(self):
        tw.checkpoints.save(self.path, {"w": np.arange(4.0)})
        with open(self.path, "rb") as file:
            data = file.read()
        for bad in (data[:-1], data[:20], b"", b"\xff" * 40, data.replace(b"F64", b"F99"), data.replace(b"[4]", b"[5]")):
            with open(self.path, "wb") as file:
                file.write(bad)
            with self.assertRaises(tw.FileError):
                tw.checkpoints.load(self.path, {"w": np.arange(4.0)})
        with self.assertRaisesRegex(tw.FileError, "T0601"):
            tw.checkpoints.save(os.path.join(self.folder, "none", "a"), {})


def resident():
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Steps(unittest.TestCase):
    def test_ten_thousand(self):
        # The same bits each time, in memory that does not grow.
        ends = []
        for _ in range(2):
            model, state, loader = begin()
            sizes = []
            for _ in range(20):
                model, state, losses = advance(model, state, loader, 500)
                sizes.append(resident())
            self.assertLess(sizes[-1] - sizes[4], 1 << 19)
            self.assertTrue(np.isfinite(losses).all())
            ends.append((model, state))
        tw.tree_map(np.testing.assert_array_equal, *ends)

    def test_dropout_that_runs_again(self):
        # With less memory masks are drawn again, and are the same.
        tw.init.manual_seed(4)
        layer = lambda i: [tw.nn.Linear(64, 64), tw.gelu] + [tw.nn.Dropout(0.3)] * (i in (2, 4))
        model = tw.nn.Sequential(*[one for i in range(8) for one in layer(i)])
        x = R.normal(0, 1, (256, 64)).astype("float32")
        step = lambda model, x, key: tw.value_and_grad(loss)(model, x, x, key)
        # Which kernels run again is by their prices, which are those of one CPU here.
        jit = lambda **options: tw.jit(step, threads=1, target="host:x86-64-v3", **options)
        plenty = jit()
        get = lambda jitted: jitted.model(model, x, np.uint64(3)).report["targets"][0]
        for part in (0.5, 0.45, 0.4, 0.35, 0.3):
            most = int(part * get(plenty)["arenaBytes"])
            little = jit(options={"memory": most})
            self.assertLessEqual(get(little)["arenaBytes"], most)
            again = [one["kernel"] for one in get(little)["memory"][0]["again"]]
            if any("compare" in one for one in again):
                break
        else:
            self.fail(f"no mask is drawn again: {again}")
        found, expected = little(model, x, np.uint64(3)), plenty(model, x, np.uint64(3))
        tw.tree_map(np.testing.assert_array_equal, found, expected)
        other = little(model, x, np.uint64(4))
        self.assertNotEqual(float(other[0]), float(found[0]))


class Data(unittest.TestCase):
    def test_order(self):
        x = np.arange(10)
        self.assertEqual([b.tolist() for b in tw.data.Loader(x, 4, drop_last=False)], [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]])
        loader = tw.data.Loader(x, 2, seed=3)
        epochs = [[b.tolist() for b in loader] for _ in range(2)]
        self.assertEqual(sorted(sum(epochs[0], [])), x.tolist())
        self.assertNotEqual(epochs[0], epochs[1])
        again = tw.data.Loader(x, 2, seed=3)
        again.restore({"epoch": 1, "batch": 2})
        self.assertEqual([b.tolist() for b in again], epochs[1][2:])
        self.assertEqual(again.state(), {"epoch": 2, "batch": 0})
        with self.assertRaisesRegex(tw.ArgumentError, r"found \[3, 4\] rows"):
            tw.data.Loader((x[:3], x[:4]), 2)
        with self.assertRaisesRegex(tw.ArgumentError, "3 rows make no batch of 4"):
            tw.data.Loader(x[:3], 4)

    def test_files(self):
        path = os.path.join(tempfile.mkdtemp(), "x.npy")
        np.save(path, X)
        loader = tw.data.Loader({"x": tw.data.read(path)}, 24)
        np.testing.assert_array_equal(np.concatenate([batch["x"] for batch in loader]), X)
        with self.assertRaises(tw.FileError):
            tw.data.read(path + ".npy")

    def test_on_a_device(self):
        batch = next(iter(tw.data.Loader(X, 8, device="null")))
        self.assertEqual((batch.device, batch.shape), ("null", (8, 6)))


if __name__ == "__main__":
    unittest.main()
