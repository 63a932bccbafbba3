"""Checks that the price of each kernel NAME_fast is less than that of NAME_slow."""
import json
import sys

MARGIN = 1.05
prices = {}
for line in sys.stdin:
    price = json.loads(line)
    prices[price["kernel"]] = prices.get(price["kernel"], 0) + price["cycles"]
wrong = 0
names = [name[:-len("_fast")] for name in prices if name.endswith("_fast")]
for name in names:
    fast, slow = prices[f"{name}_fast"], prices[f"{name}_slow"]
    right = fast * MARGIN < slow
    wrong += not right
    print(f"{name}: {fast:.3g} against {slow:.3g}{'' if right else ', in the wrong order'}")
print(f"{wrong} of {len(names)} pairs in the wrong order")
sys.exit(wrong > 0 or not names)
