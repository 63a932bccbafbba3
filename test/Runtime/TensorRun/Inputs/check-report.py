"""Checks the JSON report of a benchmark with a comparison."""
import json
import sys

report = json.load(open(sys.argv[1]))
assert report["holds"] and report["comparisons"][0]["maxError"] == 0, report
benchmark = report["benchmark"]
assert benchmark["runs"] == 4 and 0 < benchmark["minNs"] <= benchmark["medianNs"], report
assert benchmark["spreadNs"] >= 0 and report["threads"] == 2 and report["device"] == "host", report
output = report["outputs"][0]
assert output["name"] == "y" and output["dims"] == [64] and output["element"] == "f32", report
assert len(output["top"]) == 1 and output["top"][0]["value"] == output["max"], report
profile = report["profile"]
assert {(kernel["kernel"], *kernel["nodes"]) for kernel in profile} == {("add", "Add_0"), ("scale", "Mul_1")}, report
assert profile[0]["ns"] >= profile[1]["ns"], report
