#!/usr/bin/env python3
"""Text blocks through the executable, and once more through regular expressions written from what the clients print.

    blocks.py EXECUTABLE FOLDER...

Every "Serving Benchmark Result" block of every note (*.txt, *.md) in the folders: its place, its label, its counts, every
number of it in `show` and in `convert`. A folder that is not there is passed over. Exits with 1 where they disagree.
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

TITLE = re.compile(r"^=+ Serving Benchmark Result =+$")
LINE = re.compile(r"^(?P<label>[^:]+?)\s*:\s+(?P<value>-?[\d.]+)$")
STATISTIC = re.compile(r"^(?P<name>Mean|Median|P\d+(?:\.\d+)?) (?P<of>TTFT|TPOT|ITL|E2EL) \(ms\)$")
#: Labels that are facts of the run or its workload.
FACTS = {
    "Successful requests": "completed", "Failed requests": "failed", "Maximum request concurrency": "max_concurrency",
    "Request rate configured (RPS)": "request_rate", "Total input tokens": "input_tokens",
    "Total generated tokens": "output_tokens",
}
METRICS = {
    "Benchmark duration (s)": "duration", "Request throughput (req/s)": "request_throughput",
    "Output token throughput (tok/s)": "output_throughput", "Peak output token throughput (tok/s)": "max_output_tokens_per_s",
    "Peak concurrent requests": "max_concurrent_requests", "Total Token throughput (tok/s)": "total_token_throughput",
    "Total token throughput (tok/s)": "total_token_throughput",
}
CLAIM = re.compile(r"\s*[(（][^()（）]*%[^()（）]*[)）]")


def heading(line):
    """(is it a # heading, label) of a line that names what follows; None for any other."""
    text = line.strip()
    marked = text.startswith("#")
    bold = re.search(r"\*\*(.+?)\*\*", text)
    if not marked and not bold and not re.search(r"[:：]$", text):
        return None
    text = bold.group(1) if bold and not marked else text
    text = CLAIM.sub("", text).replace("\ufe0f", "").strip("#*> \t").rstrip(":：* ")
    return (marked, text.strip()) if text else None


def parse(path):
    """The blocks of a note in order."""
    blocks, outer, inner, block, fenced = [], None, None, None, False
    for number, line in enumerate(open(path, encoding="utf-8").read().splitlines(), 1):
        line = line.strip()
        if line.startswith("```"):
            fenced = not fenced
        elif TITLE.match(line):
            stem = os.path.splitext(os.path.basename(path))[0]
            label = outer if outer and inner else outer or inner or stem
            block = {"line": number, "variant": label, "workload": inner if outer and inner else None, "facts": {}, "metrics": {}}
            blocks.append(block)
        elif block is not None and re.match(r"^={20,}$", line):
            block = None
        elif block is not None:
            found = LINE.match(line)
            if found is None:
                continue
            label, value = found["label"], found["value"]
            statistic = STATISTIC.match(label)
            if label in FACTS:
                block["facts"][FACTS[label]] = float(value)
            elif label in METRICS:
                block["metrics"][METRICS[label]] = value
            elif statistic:
                block["metrics"][f"{statistic['name'].lower()}_{statistic['of'].lower()}_ms"] = value
            else:
                sys.exit(f"{path}:{number}: a label that is not known here: {line}")
        elif not fenced:
            found = heading(line)
            if found and found[0]:
                outer, inner = found[1], None
            elif found:
                inner = found[1]
    return blocks


class Check:
    def __init__(self):
        self.numbers, self.wrong = 0, []

    def equal(self, got, want, where):
        self.numbers += 1
        if got != want:
            self.wrong.append(f"{where}: {got!r} instead of {want!r}")

    def value(self, got, printed, known, where):
        """The number as printed, or, where the counts give more digits, one that prints the same."""
        self.numbers += 1
        if got is None:
            return self.wrong.append(f"{where}: missing")
        step = 10.0 ** -len(printed.partition(".")[2])
        better = known is not None and abs(got / known - 1) < 1e-12 and abs(got - float(printed)) <= 0.51 * step
        if got != float(printed) and not better:
            self.wrong.append(f"{where}: {got!r} instead of {printed}")


def note(check, executable, path, folder):
    blocks = parse(path)
    shown = json.loads(subprocess.run([executable, "show", "--format", "json", path], capture_output=True, check=True).stdout)
    found = {}
    for group in shown["groups"]:
        for variant in group["variants"]:
            for run in variant["runs"]:
                found[int(run["source"].rsplit(":", 1)[1])] = (group["workload"], variant["name"], run)
    check.equal(sorted(found), [block["line"] for block in blocks], f"{path}: lines of the blocks")
    table = os.path.join(folder, "runs.csv")
    subprocess.run([executable, "convert", path, "-o", table], capture_output=True, check=True)
    tidy = {}
    for row in csv.DictReader(open(table, encoding="utf-8")):
        tidy.setdefault(int(row["source"].rsplit(":", 1)[1]), {})[row["metric"]] = row
    for block in blocks:
        where = f"{path}:{block['line']}"
        if block["line"] not in found:
            continue
        workload, name, run = found[block["line"]]
        facts, metrics = block["facts"], block["metrics"]
        check.equal(name, block["variant"], f"{where}: variant")
        check.equal(workload["label"], block["workload"], f"{where}: workload")
        for fact in ("completed", "failed", "output_tokens"):
            check.equal(run[fact], facts.get(fact), f"{where}: {fact}")
        check.equal(workload["input_tokens"], facts.get("input_tokens"), f"{where}: input tokens")
        check.equal(workload["requests"], facts["completed"] + facts.get("failed", 0), f"{where}: requests")
        for setting in ("max_concurrency", "request_rate"):
            if setting in facts:
                check.equal(workload[setting], facts[setting], f"{where}: {setting}")
        # The median is printed twice where percentiles were asked for: P50 is the same metric.
        duration = float(metrics["duration"])
        tokens = facts["input_tokens"] + facts["output_tokens"]
        known = {"request_throughput": facts["completed"] / duration, "output_throughput": facts["output_tokens"] / duration,
                 "total_token_throughput": tokens / duration}
        rows = tidy[block["line"]]
        for metric, printed in metrics.items():
            if metric not in run["metrics"] and metric.startswith("p50_"):
                metric = metric.replace("p50_", "median_")
            got = run["metrics"].get(metric, {}).get("value")
            check.value(got, printed, known.get(metric), f"{where}: {metric}")
            check.value(float(rows[metric]["value"]) if metric in rows else None, printed, known.get(metric),
                        f"{where}: {metric} in the table")
        wanted = {metric for metric in metrics if metric in run["metrics"] or not metric.startswith("p50_")}
        check.equal(set(run["metrics"]), wanted, f"{where}: metrics")
    return len(blocks)


def main():
    executable, check, blocks, notes = os.path.abspath(sys.argv[1]), Check(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for root in sys.argv[2:]:
            for name in sorted(os.listdir(root)) if os.path.isdir(root) else []:
                if name.endswith((".txt", ".md")):
                    blocks += note(check, executable, os.path.join(root, name), folder)
                    notes += 1
    for line in check.wrong[:20]:
        print(f"DISAGREES {line}")
    print(f"{notes} notes, {blocks} blocks, {check.numbers} values compared, {len(check.wrong)} disagree")
    sys.exit(1 if check.wrong or not blocks else 0)


if __name__ == "__main__":
    main()
