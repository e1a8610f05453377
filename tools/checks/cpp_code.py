"""Reads C++ well enough for style checks: code without comments and strings, and its functions."""

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)
_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
_BEFORE_HEAD = re.compile(r"\s*((public|protected|private)\s*:(?!:)\s*)*")
_CONSTRUCTOR_COLON = re.compile(r"\)[^:()]*:(?!:)")
_NOT_A_PARAMETER_LIST = {"noexcept", "alignas", "decltype", "requires", "explicit", "__attribute__"}


@dataclass(frozen=True)
class Function:
    """A function definition: its first and last line (1-based) and number of parameters."""

    name: str
    first_line: int
    last_line: int
    parameter_count: int

    @property
    def line_count(self) -> int:
        return self.last_line - self.first_line + 1


def blank(text: str) -> str:
    """Replaces comments and the contents of strings by spaces, keeping every offset."""

    def spaces(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match.group())

    return _TOKEN.sub(spaces, text)


def comments(text: str) -> list[tuple[int, int]]:
    """Lists where comments start and end."""
    return [match.span() for match in _TOKEN.finditer(text) if match.group().startswith(("//", "/*"))]


def without_preprocessor(code: str) -> str:
    """Blanks preprocessor lines, continued ones included, keeping every offset."""
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: re.sub(r"[^\n]", " ", m.group()), code,
                  flags=re.MULTILINE)


def functions(text: str) -> list[Function]:
    """Finds the function definitions at namespace and class scope; lambdas belong to theirs."""
    code = without_preprocessor(blank(text))
    found: list[Function] = []
    head_start = position = 0
    parentheses = 0
    while position < len(code):
        character = code[position]
        if character in "([":
            parentheses += 1
        elif character in ")]":
            parentheses -= 1
        elif character in ";}" and parentheses == 0:
            head_start = position + 1
        elif character == "{":
            end = _closing_brace(code, position)
            head = code[head_start:position]
            if parentheses > 0 or _is_member_initializer(head):
                position = end
            elif _is_function(head):
                found.append(_function(code, head_start, position, end))
                position, head_start = end, end + 1
            else:
                head_start = position + 1
        position += 1
    return found


def _closing_brace(code: str, opening: int) -> int:
    depth = 0
    for match in re.compile(r"[{}]").finditer(code, opening):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return match.start()
    return len(code) - 1


def _is_member_initializer(head: str) -> bool:
    """Tells `Type() : member_{` from the brace that opens the body."""
    return bool(_CONSTRUCTOR_COLON.search(head)) and bool(re.search(r"[\w>]\s*$", head))


def _is_function(head: str) -> bool:
    if "(" not in head or re.search(r"=\s*$", head):
        return False
    outside = re.sub(r"\([^()]*\)|<[^<>]*>", "", head)
    return not _SCOPE.search(outside) or bool(re.search(r"\)\s*(const|noexcept|override)?\s*$", head))


def _function(code: str, head_start: int, opening: int, end: int) -> Function:
    head = code[head_start:opening]
    start = head_start + _BEFORE_HEAD.match(head).end()
    name, parameters = _signature(head)
    return Function(name, code.count("\n", 0, start) + 1, code.count("\n", 0, end) + 1, parameters)


def _signature(head: str) -> tuple[str, int]:
    """Gives the name and the number of parameters of a function head."""
    for match in re.finditer(r"(operator\s*\(\s*\)|operator\s*[^\s\w(]+|~?\w+)\s*\(", head):
        if match.group(1) not in _NOT_A_PARAMETER_LIST and not match.group(1).startswith("MR_"):
            return match.group(1), _parameter_count(head, match.end())
    return "lambda", 0


def _parameter_count(head: str, start: int) -> int:
    depth, commas, empty = 0, 0, True
    for character in head[start:]:
        if character == ")" and depth == 0:
            break
        if character in "(<[{":
            depth += 1
        elif character in ")>]}":
            depth -= 1
        elif character == "," and depth == 0:
            commas += 1
        if not character.isspace():
            empty = False
    return 0 if empty else commas + 1
