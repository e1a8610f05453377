"""Files warn at 300 lines and fail at 500; functions stay under 70 lines and 6 parameters."""

from . import cpp_code, ratchet
from .tree import Problem, Tree

EXCEPTIONS = "tools/oversized.txt"
_FILE_WARN, _FILE_FAIL = 300, 500
_FUNCTION_FAIL = 70
_PARAMETERS_MAX = 5


def run(tree: Tree) -> list[Problem]:
    warnings, offenders = [], {}
    for name in [*tree.cpp(), *tree.ending(".py", ".cmake", ".ts", "CMakeLists.txt"), "dev"]:
        count = len(tree.lines(name))
        if count >= _FILE_FAIL:
            offenders[name] = Problem(name, 0, f"has {count} lines; split it below {_FILE_FAIL}")
        elif count >= _FILE_WARN:
            warnings.append(Problem(name, 0, f"has {count} lines; aim below {_FILE_WARN}", True))
    for name in tree.cpp():
        for function in cpp_code.functions(tree.text(name)):
            offenders.update(_function_problems(name, function))
    return warnings + ratchet.apply(tree, EXCEPTIONS, offenders)


def _function_problems(name: str, function: cpp_code.Function) -> dict[str, Problem]:
    key, problems = f"{name} {function.name}", {}
    if function.line_count >= _FUNCTION_FAIL:
        problems[key] = Problem(name, function.first_line,
                                f"{function.name} has {function.line_count} lines; split it "
                                f"below {_FUNCTION_FAIL}")
    if function.parameter_count > _PARAMETERS_MAX:
        problems[f"{key} parameters"] = Problem(
            name, function.first_line,
            f"{function.name} has {function.parameter_count} parameters; above "
            f"{_PARAMETERS_MAX} use an options struct")
    return problems
