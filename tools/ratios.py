"""Prints the tables of measured ratios of README.md from bench/baselines; ratios_test.py compares the two.

A figure is a bar that a benchmark wrote into its JSON file, with what it is to be; of several processes the median
counts, of several rows of one name the worst. Where the scheduler has no bar it is the geometric mean over all
shapes, as it is for bars.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import geometric_mean, median

ROOT = Path(__file__).resolve().parent.parent
_BASELINES = ROOT / "bench/baselines"


@dataclass(frozen=True)
class Ratio:
    what: str
    bench: str
    bars: tuple[str, ...]
    form: str  # with one place for each bar


@dataclass(frozen=True)
class Figure:
    value: float
    limit: float | None
    at_most: bool

    def verdict(self) -> str:
        is_met = self.value <= self.limit if self.at_most else self.value >= self.limit
        return f"at {'most' if self.at_most else 'least'} {self.limit:g}" + ("" if is_met else ": **missed**")


def _bodies(form: str, *bodies: str) -> tuple[str, ...]:
    return tuple(form.format(body) for body in bodies)


_SERVING = (
    Ratio("An HTTP request for a plan that fetches nothing, compared with a bare handler on the same layer: processor time",
          "serve", ("S54 trivial plan / bare handler",), "{:.2f} times the handler"),
    Ratio("That handler, compared with an echo of llhttp on libuv", "serve", ("S54 bare handler / echo",),
          "{:.2f} times the echo"),
    Ratio("What HTTP adds to `complex_dag`, the plan in the pictures", "serve", ("S55 HTTP adds to complex_dag",), "{:.1f} such echoes"),
    Ratio("Refusing a request because the server is full", "serve", ("S35 refusal / bare handler",),
          "{:.2f} times the handler"),
    Ratio("Requests come three times as fast as they can be answered: answers, and p99 of these compared with half the load",
          "serve", ("S57 goodput at 3 x peak", "S57 p99 at 3 x peak / at half"), "{:.0f} % of the most possible; {:.1f} times"),
    Ratio("Requests that fail while plans are exchanged 20 times", "serve",
          ("S58 20 reloads at half load: failed requests",), "{:.0f}"),
    Ratio("A plan over NATS, compared with an echo on the same library", "nats", ("trivial plan / echo",),
          "{:.0f} % of its requests"),
    Ratio("Jobs of many requests, compared with the slower of `rankd bench` and publishing with acknowledgement", "nats",
          ("batch work / the lower of the two",), "{:.0f} % of its lines"),
)
_ROWS = (
    Ratio("Scoring, filtering and cutting 1000 rows with the better of DuckDB and Polars", "rows",
          ("pipeline 1000: faster than the better rival",), "{:.0f} times ours"),
    Ratio("The same with 100 000 rows", "rows", ("pipeline 100000: faster than the better rival",),
          "{:.0f} times ours"),
    Ratio("The same with 1000 rows, ours compared with a loop written by hand", "rows",
          ("pipeline 1000: slower than the loop",), "{:.2f} times the loop"),
)
_GRAPHS = (
    Ratio("An invocation, compared with a node of oneTBB's flow graph that takes messages in order, in the shape that suits us "
          "least", "graph", ("  ours over oneTBB serial",), "{:.2f} of its time"),
    Ratio("A pool with 512 bodies of 1 µs per epoch, two threads compared with one", "graph", ("  2 threads over 1 thread",),
          "{:.2f} of the time"),
    Ratio("Compiling 4096 components with 8190 edges", "graph", ("compile 4096 components, 8190 edges",), "{:.0f} ms"),
    Ratio("A graph that has nothing to do", "graph", ("idle graph: share of one processor",), "{:.3f} % of one processor"),
)
_SCHEDULER = (
    Ratio("Running a node that does nothing in a run with a deadline, as requests have one, compared with calling a "
          "function in a loop; 1 and 2 workers", "scheduler",
          ("millrace-deadline / serial, 1", "millrace-deadline / serial, 2"), "{:.1f} and {:.1f} times the loop"),
    Ratio("The same without a deadline", "scheduler",
          ("empty, 1 worker: ours / serial, mean", "empty, 2 workers: ours / serial, mean"),
          "{:.1f} and {:.1f} times the loop"),
    Ratio("What a deadline costs in the shape that suffers most, with nodes that do nothing, of 100 ns and of 1 µs; "
          "2 workers", "scheduler", _bodies("{}, 2 workers: deadline / without, worst shape", "empty", "100ns", "1us"),
          "{:.2f}, {:.2f} and {:.2f} times the same without"),
    Ratio("What a deadline costs with 64 runs of ten nodes under way, which do nothing or take 1 µs; 2 workers",
          "scheduler", _bodies("{}, 64 in flight: deadline / without", "empty", "1us"),
          "{:.2f} and {:.2f} times the same without"),
    Ratio("Nodes that do nothing, ours with a deadline, oneTBB's `task_group` without; 1 and 2 workers", "scheduler",
          ("empty, 1 worker: deadline / tbb-tg without, mean", "empty, 2 workers: deadline / tbb-tg without, mean"),
          "{:.2f} and {:.2f} of its time"),
    Ratio("Nodes of 1 µs, likewise", "scheduler",
          ("1us, 1 worker: deadline / tbb-tg without, mean", "1us, 2 workers: deadline / tbb-tg without, mean"),
          "{:.2f} and {:.2f} of its time"),
    Ratio("Nodes of 200 ns, 1 µs and 20 µs, both without a deadline; 2 workers", "scheduler",
          _bodies("{}, 2 workers: ours / tbb-tg, mean", "200ns", "1us", "20us"),
          "{:.2f}, {:.2f} and {:.2f} of its time"),
    Ratio("Four uneven branches, at the length of nodes that suits us least; 2 workers", "scheduler",
          ("uneven branches, 2 workers: ours / tbb-tg, worst body",), "{:.2f} of its time"),
    Ratio("Callers that only wait, as with `run().wait()`, nodes that do nothing and of 1 µs; 2 workers", "scheduler",
          _bodies("{}, 2 workers and a caller that only waits: ours / tbb, mean", "empty", "1us"),
          "{:.2f} and {:.2f} of its time"),
    Ratio("Two workers compared with one in the shape that suffers most; nodes of 50 ns, 100 ns, 200 ns and 1 µs",
          "scheduler", _bodies("{}: 2 workers / 1 worker, worst shape", "50ns", "100ns", "200ns", "1us"),
          "{:.2f}, {:.2f}, {:.2f} and {:.2f} of the time of one"),
    Ratio("Two workers compared with the better of the loop and `task_group`, in the shape that suffers most; nodes of 50 ns, "
          "100 ns, 200 ns and 1 µs", "scheduler",
          _bodies("{}, 2 workers: ours / best of serial and tbb-tg, worst shape", "50ns", "100ns", "200ns", "1us"),
          "{:.2f}, {:.2f}, {:.2f} and {:.2f} of its time"),
    Ratio("Nodes that do nothing with oneTBB's flow graph, in the shape that suits it best; 2 workers", "scheduler",
          ("empty, 2 workers: tbb-fg / ours, closest shape",), "{:.1f} times ours"),
    Ratio("Ten nodes of 1 µs in the shape of a ranking plan, compared with the least time possible; 2 workers",
          "scheduler", ("1us, 2 workers: ranking_10 / ideal",), "{:.2f} times the ideal"),
    Ratio("Runs per second with 64 of these under way, which do nothing or take 1 µs, compared with the better oneTBB",
          "scheduler", _bodies("{}, 64 in flight: dags/s over the better oneTBB", "empty", "1us"),
          "{:.2f} and {:.2f} times oneTBB"),
    Ratio("Heap allocations of a warm run", "scheduler", ("allocations per warm run, worst case",), "{:.0f}"),
)


@cache
def _reports(bench: str) -> list[dict]:
    report = json.loads((_BASELINES / f"{bench}-2core-vm.json").read_text(encoding="utf-8"))
    return report if isinstance(report, list) else [report]


def figure(bench: str, bar: str) -> Figure:
    figures = [found for process in _reports(bench) for found in process.get("figures", []) if found["name"] == bar]
    if figures:
        return _worst([_read(found) for found in figures])
    bars = [entry for process in _reports(bench) for entry in process["bars"] if entry["name"] == bar]
    if not bars:
        return Figure(_mean_over_shapes(_reports(bench)[0]["rows"], bar), None, True)
    return Figure(median(entry["value"] for entry in bars), bars[0]["limit"], bars[0].get("at_most", True))


def _read(found: dict) -> Figure:
    at_most = "at_most" in found
    return Figure(found["value"], found["at_most" if at_most else "at_least"], at_most)


def _worst(figures: list[Figure]) -> Figure:
    return max(figures, key=lambda found: found.value if found.at_most else -found.value)


def _mean_over_shapes(rows: list[dict], name: str) -> float:
    """`name` is "ENGINE / ENGINE, WORKERS": their times for empty nodes."""
    engines, workers = name.split(", ")
    times = {(row["shape"], row["engine"]): row["ns_per_node"] for row in rows
             if row["body"] == "empty" and row["workers"] == int(workers) and not row["shape"].endswith("_x64")}
    upper, lower = engines.split(" / ")
    return geometric_mean(time / times[shape, lower] for (shape, engine), time in times.items() if engine == upper)


def _aim(figures: list[Figure]) -> str:
    """What each is to be; once if that is the same for all."""
    verdicts = [found.verdict() for found in figures if found.limit is not None]
    return ("; ".join(verdicts) if len(set(verdicts)) > 1 else "".join(verdicts[:1])) or "–"


def table(ratios: tuple[Ratio, ...]) -> str:
    lines = ["| What | Measured | Aim |", "|---|---|---|"]
    for ratio in ratios:
        figures = [figure(ratio.bench, bar) for bar in ratio.bars]
        measured = ratio.form.format(*(found.value for found in figures))
        lines.append(f"| {ratio.what} | {measured} | {_aim(figures)} |")
    return "\n".join(lines) + "\n"


def tables() -> dict[str, str]:
    return {"Serving": table(_SERVING), "Rows": table(_ROWS), "Graphs": table(_GRAPHS), "Scheduler": table(_SCHEDULER)}


if __name__ == "__main__":
    for heading, text in tables().items():
        print(f"### {heading}\n\n{text}")
