"""The requests of tests/corpus/http that no server may take, as bytes."""

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "tests/corpus/http"
# The others depend on limits, which the corpus has of its own.
FRAMING = {400, 415, 417, 501, 505}
LETTERS = {"r": "\r", "n": "\n", "t": "\t", "\\": "\\"}


def unescape(text: str) -> bytes:
    """The escapes are explained at the top of heads.txt."""
    def one(match: re.Match) -> str:
        count, part, hexadecimal, letter = match.groups()
        if count:
            return unescape(part).decode("latin-1") * int(count)
        return chr(int(hexadecimal, 16)) if hexadecimal else LETTERS[letter]
    return re.sub(r"\\(?:\{(\d+)\|([^}]*)\}|x([0-9a-f]{2})|([rnt\\]))", one, text).encode("latin-1")


def bad_requests() -> list[tuple[str, int, bytes]]:
    """The name of each case, its only status, and its bytes, sent to a route that takes a body."""
    found = []
    for name in ("heads.txt", "bodies.txt"):
        for number, line in enumerate((FOLDER / name).read_text(encoding="utf-8").splitlines(), 1):
            match = re.match(r"(\d+) close (?:haproxy:\S+ )?(.*)", line)
            if match and int(match.group(1)) in FRAMING:
                data = unescape(match.group(2)).replace(b"POST / HTTP", b"POST /v1/rank/still HTTP")
                found.append((f"{name}:{number}", int(match.group(1)), data))
    return found
