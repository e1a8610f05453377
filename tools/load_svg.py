"""Draws what `./dev bench serve` measured from half load to three times the peak, as SVG text."""

from picture_svg import Drawing

_LEFT = 70
_TOP = 96
_SIZE = (400, 220)
_GAP = 110
_HEIGHT = 400
_STEPS = 4


def draw_load(report: dict) -> str:
    """Draws the curve of the benchmark's JSON file: goodput, and time of accepted requests, over the rate."""
    curve = report["curve"]
    peak = curve[0]["rate"] / curve[0]["share"]
    drawing = Drawing("rankd serve from half of its peak to three times the peak", _HEIGHT)
    drawing.text(24, 36, "rankd serve from half of its peak to three times the peak", "title")
    rates = [step["rate"] for step in curve]
    right = _LEFT + _SIZE[0] + _GAP
    drawing.legend(_LEFT, 66, "async", "answered with 200, per second")
    drawing.legend(right, 66, "async", "median, ms")
    drawing.legend(right + 120, 66, "cpu", "p99, ms")
    _panel(drawing, _LEFT, rates, [("async", [step["goodput"] for step in curve])], peak)
    _panel(drawing, right, rates, [("async", [step["p50_ms"] for step in curve]),
                                   ("cpu", [step["p99_ms"] for step in curve])], peak)
    drawing.text(24, _HEIGHT - 20, "A plan that waits 20 ms and computes 1 ms on one worker; requests that were "
                 "accepted. Dashed: the peak.", "quiet")
    return drawing.svg()


def _panel(drawing: Drawing, left: float, rates: list[float], lines: list[tuple[str, list[float]]],
           peak: float) -> None:
    """Draws lines over rates, both axes from 0."""
    x_max = _round_up(max(rates))
    y_max = _round_up(max(value for _, values in lines for value in values))
    width, height = _SIZE
    bottom = _TOP + height

    def place(rate: float, value: float) -> tuple[float, float]:
        return round(left + rate / x_max * width, 1), round(bottom - value / y_max * height, 1)

    for step in range(_STEPS + 1):
        y = bottom - height * step / _STEPS
        drawing.path(f"M{left:g},{y:g} h{width}", "edge grid")
        drawing.text(left - 8, y + 4, f"{y_max * step / _STEPS:g}", "quiet", "end")
        x = left + width * step / _STEPS
        drawing.text(x, bottom + 20, f"{x_max * step / _STEPS:g}", "quiet", "middle")
    drawing.text(left + width / 2, bottom + 42, "requests per second that come", "quiet", "middle")
    x = place(peak, 0)[0]
    dashes = " ".join(f"M{x:g},{y:g} v6" for y in range(_TOP, bottom, 12))
    drawing.path(dashes, "edge")
    for style, values in lines:
        places = [place(rate, value) for rate, value in zip(rates, values, strict=True)]
        shape = " ".join(f"{'L' if index else 'M'}{x:g},{y:g}" for index, (x, y) in enumerate(places))
        drawing.path(shape, "edge")
        for x, y in places:
            drawing.box(x - 4, y - 4, (8, 8), style)


def _round_up(value: float) -> float:
    """The next of 1, 2, 4, 5, 10 times a power of ten."""
    power = 1.0
    while power * 10 < value:
        power *= 10
    while power > value:
        power /= 10
    return next(power * factor for factor in (1, 2, 3, 4, 5, 6, 8, 10) if power * factor >= value)
