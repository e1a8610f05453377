"""Draws a compiled plan as a layered DAG and one traced request as a waterfall, as SVG text."""

from dataclasses import dataclass, field
from html import escape

_WIDTH = 1040
_MARGIN = 24
_STYLE = """
  text { font: 13px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #24292f; }
  .title { font-size: 16px; font-weight: 600; }
  .name { font-size: 14px; font-weight: 600; }
  .quiet { fill: #57606a; }
  .card { fill: #ffffff; stroke: #d0d7de; }
  .async { fill: #cfe4fb; stroke: #2f6fb3; }
  .cpu { fill: #fde3b4; stroke: #a8690a; }
  .queued { fill: #d0d7de; }
  .grid { stroke: #d8dee4; }
  .edge { stroke: #8c959f; fill: none; stroke-width: 1.5; }
  .critical { stroke: #b3261e; fill: none; stroke-width: 2.5; }
  .edge-head { fill: #8c959f; }
  .critical-head { fill: #b3261e; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .quiet { fill: #b4bec8; }
    .card { fill: #161b22; stroke: #3d444d; }
    .async { fill: #1d4674; stroke: #6cb0f5; }
    .cpu { fill: #6b4708; stroke: #f0b94e; }
    .queued { fill: #4b535d; }
    .grid { stroke: #2d333b; }
    .edge { stroke: #7d8590; }
    .critical { stroke: #ff8a80; }
    .edge-head { fill: #7d8590; }
    .critical-head { fill: #ff8a80; }
  }
"""


@dataclass
class Drawing:
    """SVG elements in the order in which they are painted."""

    title: str
    height: int
    parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, words: str, style: str = "", anchor: str = "start") -> None:
        self.parts.append(f'<text x="{x:g}" y="{y:g}" class="{style}" text-anchor="{anchor}">'
                          f"{escape(words)}</text>")

    def box(self, x: float, y: float, size: tuple[float, float], style: str) -> None:
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{size[0]:g}" height="{size[1]:g}" rx="4" '
                          f'class="{style}"/>')

    def path(self, shape: str, style: str) -> None:
        self.parts.append(f'<path d="{shape}" class="{style}"/>')

    def legend(self, x: float, y: float, style: str, words: str) -> None:
        self.box(x, y - 11, (14, 14), style)
        self.text(x + 21, y, words, "quiet")

    def svg(self) -> str:
        frame = f'width="{_WIDTH}" height="{self.height}" viewBox="0 0 {_WIDTH} {self.height}"'
        card = f'<rect x="0.5" y="0.5" width="{_WIDTH - 1}" height="{self.height - 1}" rx="8" class="card"/>'
        lines = ["<!-- Made by tools/pictures.py; do not edit. -->",
                 f'<svg xmlns="http://www.w3.org/2000/svg" {frame} role="img">',
                 f"<title>{escape(self.title)}</title>", f"<style>{_STYLE}</style>", card, *self.parts, "</svg>"]
        return "\n".join(lines) + "\n"


# --- the plan -------------------------------------------------------------------------------------

_BOX = (138, 54)
_ROW = 92
_TOP = 118


def draw_plan(explanation: dict, edges: list[tuple[str, str]]) -> str:
    """Draws what `rankd explain --format json` says; `edges` go from a node to one that reads its rows."""
    nodes = explanation["nodes"]
    columns = _layers([node["id"] for node in nodes], edges)
    rows_max = max(len(column) for column in columns)
    notes = _notes(explanation["passes"])
    bottom = _TOP + rows_max * _ROW
    drawing = Drawing(f"The compiled plan {explanation['name']}", bottom + 30 + 20 * len(notes))
    drawing.text(_MARGIN, 36, f"The plan {explanation['name']}, as compiled", "title")
    drawing.legend(_MARGIN, 66, "async", "async node: waits for a store on the event loop")
    drawing.legend(_MARGIN + 368, 66, "cpu", "cpu node: computes on rows")
    drawing.path(f"M{_MARGIN + 610},61 h24", "critical")
    drawing.text(_MARGIN + 642, 66,
                 f"critical path, estimated at {explanation['critical_path']['cost_us']:g} µs", "quiet")
    places = _places(columns, rows_max)
    _draw_edges(drawing, places, edges, explanation["critical_path"]["nodes"])
    for node in nodes:
        _draw_node(drawing, node, places[node["id"]])
    for index, note in enumerate(notes):
        drawing.text(_MARGIN, bottom + 18 + 20 * index, note, "quiet")
    return drawing.svg()


def _notes(passes: list[dict]) -> list[str]:
    """Gives one line per pass of the compiler."""
    texts: dict[str, list[str]] = {}
    for entry in passes:
        texts.setdefault(entry["pass"], []).append(entry["text"])
    return [f"pass {name}: {'; '.join(said)}" for name, said in texts.items()]


