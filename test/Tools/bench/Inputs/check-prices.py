"""The figures of bench/prices from lists with known times and prices."""
import importlib.machinery
import importlib.util
import os
import sys

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("prices", os.path.join(sys.argv[1], "prices"))
prices = importlib.util.module_from_spec(importlib.util.spec_from_loader("prices", loader))
loader.exec_module(prices)


def lists(*pairs):
    return [{"seconds": seconds, "counted": price} for seconds, price in pairs]


assert prices.far_pairs(lists((1, 10), (2, 20), (3, 30)), "counted") == (3, 3)
assert prices.far_pairs(lists((1, 30), (2, 20), (3, 10)), "counted") == (-3, 3)
assert prices.far_pairs(lists((1, 10), (2, 10)), "counted") == (0, 1)
assert prices.far_pairs(lists((1, 10), (1.04, 20)), "counted") == (0, 0)
text = prices.summarize([{"lists": lists((1, 30), (2, 20))}, {"lists": lists((1, 1), (2, 2))}], "counted")
assert text.startswith("| 0.00 of 2 | 1.414 | 2.00 | 1 |"), text
parts = prices.split_list("#tkernel.schedule<[split a = [b, c 4], order [b, d], stage x as (b, c) at grid local]>")
assert parts == ["split a = [b, c 4]", "order [b, d]", "stage x as (b, c) at grid local"], parts
