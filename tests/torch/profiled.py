#!/usr/bin/env python3
"""Judges what --profile says of BERT (steps.py) on a GPU: its kernels in eager and whole, by module.

    profiled.py RESULT.json
        of: --sweep --torch steps.py:bert --batch 8 --mode eager,whole --torch-hide-capture on --profile"""

import json
import re
import sys


def judge(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    print("mode    kernels  busy us  slowdown  of the longest ten, named")
    assert {"eager", "whole"} == {cell["mode"] for cell in document["cells"]}, document["cells"]
    assert document["environment"]["profiler"]["available"], document["environment"]["profiler"]
    for cell in document["cells"]:
        profile = cell["profile"]
        named = sum("ops" in each for each in profile["top"]) / len(profile["top"])
        print(f"{cell['mode']:8}{profile['kernels']:7}{profile['busy_seconds'] * 1e6:9.1f}"
              f"{profile['slowdown'] or 0:10.2f}{named:8.0%}", *profile["top"][0].get("ops", [])[:2])
        assert cell["status"] == "ok" and profile["kernels"] >= cell["records"]["kernels"] > 0, cell
        assert 0 < profile["busy_seconds"] <= 1.1 * profile["device_seconds"], profile
        assert profile["slowdown"] > 0 and named >= 0.5, profile
        ops = [op for each in profile["top"] for op in each.get("ops", [])]
        assert any(re.search(r"layer\.\d+\.", op) for op in ops), profile


if __name__ == "__main__":
    judge(sys.argv[1])
