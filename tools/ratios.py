"""Prints the table of measured ratios of README.md from bench/baselines; ratios_test.py compares the two.

A figure is a bar that a benchmark wrote into its JSON file; of several processes the median counts. Where there is no
bar it is the geometric mean over all shapes of single runs, as it is for bars.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median

ROOT = Path(__file__).resolve().parent.parent
_BASELINES = ROOT / "bench/baselines"


@dataclass(frozen=True)
class Ratio:
    what: str
    bench: str
    bar: str
    form: str


_RATIOS = (
    Ratio("Running a node that does nothing, compared with calling a function in a loop; 1 worker", "scheduler",
          "empty, 1 worker: mean over shapes / serial", "{:.1f} times the loop"),
    Ratio("The same in a run with a deadline, as requests have one; 1 worker", "scheduler",
          "millrace-deadline / serial, 1", "{:.0f} times the loop"),
    Ratio("The same with a deadline; 2 workers", "scheduler", "millrace-deadline / serial, 2",
          "{:.0f} times the loop"),
    Ratio("Running that node without a deadline with oneTBB's `task_group`; 2 workers", "scheduler",
          "empty, 2 workers: tbb-tg / ours, mean over shapes", "{:.1f} times ours"),
    Ratio("Running it with oneTBB's flow graph, in the shape that suits it best; 2 workers", "scheduler",
          "empty, 2 workers: tbb-fg / ours, closest shape", "{:.1f} times ours"),
    Ratio("Ten nodes of 1 µs in the shape of a ranking plan, compared with the least time possible; 2 workers",
          "scheduler", "1us, 2 workers: ranking_10 / ideal", "{:.2f} times the ideal"),
    Ratio("Runs per second with 64 of these under way, compared with the better oneTBB", "scheduler",
          "1us, 64 in flight: dags/s over the better oneTBB", "{:.2f} times oneTBB"),
    Ratio("Heap allocations of a warm run", "scheduler", "allocations per warm run, worst case", "{:.0f}"),
    Ratio("Scoring, filtering and cutting 1000 rows with the better of DuckDB and Polars", "rows",
          "pipeline 1000: faster than the better rival", "{:.0f} times ours"),
    Ratio("The same with 100 000 rows", "rows", "pipeline 100000: faster than the better rival",
          "{:.0f} times ours"),
    Ratio("The same with 1000 rows, ours compared with a loop written by hand", "rows",
          "pipeline 1000: slower than the loop", "{:.2f} times the loop"),
)


def figure(bench: str, bar: str) -> float:
    report = json.loads((_BASELINES / f"{bench}-2core-vm.json").read_text(encoding="utf-8"))
    processes = report if isinstance(report, list) else [report]
    bars = [entry["value"] for process in processes for entry in process["bars"] if entry["name"] == bar]
    return median(bars) if bars else _mean_over_shapes(report["rows"], bar)


def _mean_over_shapes(rows: list[dict], name: str) -> float:
    """`name` is "ENGINE / ENGINE, WORKERS": their times for empty nodes."""
    engines, workers = name.split(", ")
    times = {(row["shape"], row["engine"]): row["ns_per_node"] for row in rows
             if row["body"] == "empty" and row["workers"] == int(workers) and not row["shape"].endswith("_x64")}
    upper, lower = engines.split(" / ")
    return geometric_mean(time / times[shape, lower] for (shape, engine), time in times.items() if engine == upper)


def table() -> str:
    lines = ["| What | Measured | Remake it with |", "|---|---|---|"]
    lines += [f"| {ratio.what} | {ratio.form.format(figure(ratio.bench, ratio.bar))} | `./dev bench {ratio.bench}` |"
              for ratio in _RATIOS]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