def _layers(names: list[str], edges: list[tuple[str, str]]) -> list[list[str]]:
    """Puts each node one column behind the last of its producers. `names` are in topological order."""
    column_of: dict[str, int] = {}
    for name in names:
        column_of[name] = max((column_of[source] + 1 for source, target in edges if target == name), default=0)
    return [[name for name in names if column_of[name] == column] for column in range(max(column_of.values()) + 1)]


def _places(columns: list[list[str]], rows_max: int) -> dict[str, tuple[float, float]]:
    step = (_WIDTH - 2 * _MARGIN - _BOX[0]) / max(1, len(columns) - 1)
    places = {}
    for index, column in enumerate(columns):
        top = _TOP + (rows_max - len(column)) * _ROW / 2
        places |= {name: (_MARGIN + index * step, top + row * _ROW) for row, name in enumerate(column)}
    return places


def _draw_edges(drawing: Drawing, places: dict[str, tuple[float, float]], edges: list[tuple[str, str]],
                critical: list[str]) -> None:
    on_path = set(zip(critical, critical[1:]))
    # The critical path is painted last, over the others.
    for source, target in sorted(edges, key=lambda edge: (edge in on_path, edge)):
        style = "critical" if (source, target) in on_path else "edge"
        x1, y1 = places[source][0] + _BOX[0], places[source][1] + _BOX[1] / 2
        x2, y2 = places[target][0], places[target][1] + _BOX[1] / 2
        middle = (x1 + x2 - 9) / 2
        drawing.path(f"M{x1:g},{y1:g} C{middle:g},{y1:g} {middle:g},{y2:g} {x2 - 9:g},{y2:g}", style)
        drawing.path(f"M{x2:g},{y2:g} l-10,-5 v10 z", f"{style}-head")


def _draw_node(drawing: Drawing, node: dict, place: tuple[float, float]) -> None:
    x, y = place
    drawing.box(x, y, _BOX, node["kind"])
    drawing.text(x + _BOX[0] / 2, y + 23, node["op"], "name", "middle")
    merged = node["source_ids"] if len(node["source_ids"]) > 1 else [node["id"]]
    drawing.text(x + _BOX[0] / 2, y + 42, f"{' + '.join(merged)}, ~{node['cost_us']:g} µs", "quiet", "middle")


# --- its run --------------------------------------------------------------------------------------

_LEFT, _RIGHT = 190, 800
_LINE = 30


def draw_run(recording: dict) -> str:
    """Draws the trace of one request; `recording` says where it was recorded."""
    trace = recording["trace"]
    kinds = recording["kinds"]
    top = 108
    bottom = top + _LINE * len(trace["nodes"])
    drawing = Drawing(f"One request of the plan {recording['plan']}", bottom + 66)
    drawing.text(_MARGIN, 36, f"One request of it: {trace['latency_us']:.0f} µs from start to answer", "title")
    drawing.legend(_MARGIN, 66, "async", "async node")
    drawing.legend(_MARGIN + 130, 66, "cpu", "cpu node (after x: on the thread that finished x, without a queue)")
    drawing.legend(_MARGIN + 640, 66, "queued", "ready, not started yet")
    _draw_axis(drawing, trace["latency_us"], (top, bottom))
    for index, node in enumerate(trace["nodes"]):
        _draw_span(drawing, node, kinds[node["node"]], (top + _LINE * index, trace["latency_us"]))
    drawing.text(_MARGIN, bottom + 48, recording["about"], "quiet")
    return drawing.svg()


def _at(time_us: float, latency_us: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * time_us / latency_us


def _draw_axis(drawing: Drawing, latency_us: float, span: tuple[float, float]) -> None:
    step = next(size for size in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if latency_us / size <= 8)
    ticks = range(0, int(latency_us) + 1, step)
    for tick in ticks:
        x = _at(tick, latency_us)
        drawing.path(f"M{x:g},{span[0]} V{span[1]:g}", "grid")
        drawing.text(x, span[1] + 18, f"{tick} µs" if tick == ticks[-1] else str(tick), "quiet", "middle")


def _draw_span(drawing: Drawing, node: dict, kind: str, place: tuple[float, float]) -> None:
    y, latency_us = place
    start, end = _at(node["start_us"], latency_us), _at(node["end_us"], latency_us)
    drawing.text(_MARGIN, y + 20, node["op"], "name")
    drawing.text(_LEFT - 14, y + 20, node["node"], "quiet", "end")
    queued = (_RIGHT - _LEFT) * node.get("queue_delay_us", 0) / latency_us
    if queued >= 1:
        drawing.box(start - queued, y + 11, (queued, 8), "queued")
    drawing.box(start, y + 6, (max(end - start, 3), 18), kind)
    after = f", after {node['inlined_after']}" if "inlined_after" in node else ""
    drawing.text(max(end, start + 3) + 8, y + 20,
                 f"{node['end_us'] - node['start_us']:.1f} µs, {_rows(node)}{after}", "quiet")


def _rows(node: dict) -> str:
    return "1 row" if node["rows_out"] == 1 else f"{node['rows_out']} rows"
