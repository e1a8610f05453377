"""Compares the capacity model with this machine: capacity_machine.py RANKD BENCH_CAPACITY.

Starts a Redis server of its own, measures what a request of complex_dag costs with one request at a
time and with sixteen, lets the model say what one and two processes do with 64 each, and measures
that. Foreign work on the machine makes the result "not measured", never "passed".
"""

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLAN = "complex_dag"
IN_FLIGHT = 64
RUNS = 5
FOREIGN_MAX = 0.05
ERROR_MAX = 0.15
TRIES = 3


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def machine_cpu_seconds() -> float:
    """Time for which the cores of this machine worked so far, stolen time included."""
    line = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:]
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, line[:8])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def project_on(folder: Path, port: int) -> Path:
    """Makes a copy of the registry whose test endpoint is the server at `port`."""
    registry = folder / "registry"
    shutil.copytree(ROOT / "registry", registry)
    endpoints = registry / "endpoints.toml"
    text = endpoints.read_text(encoding="utf-8")
    endpoints.write_text(text.replace("port = 6379", f"port = {port}"), encoding="utf-8")
    return registry


class Machine:
    """A Redis server with data, and benches of `rankd` against it."""

    def __init__(self, rankd: str, folder: Path):
        self.rankd = rankd
        self.port = free_port()
        self.registry = project_on(folder, self.port)
        self.redis = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--save", "", "--dir", str(folder)],
            stdout=subprocess.DEVNULL)
        self.data = folder / "data.redis"
        subprocess.run([rankd, "seed", "--users", "5000", "--out", str(self.data)], check=True)
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            time.sleep(0.05)
        with self.data.open("rb") as commands:
            subprocess.run(["redis-cli", "-p", str(self.port)], stdin=commands, check=True,
                           stdout=subprocess.DEVNULL)

    def close(self) -> None:
        self.redis.terminate()
        self.redis.wait()

    def bench(self, concurrency: int, processes: int, count: int) -> dict:
        """Runs that many benches at once. Gives the sums and what they and Redis cost."""
        command = [self.rankd, "bench", "--root", str(ROOT), "--registry", str(self.registry),
                   "--env", "test", "--plan_name", PLAN, "--count", str(count), "--loops", "1",
                   "--bench_users", "5000", "--concurrency", str(concurrency), "--format", "json"]
        redis_before, machine_before = cpu_seconds(self.redis.pid), machine_cpu_seconds()
        started = time.monotonic()
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
                   for _ in range(processes)]
        answers = [json.loads(process.communicate()[0]) for process in running]
        elapsed = time.monotonic() - started
        redis = cpu_seconds(self.redis.pid) - redis_before
        own = sum(answer["cpu_us_per_request"] * answer["requests"] for answer in answers) / 1e6
        requests = sum(answer["requests"] for answer in answers)
        # Starting the programs and this script are work of ours too.
        foreign = machine_cpu_seconds() - machine_before - own - redis
        start_up = 0.15 * processes
        return {
            "requests_per_s": sum(answer["requests_per_s"] for answer in answers),
            "cpu_us": own / requests * 1e6,
            "redis_us": redis / requests * 1e6,
            "p50_us": answers[0]["p50_us"],
            "commands": answers[0]["commands_per_request"],
            "rounds": answers[0]["round_trips_per_request"],
            "foreign": max(0.0, foreign - start_up) / (elapsed * os.cpu_count()),
        }


def calibrate(machine: Machine) -> dict:
    """What a request costs: the way from one at a time, the work from sixteen."""
    alone = machine.bench(1, 1, 5000)
    busy = machine.bench(16, 1, 40000)
    rounds = max(1, round(alone["rounds"]))
    wait = alone["p50_us"] - alone["cpu_us"] - alone["redis_us"]
    commands = max(1, round(alone["commands"]))
    return {
        "cpu_us_per_request": busy["cpu_us"],
        "round_trips_per_request": rounds,
        "commands_per_request": commands,
        # Half of Redis' work goes with the batch, half with its commands.
        "redis_us_per_batch": busy["redis_us"] / rounds / 2,
        "redis_us_per_command": busy["redis_us"] / commands / 2,
        "wire_us": max(1.0, wait / rounds / 2),
    }


def predict(program: str, cost: dict, folder: Path) -> dict[int, float]:
    file = folder / "cost.json"
    file.write_text(json.dumps(cost), encoding="utf-8")
    lines = subprocess.run([program, "--cost", str(file), "--predict"], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return {line["processes"]: line["requests_per_s"] for line in map(json.loads, lines)}


def measure(machine: Machine) -> tuple[dict[int, float], float]:
    """Medians of alternated runs, and the largest part of the cores that others had."""
    rates: dict[int, list[float]] = {1: [], 2: []}
    foreign = 0.0
    for _ in range(RUNS):
        for processes in rates:
            result = machine.bench(IN_FLIGHT, processes, 60000)
            rates[processes].append(result["requests_per_s"])
            foreign = max(foreign, result["foreign"])
    return {processes: statistics.median(values) for processes, values in rates.items()}, foreign


def judge(predicted: dict[int, float], measured: dict[int, float],
          foreign: float) -> tuple[str, list[str]]:
    """Says "passed", "missed" or "not measured", and why."""
    lines, good = [], True
    for processes, rate in measured.items():
        error = predicted[processes] / rate - 1
        good = good and abs(error) <= ERROR_MAX
        lines.append(f"{processes} process(es), {IN_FLIGHT} in flight each: model {predicted[processes]:.0f}, "
                     f"measured {rate:.0f} requests/s, {error:+.1%} (bar {ERROR_MAX:.0%})")
    lines.append(f"others had up to {foreign:.1%} of the cores")
    if foreign > FOREIGN_MAX:
        return "not measured", lines
    return ("passed" if good else "missed"), lines


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    rankd, program = arguments
    for attempt in range(1, TRIES + 1):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            machine = Machine(rankd, folder)
            try:
                cost = calibrate(machine)
                print("cost of a request: " + json.dumps(cost), flush=True)
                predicted = predict(program, cost, folder)
                measured, foreign = measure(machine)
            finally:
                machine.close()
        verdict, lines = judge(predicted, measured, foreign)
        print("\n".join(lines) + f" (try {attempt} of {TRIES})")
        if verdict != "not measured":
            print(verdict)
            return 0 if verdict == "passed" else 1
    print("not measured: others used the machine in all tries")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
