"""Writes constraints.txt and LICENSES.md: what this package stands on, as it is installed here.

    python benchmarks/supply.py [--check]

Walks the requirements of ``constrained_du[dev]`` through the installed distributions. ``--check`` writes nothing
and says what the files lack; exit code 1 if they lack something.
"""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from platform import python_version

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS, LICENCES = ROOT / "constraints.txt", ROOT / "LICENSES.md"
OWN = "constrained-du"


def needed(extras: frozenset[str]) -> dict[str, Distribution]:
    """The package's requirements and theirs, by canonical name; those that are not for this machine are left out."""
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(OWN, extras)]
    while waiting:
        name, wanted = waiting.pop()
        if (name, wanted) in seen:
            continue
        seen.add((name, wanted))
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue  # optional, or for another Python
        for text in own() if name == OWN else found[name].requires or ():
            requirement = Requirement(text)
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in (wanted or {""})):
                waiting.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    del found[OWN]
    return dict(sorted(found.items()))


def own() -> list[str]:
    """The package's requirements as pyproject.toml has them now; what is installed may be older."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = ((text, extra) for extra, texts in project["optional-dependencies"].items() for text in texts)
    return [*project["dependencies"], *(_for_extra(text, extra) for text, extra in extras)]


def _for_extra(text: str, extra: str) -> str:
    plain, _, marker = text.partition(";")
    return f'{plain} ; extra == "{extra}"' + (f" and ({marker.strip()})" if marker else "")


def licence(one: Distribution) -> str:
    """In the distribution's own words: the SPDX expression, else the classifier, else the first line of the text."""
    meta = one.metadata
    classified = [text.rpartition(" :: ")[2] for text in meta.get_all("Classifier") or () if text.startswith("License")]
    told = meta.get("License-Expression") or ", ".join(classified) or (meta.get("License") or "").split("\n")[0]
    return told.strip() or "not stated"


def constraints(found: dict[str, Distribution]) -> str:
    head = (
        f"# Exact versions with which the tests passed on Python {python_version()}; `pip install -c constraints.txt …`.\n"
        "# Written by benchmarks/supply.py.\n"
    )
    return head + "".join(f"{name}=={one.version}\n" for name, one in found.items())


def licences(found: dict[str, Distribution], running: dict[str, Distribution]) -> str:
    head = (
        "# Licences of what this package stands on\n\n"
        "The package itself is under Apache-2.0 (LICENSE), its adapter under CC BY-SA 4.0; the models have others (NOTICE,\n"
        "`constrained-du models list`). Nothing of the following is part of the wheel; pip installs it beside. Each licence\n"
        "is given in the distribution's own words. Written by `benchmarks/supply.py`.\n\n"
    )
    parts = [("Needed to run", running), ("For the extras and the tests", {n: d for n, d in found.items() if n not in running})]
    tables = (
        f"## {title}\n\n| package | version | licence |\n|---|---|---|\n"
        + "".join(f"| {name} | {one.version} | {licence(one)} |\n" for name, one in some.items())
        for title, some in parts
    )
    return head + "\n".join(tables)


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes constraints.txt and LICENSES.md.")
    parser.add_argument("--check", action="store_true", help="say what they lack instead")
    check = parser.parse_args().check
    found = needed(frozenset({"", "dev"}))
    if check:
        pinned = {line.partition("==")[0] for line in CONSTRAINTS.read_text("utf-8").splitlines() if "==" in line}
        listed = LICENCES.read_text("utf-8")
        lacking = [name for name in found if name not in pinned or f"| {name} |" not in listed]
        print(*(f"{name}: not listed - run benchmarks/supply.py" for name in lacking), sep="\n", file=sys.stderr)
        return int(bool(lacking))
    CONSTRAINTS.write_text(constraints(found), "utf-8")
    LICENCES.write_text(licences(found, needed(frozenset({""}))), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
