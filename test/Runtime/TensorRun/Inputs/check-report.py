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
assert {kernel["kernel"] for kernel in report["profile"]} == {"add", "scale"}, report
