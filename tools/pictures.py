"""Makes all pictures of README.md and docs/ from what the programs themselves print.

    pictures.py record PROGRAMS    makes everything anew, with rankd and topoexec of that folder and a redis-server
    pictures.py draw               draws what is drawn from recordings, and puts printed ones into the pages
    pictures.py check PROGRAMS     fails if what the programs print now differs from what is committed

docs/pictures/ holds recordings (*.json), pictures (*.svg) and what a terminal showed (*.txt). Recordings are
committed, so that pictures do not change with the noise of a machine: a waterfall is printed from a recorded run,
and only the histogram, which is new in every run, is not compared. A page shows a text with `<!-- picture: NAME.txt -->`
before a fence. load.svg is drawn from the run of `./dev bench serve --json` in bench/baselines.
pictures_test.py compares recordings, pictures and pages; `./dev test guides` runs `check`.
"""

import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from load_svg import draw_load
from picture_svg import draw_plan, draw_run

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/pictures"
PAGES = ("docs/guides/explain.md", "docs/guides/rankd.md")
_PLAN = "complex_dag"
_REQUESTS = 200
_WARM_UP = 50
_WATERFALL = ("rankd", "trace", "docs/pictures/waterfall.json")
# What programs print in the same way every time, by the file that holds it.
_PRINTED = {
    "my_plan.svg": ("rankd", "explain", "my_plan", "--format", "svg"),
    "greenhouse.svg": ("topoexec", "graph", "render", "examples/graphs/greenhouse.yaml", "--format", "svg"),
    "waterfall.txt": _WATERFALL,
}
_EXPLAINED = ("rankd", "explain", _PLAN, "--format", "json")
_HISTOGRAM = ("rankd", "bench", "--plan_name", _PLAN, "--count", "20000", "--concurrency", "64")
_MARK = re.compile(r"<!-- picture: ([a-z_]+\.txt) -->\n```\n(.*?)```\n", re.DOTALL)


def pictures() -> dict[str, str]:
    """Gives the text of each picture by its file name."""
    explanation = json.loads((FOLDER / "plan.json").read_text(encoding="utf-8"))
    recording = json.loads((FOLDER / "run.json").read_text(encoding="utf-8"))
    load = json.loads((ROOT / "bench/baselines/serve-2core-vm.json").read_text(encoding="utf-8"))
    return {"plan.svg": draw_plan(explanation, edges_of(explanation)), "run.svg": draw_run(recording),
            "load.svg": draw_load(load)}


def edges_of(explanation: dict) -> list[tuple[str, str]]:
    """Gives the edges of a compiled plan: those of its artifact, between the nodes that stand for them now."""
    artifact = json.loads((ROOT / f"plans/{explanation['name']}.plan.json").read_text(encoding="utf-8"))
    stands_for = {source: node["id"] for node in explanation["nodes"] for source in node["source_ids"]}
    edges = {(stands_for[source], stands_for[node["id"]]) for node in artifact["nodes"]
             for source in node["inputs"] + node_params(node)}
    return sorted((source, target) for source, target in edges if source != target)


def node_params(node: dict) -> list[str]:
    """Gives the nodes that the params of a node name."""
    tasks = json.loads((ROOT / "interface/tasks.manifest.json").read_text(encoding="utf-8"))["tasks"]
    task = next(task for task in tasks if task["op"] == node["op"])
    return [node["params"][param["name"]] for param in task["params"]
            if param["type"] == "node" and param["name"] in node["params"]]


def printed_by(programs: Path, command: tuple[str, ...]) -> str:
    """Runs a program in the root of the repository, as wide as a page."""
    return subprocess.run([programs / command[0], *command[1:]], cwd=ROOT, check=True, capture_output=True,
                          text=True, stdin=subprocess.DEVNULL).stdout


def with_pictures(page: str) -> str:
    """Gives the text of a page with its printed pictures as they are in the folder."""
    return _MARK.sub(lambda mark: f"<!-- picture: {mark[1]} -->\n```\n{(FOLDER / mark[1]).read_text(encoding='utf-8')}```\n",
                     (ROOT / page).read_text(encoding="utf-8"))


def stale_pictures(programs: Path) -> list[str]:
    """Gives the committed files that programs would print differently now."""
    stale = [(name, command) for name, command in _PRINTED.items()
             if (FOLDER / name).read_text(encoding="utf-8") != printed_by(programs, command)]
    if (FOLDER / "plan.json").read_text(encoding="utf-8") != as_recorded(printed_by(programs, _EXPLAINED)):
        stale.append(("plan.json", _EXPLAINED))
    return [f"docs/pictures/{name} is not what `{' '.join(command)}` prints" for name, command in stale]


def as_recorded(text: str) -> str:
    """Gives JSON as recordings are written, and other text as it is."""
    try:
        return json.dumps(json.loads(text), indent=1) + "\n"
    except ValueError:
        return text


