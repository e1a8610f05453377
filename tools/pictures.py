"""Makes the pictures of README.md and of the guides from what the engine itself prints.

`pictures.py draw` draws docs/pictures/*.svg from the recordings beside them, and load.svg from the run of
`./dev bench serve --json` in bench/baselines; `pictures.py record RANKD`
makes the recordings anew, with that engine and a redis-server of its own. Recordings are committed, so that
the pictures do not change with the noise of a machine; pictures_test.py compares them.
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
_PLAN = "complex_dag"
_REQUESTS = 200
_WARM_UP = 50


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


def record(rankd: str) -> None:
    printed = subprocess.run([rankd, "explain", _PLAN, "--format", "json"], cwd=ROOT, check=True,
                             capture_output=True, text=True).stdout
    explanation = json.loads(printed)
    with redis_registry() as registry:
        request = json.dumps({"user_id": 1, "trace": True}) + "\n"
        command = [rankd, "--env", "test", "--registry", registry, "--plan_name", _PLAN]
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
        (FOLDER / name).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


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


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["record"] and len(arguments) == 2:
        record(str(Path(arguments[1]).resolve()))
    elif arguments != ["draw"]:
        print(__doc__, file=sys.stderr)
        return 2
    for name, text in pictures().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"docs/pictures/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
