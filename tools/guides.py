"""Runs every command of the guides, as a reader would type it, and compares what it prints with what the guide shows.

    guides.py PROGRAMS DSLC REPORT [PAGE...]

PROGRAMS is the folder with rankd and topoexec, DSLC the folder with dslc, REPORT a file for the outcome (TAP). A page is
a script: its blocks run one after the other in one shell, in a folder that looks like the root of the repository and is
thrown away afterwards. What a fence says:

    sh              commands that must succeed
    sh fails        commands of which the last must fail
    sh setup        what ./dev, cmake and package managers do: not run here, CI does it by itself
    yaml NAME.yaml  a file, written where the commands run; any language
    text, json, mermaid   behind sh: what the commands print. A text that begins with `$ ` has its command inside.
    json example    any other word: shown to readers only

`<!-- try` ... `-->` holds commands that prepare what the reader has anyway; they are run and not shown. Numbers that differ from
run to run (times, digests, ids) are not compared, and a line that ends with `…` is compared up to there.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SETUP = ("./dev ", "cmake ", "npm ", "apt ", "git clone ", "cd ", "export PATH=")
SHOWN = ("text", "json", "mermaid")
PAGE_SECONDS = 240

_PORT = re.compile(r"(?<![\d.])(8080|8081|9090|6379|4222)(?!\d)")
_CHANGES = (
    (re.compile(r"sha256:[0-9a-f…]+"), "sha256:0"),
    (re.compile(r'("(?:took_ms|[a-z_]*_us|[a-z_]*_ms)":)[0-9.e-]+'), r"\g<1>0"),
    (re.compile(r"\d+(?:\.\d+)? (ms|us|s)\b"), r"0 \1"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z"), "NOW"),
    (re.compile(r'"engine_request_id":"[^"]*"'), '"engine_request_id":""'),
)

# The shell that a reader has, with three differences: a server goes to the background, the one before it is ended, and curl waits
# until somebody listens and fails on an error that its line does not announce.
_SHELL = r"""
set -Eeuo pipefail
server=''
rankd() {
  if [[ ${1:-} == serve && " $* " != *-config* ]]; then
    # Twice, so that it ends at once; SIGINT alone is ignored until the server has set itself up.
    if [[ -n $server ]]; then kill -TERM "$server"; kill -INT "$server" || true; wait "$server" || true; fi
    command rankd "$@" >>"$STATE/server.log" 2>&1 </dev/null &
    server=$!
  else
    command rankd "$@"
  fi
}
curl() {
  local status
  status="$(command curl -sS -o "$STATE/body" -w '%{http_code}' --retry 100 --retry-delay 1 --retry-max-time 60 \
    --retry-connrefused --max-time 60 "$@")"
  cat "$STATE/body"
  if ((status >= 400)) && [[ $status != "${EXPECT:-}" ]]; then
    echo "curl: status $status"
    return 22
  fi
}
"""


@dataclass
class Step:
    """What stands in one block: commands, a file or an output."""

    kind: str  # "run", "fails", "file", "shown"
    text: str
    line: int
    name: str = ""


class PageError(Exception):
    """A block that cannot be run as it stands."""


def steps_of(markdown: str) -> list[Step]:
    """Reads the blocks of a page, in order."""
    steps = []
    lines = markdown.splitlines(keepends=True)
    index = 0
    after_commands = False
    while index < len(lines):
        start = index + 1
        if lines[index].rstrip() == "<!-- try":
            text, index = _until(lines, start, "-->")
            steps.append(Step("run", text, start))
        elif lines[index].startswith("```"):
            info = lines[index].strip().removeprefix("```")
            text, index = _until(lines, start, "```")
            block = _blocks(info, text, start, after_commands)
            after_commands = bool(block) and block[-1].kind in ("run", "fails")
            steps += block
        index += 1
    return steps


def _until(lines: list[str], start: int, end: str) -> tuple[str, int]:
    for index in range(start, len(lines)):
        if lines[index].rstrip() == end:
            return "".join(lines[start:index]), index
    raise PageError(f"line {start}: '{end}' is missing")


def _blocks(info: str, text: str, line: int, after_commands: bool) -> list[Step]:
    language, _, rest = info.partition(" ")
    if language == "sh":
        if rest == "setup":
            for command in filter(None, (part.split("#")[0].strip() for part in text.splitlines())):
                if not f"{command} ".startswith(SETUP):
                    raise PageError(f"line {line}: '{command}' is no set-up; let it run")
            return []
        if rest not in ("", "fails"):
            raise PageError(f"line {line}: unknown kind of block 'sh {rest}'")
        return [Step("fails" if rest else "run", text, line)]
    if "." in rest:
        return [Step("file", text, line, rest)]
    if info not in SHOWN:
        return []
    if text.startswith("$ "):
        return _session(text, line)
    return [Step("shown", text, line)] if after_commands else []


def _session(text: str, line: int) -> list[Step]:
    """Commands behind `$ `, each with what it prints; one that prints nothing good ends with `# fails`."""
    steps = []
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        kind = "fails" if command.endswith("# fails") else "run"
        steps += [Step(kind, command + "\n", line), Step("shown", output, line)]
    return steps


def steady(text: str) -> str:
    """Replaces what differs from run to run."""
    for pattern, replacement in _CHANGES:
        text = pattern.sub(replacement, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def fits(shown: str, printed: str) -> bool:
    """Whether a command printed what the guide shows."""
    wanted, got = steady(shown).splitlines(), steady(printed).splitlines()
    return len(wanted) == len(got) and all(
        real.startswith(line[:-1]) if line.endswith("…") else real == line for line, real in zip(wanted, got))


class Places:
    """Ports and folders of a reader's machine, and those that stand for them here."""

    def __init__(self, scratch: Path):
        self._scratch = scratch
        self._ports: dict[str, str] = {}

    def put(self, text: str) -> str:
        text = text.replace("engine/bin/", "").replace("DIR/bin/", "")
        for folder in ("/srv/", "/var/lib/", "/var/tmp/"):
            text = text.replace(folder, f"{self._scratch}{folder}")
        return _PORT.sub(lambda match: self._port(match.group(1)), text)

    def _port(self, number: str) -> str:
        if number not in self._ports:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                self._ports[number] = str(probe.getsockname()[1])
        return self._ports[number]


