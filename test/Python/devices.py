# REQUIRES: opencl, vulkan
# RUN: %venv_python %s
# Devices whose memory is not the host's, and the null device: copies in and out, buffers that stay
# there, queues, modules for several devices.
import os
import tempfile
import unittest

import numpy as np
import tensorwright as tw
from programs import ADD, TWO_RESULTS


class Devices(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(5)
        self.x, self.y = random.standard_normal((2, 4, 8), "float32")

    def test_list(self):
        found = [device.uri for device in tw.devices()]
        self.assertEqual(found[0], "host")
        self.assertTrue({"opencl:0", "vulkan:0"} <= set(found), found)
        self.assertEqual(tw.Device("host").description["target"], "host")
        used, total = tw.Device("opencl").memory
        self.assertLessEqual(used, total)
        for name, reason in tw.missing_devices().items():
            self.assertNotIn(name, found)
            self.assertTrue(reason)

    def test_run(self):
        for device in ("opencl", "vulkan"):
            with self.subTest(device):
                model = tw.compile(ADD, device=device)
                self.assertEqual(model.device, device)
                result = model(self.x, self.y)
                self.assertIs(type(result), np.ndarray)
                np.testing.assert_array_equal(result, self.x + self.y)
                self.assertEqual(model.copied, 256)
                np.testing.assert_array_equal(model(self.x[:, ::-1], self.y), self.x[:, ::-1] + self.y)
                results = [model(self.x * i, self.y) for i in range(10)]
                for i, result in enumerate(results):
                    np.testing.assert_array_equal(result, self.x * np.float32(i) + self.y)

    def test_buffers_stay(self):
        for device in ("opencl", "vulkan"):
            with self.subTest(device):
                model = tw.compile(ADD, device=device)
                x, y, out = tw.Buffer.copy_of(self.x, device), tw.Buffer.copy_of(self.y, device), tw.Buffer((4, 8), device=device)
                once = model(x, y)
                self.assertEqual((type(once), once.device, model.copied), (tw.Buffer, device, 0))
                self.assertIs(model(once, y, out=out), out)
                np.testing.assert_array_equal(out.numpy(), self.x + self.y + self.y)
                out.fill(self.x)
                np.testing.assert_array_equal(out.numpy(), self.x)
                for take in (memoryview, np.from_dlpack):
                    with self.assertRaises(BufferError):
                        take(out)
                with self.assertRaisesRegex(tw.ArgumentError, "cannot be written in place"):
                    model(x, y, out=np.empty((4, 8), "float32"))

    def test_queues(self):
        for device in ("opencl", "vulkan"):
            with self.subTest(device):
                model = tw.compile(ADD, device=device)
                queue, other = tw.Queue(device), tw.Queue(device)
                runs = [model.submit(self.x * i, self.y, queue=queue if i % 2 else other) for i in range(6)]
                last = model.submit(self.x, self.x, queue=other, after=runs)
                np.testing.assert_array_equal(last.result(timeout=60), self.x + self.x)
                self.assertTrue(last.done())
                for i, run in enumerate(runs):
                    np.testing.assert_array_equal(run.result(), self.x * np.float32(i) + self.y)
                del runs, last
                model.submit(self.x, self.y)  # that nobody waits for
                np.testing.assert_array_equal(model(self.x, self.y), self.x + self.y)

    def test_many_wait_for_one(self):
        import threading

        model = tw.compile(ADD, device="opencl")
        for _ in range(20):
            pending, found = model.submit(self.x, self.y), []
            threads = [threading.Thread(target=lambda: found.append(pending.result())) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(found), 4)
            self.assertTrue(all(one is found[0] for one in found))

    def test_await(self):
        import asyncio

        async def both():
            model = tw.compile(ADD, device="opencl")
            return await asyncio.gather(*[self.wait(model.submit(self.x * i, self.y)) for i in range(3)])

        for i, result in enumerate(asyncio.run(both())):
            np.testing.assert_array_equal(result, self.x * np.float32(i) + self.y)

    @staticmethod
    async def wait(pending):
        return await pending

    def test_one_module_for_several(self):
        model = tw.compile(TWO_RESULTS, target="host,opencl,vulkan")
        self.assertEqual(model.device, "host")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "two.twm")
            model.save(path)
            for device in ("host", "opencl", "vulkan"):
                twice, square = tw.load(path, device=device)([1, 2, 3])
                self.assertEqual((twice.tolist(), square.tolist()), ([2, 4, 6], [1, 4, 9]))

    def test_null(self):
        model = tw.compile(ADD, device="null")
        self.assertEqual(model(self.x, self.y).shape, (4, 8))  # it computes nothing

    def test_moves(self):
        on_device = tw.Buffer.copy_of(self.x, "opencl")
        model = tw.compile(ADD)
        result = model(on_device, self.y)
        self.assertIs(type(result), tw.Buffer)
        np.testing.assert_array_equal(result.numpy(), self.x + self.y)
        self.assertEqual(model.copied, 128)
        again = tw.Buffer.copy_of(on_device, "vulkan")
        np.testing.assert_array_equal(again.numpy(), self.x)
        self.assertEqual(repr(again), "Buffer((4, 8), float32, device=vulkan)")


if __name__ == "__main__":
    unittest.main()
