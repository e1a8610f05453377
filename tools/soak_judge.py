"""What a soak counts, and what it may not see."""

import json
import re
import statistics
from collections import Counter
from dataclasses import dataclass, field

MEMORY_GROWTH_MAX = 0.05
# Shorter runs say nothing about memory: caches and pools still fill.
MEMORY_SECONDS_MIN = 120
WRONG_KEPT_MAX = 20


@dataclass
class Ledger:
    """What became of everything that clients did. Written and read by one thread."""

    counts: dict[str, Counter] = field(default_factory=dict)  # of kinds of clients
    deeds: Counter = field(default_factory=Counter)  # what was done to the server
    wrong: list[str] = field(default_factory=list)
    wrong_count: int = 0

    def note(self, kind: str, outcome: str) -> None:
        self.counts.setdefault(kind, Counter())[outcome] += 1

    def complain(self, kind: str, text: str) -> None:
        self.note(kind, "wrong")
        self.wrong_count += 1
        if len(self.wrong) < WRONG_KEPT_MAX:
            self.wrong.append(f"{kind}: {text}")

    def total(self, outcome: str) -> int:
        return sum(counts[outcome] for counts in self.counts.values())


def samples_of(text: str) -> dict[str, float]:
    """All samples of a page of metrics, by name and labels."""
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in text.splitlines()
                                                       if line and not line.startswith("#"))}


def counters_of(text: str) -> set[str]:
    """The names of what may only grow: counters, and the counts of histograms."""
    kinds = re.findall(r"^# TYPE (\S+) (counter|histogram)$", text, re.MULTILINE)
    return {name + ending for name, kind in kinds for ending in (("",) if kind == "counter" else ("_count", "_bucket"))}


def total_of(samples: dict[str, float], name: str) -> float:
    return sum(value for key, value in samples.items() if key == name or key.startswith(name + "{"))


@dataclass
class Scrapes:
    """Judges every page of metrics: S36 holds on each, and counters never go back."""

    ledger: Ledger
    count: int = 0
    last: dict[str, float] = field(default_factory=dict)
    memory: list[tuple[float, float]] = field(default_factory=list)  # seconds since the start, bytes

    def add(self, at: float, text: str) -> None:
        samples = samples_of(text)
        received = total_of(samples, "rankd_requests_received_total")
        ended = total_of(samples, "rankd_requests_total")
        inflight = total_of(samples, "rankd_inflight")
        if received != ended + inflight:
            self.ledger.complain("scrape", f"{received:.0f} received, but {ended:.0f} ended and {inflight:.0f} in flight")
        counters = counters_of(text)
        for key, value in samples.items():
            if key.partition("{")[0] in counters and value < self.last.get(key, 0.0):
                self.ledger.complain("scrape", f"{key} went back from {self.last[key]} to {value}")
        self.count += 1
        self.last = samples
        self.memory.append((at, samples["process_resident_memory_bytes"]))

    @property
    def inflight(self) -> float:
        return total_of(self.last, "rankd_inflight")

    @property
    def descriptors(self) -> float:
        return self.last.get("process_open_fds", 0.0)

    def memory_growth(self, seconds: float) -> float:
        """The last fifth of a run over its second fifth, less one."""
        early = [size for at, size in self.memory if 0.2 * seconds <= at <= 0.4 * seconds]
        late = [size for at, size in self.memory if at >= 0.8 * seconds]
        return statistics.median(late) / statistics.median(early) - 1 if early and late else 0.0


def candidates_of(body: bytes) -> bytes:
    """The part of an answer that may not differ."""
    begin, end = body.find(b'"candidates":'), body.find(b',"took_ms"')
    return body[begin:end] if 0 <= begin < end else body


def code_of(body: bytes) -> str:
    try:
        return json.loads(body)["error"]["code"]
    except (ValueError, KeyError, TypeError):
        return "none"
