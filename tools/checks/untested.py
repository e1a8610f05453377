"""Every x.cpp of engine/ has an x_test.cpp beside it, or stands in a list that may only shrink.

A main.cpp needs none: nothing but running the program can test it.
"""

from . import ratchet
from .tree import Problem, Tree

EXCEPTIONS = "tools/untested.txt"


def run(tree: Tree) -> list[Problem]:
    offenders = {}
    for name in tree.ending(".cpp", under="engine/"):
        test = name.removesuffix(".cpp") + "_test.cpp"
        exempt = name.endswith(("_test.cpp", "/main.cpp"))
        if not exempt and not tree.exists(test):
            offenders[name] = Problem(name, 0, f"has no test beside it: {test}")
    return ratchet.apply(tree, EXCEPTIONS, offenders)