def median_run(trace: dict, skipped: int) -> dict:
    """Gives a file of many runs with only the one of median duration, the first ones not counted."""
    names, runs = [], []
    for event in trace["traceEvents"]:
        if event["ph"] == "M":
            names.append(event)
        elif event["ph"] == "b" and event["cat"] == "run":
            runs.append([event])
        elif runs:
            runs[-1].append(event)

    def duration(run: list[dict]) -> float:
        return next(event["ts"] for event in run if event["ph"] == "e") - run[0]["ts"]

    ordered = sorted(runs[skipped:], key=duration)
    return {**trace, "traceEvents": names + ordered[len(ordered) // 2]}


def record_printed(programs: Path) -> None:
    """Records a run for the waterfall and a histogram, and prints the rest."""
    with tempfile.TemporaryDirectory() as folder, redis_registry() as registry:
        runs = Path(folder) / "runs.json"
        printed_by(programs, ("rankd", "bench", "--env", "test", "--registry", registry, "--plan_name", _PLAN,
                              "--count", str(_WARM_UP + _REQUESTS), "--dump-run-trace", str(runs)))
        one = median_run(json.loads(runs.read_text(encoding="utf-8")), _WARM_UP)
    (FOLDER / "waterfall.json").write_text(json.dumps(one, separators=(",", ":")) + "\n", encoding="utf-8")
    histogram = printed_by(programs, _HISTOGRAM)
    (FOLDER / "histogram.txt").write_text(histogram[histogram.index("histogram"):], encoding="utf-8")
    for name, command in _PRINTED.items():
        (FOLDER / name).write_text(printed_by(programs, command), encoding="utf-8")


def record(programs: Path) -> None:
    rankd = str(programs / "rankd")
    explanation = json.loads(printed_by(programs, _EXPLAINED))
    with redis_registry() as registry:
        request = json.dumps({"user_id": 1, "trace": True}) + "\n"
        command = [rankd, "--env", "test", "--registry", registry, "--plan_name", _PLAN, "--concurrency", "1"]
        answers = subprocess.run(command, input=request * (_WARM_UP + _REQUESTS), cwd=ROOT, check=True,
                                 capture_output=True, text=True).stdout.splitlines()
    traces = sorted((json.loads(answer)["trace"] for answer in answers[_WARM_UP:]),
                    key=lambda trace: trace["latency_us"])
    recording = {
        "plan": _PLAN,
        "about": f"User 1 on a Redis server of the same machine, a 2-core VM: the median of {_REQUESTS} traced "
                 "requests. While a node waits for Redis, no thread does.",
        "kinds": {node["id"]: node["kind"] for node in explanation["nodes"]},
        "trace": traces[len(traces) // 2],
    }
    FOLDER.mkdir(exist_ok=True)
    for name, content in (("plan.json", explanation), ("run.json", recording)):
        (FOLDER / name).write_text(as_recorded(json.dumps(content)), encoding="utf-8")


@contextmanager
def redis_registry():
    """Starts a Redis server with the demo data; gives a copy of registry/ that names it."""
    with socket.socket() as free, tempfile.TemporaryDirectory() as folder:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
        free.close()
        registry = Path(folder) / "registry"
        shutil.copytree(ROOT / "registry", registry)
        endpoints = registry / "endpoints.toml"
        endpoints.write_text(re.sub(r"port = 6379", f"port = {port}", endpoints.read_text(encoding="utf-8")),
                             encoding="utf-8")
        server = subprocess.Popen(["redis-server", "--port", port, "--save", "", "--dir", folder],
                                  stdout=subprocess.DEVNULL)
        try:
            client = ["redis-cli", "-p", port]
            while subprocess.run([*client, "ping"], capture_output=True, check=False).returncode != 0:
                time.sleep(0.05)
            with open(ROOT / "data/demo.redis", encoding="utf-8") as data:
                subprocess.run(client, stdin=data, check=True, capture_output=True)
            yield str(registry)
        finally:
            server.terminate()
            server.wait()


def draw() -> None:
    for name, text in pictures().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"docs/pictures/{name}")
    for page in PAGES:
        (ROOT / page).write_text(with_pictures(page), encoding="utf-8")


def main(arguments: list[str]) -> int:
    verb, programs = arguments[:1], [Path(folder).resolve() for folder in arguments[1:]]
    if verb == ["check"] and len(programs) == 1:
        stale = stale_pictures(programs[0])
        for line in stale:
            print(f"{line}: python3 tools/pictures.py record engine/bin")
        return 1 if stale else 0
    if verb == ["record"] and len(programs) == 1:
        record(programs[0])
        record_printed(programs[0])
    elif verb != ["draw"] or programs:
        print(__doc__, file=sys.stderr)
        return 2
    draw()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
