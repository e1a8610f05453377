"""Builds the documentation as a static site: all Markdown pages of the project, with search and one menu per reader.

    docs_site.py OUTPUT     the site goes to OUTPUT/html

Pages keep their places, so a link that works in the repository works on the site, too. Files that pages
link to are copied beside them. The site asks no other host for anything; `find_outside_requests` proves it.
"""

import json
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INDEX = "docs/README.md"
STYLE = ROOT / "tools/docs_site.css"
# Templates for new projects are no pages about this one.
NO_PAGES = ("dsl/templates/", "tests/corpus/")

_LINK = re.compile(r"(!?\[[^\]\[]*\])\(([^)\s#]+)(#[^)\s]*)?\)")
# A fence may say more than its language (tools/guides.py); the site would take such a line for text.
_FENCE = re.compile(r"^(\s*```\w*) .*\n")
_GROUP = re.compile(r"## (?:An? )?(\w[\w ]*)")


def project_pages(root: Path) -> list[str]:
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                            cwd=root, capture_output=True, text=True, check=True).stdout.split()
    return sorted(name for name in listed if not name.startswith(NO_PAGES) and (root / name).exists())


def outside_fences(text: str):
    """Yields each line and whether it is prose: what stands between ``` is shown as it is."""
    fenced = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            yield line, False
        else:
            yield line, not fenced


def is_outside(target: str) -> bool:
    return re.match(r"[a-z]+:", target) is not None


def stage_page(root: Path, page: str, pages: set[str], staged: Path) -> None:
    """Copies one page and the files that it links to. A folder becomes its README, or plain text without one."""
    def place(match: re.Match) -> str:
        label, target, anchor = match.group(1), match.group(2), match.group(3) or ""
        if is_outside(target):
            return match.group(0)
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
        if (root / path).is_dir():
            path = posixpath.join(path, "README.md")
            target = posixpath.join(target, "README.md")
            if path not in pages:
                return label[1:-1]
        elif path not in pages and (root / path).is_file():
            (staged / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / path, staged / path)
        return f"{label}({target}{anchor})"

    text = (root / page).read_text(encoding="utf-8")
    lines = (_LINK.sub(place, line) if prose else _FENCE.sub(r"\1\n", line) for line, prose in outside_fences(text))
    (staged / page).parent.mkdir(parents=True, exist_ok=True)
    (staged / page).write_text("".join(lines), encoding="utf-8")


def title_of(root: Path, page: str) -> str:
    for line, prose in outside_fences((root / page).read_text(encoding="utf-8")):
        if prose and line.startswith("# "):
            return line[2:].strip().replace("`", "")
    return page


def readers(root: Path, pages: set[str]) -> list[dict]:
    """One menu per section of the index of documents: the pages that it names, in its order."""
    menus, entries = [], []
    for line, prose in outside_fences((root / INDEX).read_text(encoding="utf-8")):
        group = _GROUP.match(line) if prose else None
        if group:
            entries = []
            menus.append({group.group(1).capitalize(): entries})
        for match in _LINK.finditer(line) if prose and menus else ():
            page = posixpath.normpath(posixpath.join("docs", match.group(2)))
            if page in pages:
                entries.append({title_of(root, page): page})
    return menus


def each_once(menus: list[dict]) -> list[dict]:
    """Keeps a page where it stands first, because the site can show it in one menu only."""
    seen, kept = set(), []
    for title, entries in ((title, entries) for part in menus for title, entries in part.items()):
        fresh = []
        for entry in entries:
            page = next(iter(entry.values()))
            if page not in seen:
                seen.add(page)
                fresh.append(entry)
        if fresh:
            kept.append({title: fresh})
    return kept


def menu(root: Path, pages: set[str]) -> list[dict]:
    def folder(prefix: str) -> list[dict]:
        names = (name for name in sorted(pages) if name.startswith(prefix) and name != prefix + "README.md")
        return [{title_of(root, name): name} for name in names]

    modules = [name for name in sorted(pages) if re.fullmatch(r"(engine|dsl|tests|bench)/.*README\.md", name)]
    return each_once([
        {"Start": [{"Millrace": "README.md"}, {"All documents": INDEX}, {"Changes": "CHANGELOG.md"}]},
        *readers(root, pages),
        {"Reference": folder("docs/reference/") + folder("docs/contract/")},
        {"Decisions": [{"Index": "docs/adr/README.md"}] + folder("docs/adr/")},
        {"Modules": [{f"{title_of(root, name)} ({posixpath.dirname(name)})": name} for name in modules]},
    ])


def settings(root: Path, pages: set[str], output: Path) -> dict:
    return {
        "site_name": "Millrace",
        "docs_dir": str(output / "pages"),
        "site_dir": str(output / "html"),
        "use_directory_urls": False,
        "strict": True,
        "theme": {
            "name": "material",
            "font": False,  # those of the reader's machine: no other host is asked
            "features": ["navigation.tabs", "navigation.top", "search.highlight"],
            "palette": [
                {"media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "blue grey",
                 "toggle": {"icon": "material/weather-night", "name": "Dark"}},
                {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "blue grey",
                 "toggle": {"icon": "material/weather-sunny", "name": "Light"}},
            ],
        },
        "extra_css": [STYLE.name],
        "plugins": ["search"],
        "markdown_extensions": ["tables", "fenced_code", "sane_lists", {"toc": {"permalink": True}},
                                {"codehilite": {"guess_lang": False}}],
        "nav": menu(root, pages),
    }


_LOADS = re.compile(r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=["']?(https?:)?//[^"'>\s]+"""
                    r"""|<link\b(?![^>]*rel=["']?canonical)[^>]*\bhref=["']?(https?:)?//[^"'>\s]+"""
                    r"""|(?:@import\s+|url\()["']?(https?:)?//[^"')\s]+""")


def find_outside_requests(html: Path) -> list[str]:
    """What a browser would load from elsewhere, as `file: text`. Links that a reader may click are no requests."""
    found = []
    for file in sorted(html.rglob("*")):
        if file.suffix in (".html", ".css"):
            found += [f"{file.relative_to(html)}: {match.group(0)}"
                      for match in _LOADS.finditer(file.read_text(encoding="utf-8"))]
    return found


def build(root: Path, output: Path) -> list[str]:
    """Builds the site and returns what is wrong with it."""
    shutil.rmtree(output, ignore_errors=True)
    staged = output / "pages"
    pages = project_pages(root)
    for page in pages:
        stage_page(root, page, set(pages), staged)
    shutil.copyfile(STYLE, staged / STYLE.name)
    (output / "mkdocs.yml").write_text(json.dumps(settings(root, set(pages), output), indent=1), encoding="utf-8")
    done = subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--config-file", str(output / "mkdocs.yml")],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [(done.stderr + done.stdout).strip()]
    return find_outside_requests(output / "html")


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    output = Path(arguments[0]).resolve()
    problems = build(ROOT, output)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        return 1
    count = len(list((output / "html").rglob("*.html")))
    print(f"{count} pages; open {output / 'html' / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