def script_of(steps: list[Step], places: Places, state: Path) -> str:
    """The whole page as one script, which leaves the output of each step in a file."""
    parts = [_SHELL]
    for index, step in enumerate(steps):
        text = places.put(step.text)
        parts.append(f'echo {index} >"$STATE/step"\n')
        if step.kind == "file":
            (state / f"{index}.file").write_text(text, encoding="utf-8")
            parts.append(f'mkdir -p "$(dirname "{step.name}")" && cp "$STATE/{index}.file" "{step.name}"\n')
        elif step.kind in ("run", "fails"):
            text = re.sub(r"^curl (.*# (4\d\d|5\d\d))", r"EXPECT=\2 curl \1", text, flags=re.MULTILINE)
            parts.append(f'exec >"$STATE/{index}.out" 2>&1\n')
            if step.kind == "run":
                parts.append(text)
            else:
                parts.append(f"if {{\n{text}}}; then echo 'it did not fail'; exit 1; fi\n")
    return "".join(parts)


def stand_in_root(folder: Path) -> None:
    """Fills a folder with links to everything at the root of the repository."""
    tracked = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                             capture_output=True, text=True, check=True).stdout.splitlines()
    for name in {name.split("/")[0] for name in tracked}:
        (folder / name).symlink_to(ROOT / name)


def run_page(page: str, programs: Path, dslc: Path) -> list[str]:
    """Runs one page and gives what is wrong with it."""
    scratch = Path(tempfile.mkdtemp(prefix="millrace-guide-"))
    try:
        return _run_in(page, scratch, programs, dslc)
    except PageError as error:
        return [f"{page}: {error}"]
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _run_in(page: str, scratch: Path, programs: Path, dslc: Path) -> list[str]:
    state, root = scratch / "state", scratch / "root"
    state.mkdir()
    root.mkdir()
    stand_in_root(root)
    steps = steps_of((ROOT / page).read_text(encoding="utf-8"))
    places = Places(scratch)
    script = state / "page.sh"
    script.write_text(script_of(steps, places, state), encoding="utf-8")
    environment = dict(os.environ, STATE=str(state), NO_COLOR="1", PROGRAMS=str(programs), TMPDIR=str(state),
                       MILLRACE_RANKD=str(programs / "rankd"), PATH=f"{programs}:{dslc}:{os.environ['PATH']}")
    process = subprocess.Popen(["bash", str(script)], cwd=root, env=environment, stdin=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        status = process.wait(timeout=PAGE_SECONDS)
    except subprocess.TimeoutExpired:
        status = -1
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)  # servers that the page started
        except ProcessLookupError:
            pass
        process.wait()
    return _failures(page, steps, places, state, status)


def _failures(page: str, steps: list[Step], places: Places, state: Path, status: int) -> list[str]:
    failures = []
    if status != 0:
        index = int((state / "step").read_text())
        why = "took too long" if status < 0 else f"ended with {status}"
        return [f"{page}:{steps[index].line}: {why}\n{steps[index].text}--- it printed\n{_printed(state, index)}"]
    for index, step in enumerate(steps):
        if step.kind != "shown":
            continue
        printed = _printed(state, index - 1)
        if not fits(places.put(step.text), printed):
            failures.append(f"{page}:{step.line}: prints something else than the page shows\n{printed}")
    return failures


def _printed(state: Path, index: int) -> str:
    out = state / f"{index}.out"
    return out.read_text(encoding="utf-8", errors="replace")[-4000:] if out.exists() else ""


def pages() -> list[str]:
    """Every page with commands for readers."""
    found = ["README.md"] + [str(path.relative_to(ROOT)) for folder in ("docs/guides", "examples")
                             for path in sorted((ROOT / folder).rglob("*.md"))]
    return [page for page in found if re.search(r"^```(sh\b|(text|json)\n\$ )", (ROOT / page).read_text(encoding="utf-8"), re.M)]


def main(arguments: list[str]) -> int:
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    programs, dslc, report = Path(arguments[0]).resolve(), Path(arguments[1]).resolve(), Path(arguments[2])
    wanted = arguments[3:] or pages()
    report.parent.mkdir(parents=True, exist_ok=True)
    lines, failed = ["TAP version 13"], 0
    for number, page in enumerate(wanted, 1):
        failures = run_page(page, programs, dslc)
        failed += bool(failures)
        lines.append(f"{'not ok' if failures else 'ok'} {number} - commands of {page}")
        for failure in failures:
            print(failure)
        print(f"{'FAILED' if failures else 'ok'}  {page}", flush=True)
    lines.append(f"1..{len(wanted)}")
    report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
