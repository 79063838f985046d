"""Asks the database of known vulnerabilities (https://osv.dev) about every installed package: `python -m tools.audit`.

Everything found is shown. What is answered below does not fail the check, for there is no release without it and
the reason says why it does no harm here; anything else does. Where the database cannot be reached, that is said,
and nothing is taken as checked.
"""

import importlib.metadata
import json
import os
import sys
import urllib.error
import urllib.request
from typing import Any

DATABASE = os.environ.get("AUDIT_DATABASE", "https://api.osv.dev")
PATIENCE = 8.0
ANSWERED = {
    "CVE-2025-69872": "diskcache unpickles what it reads; the store's Disk refuses everything pickled "
    "(mapelites/runs/storage/disk.py, tests/runs/storage/test_tampering.py)",
}


def installed() -> list[tuple[str, str]]:
    """All packages of this environment with their versions."""
    found = {(each.metadata["Name"], each.version) for each in importlib.metadata.distributions()}
    return sorted(found, key=lambda each: each[0].lower())


def ask(path: str, body: Any = None) -> Any:
    """One question to the database."""
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{DATABASE}{path}", content, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


def findings(packages: list[tuple[str, str]]) -> list[tuple[str, list[str], str]]:
    """For each vulnerability: the package, its names, and what it is."""
    queries = [{"package": {"name": name, "ecosystem": "PyPI"}, "version": version} for name, version in packages]
    found = []
    for (name, version), result in zip(packages, ask("/v1/querybatch", {"queries": queries})["results"], strict=True):
        for each in result.get("vulns", []):
            about = ask(f"/v1/vulns/{each['id']}")
            names = [each["id"], *about.get("aliases", [])]
            found.append((f"{name} {version}", names, about.get("summary") or about.get("details", "")[:120]))
    return found


def main() -> int:
    """What is known against the packages; 1 where something of it is not answered."""
    packages = installed()
    try:
        found = findings(packages)
    except (urllib.error.URLError, OSError, ValueError, KeyError) as error:
        reason = getattr(error, "reason", error)
        print(f"audit: NOT DONE, {DATABASE} cannot be asked about the {len(packages)} packages ({reason})")
        return 0
    open_ones = 0
    for package, names, words in found:
        answer = next((ANSWERED[name] for name in names if name in ANSWERED), None)
        open_ones += answer is None
        print(f"audit: {package}: {', '.join(names)}: {words}" + (f"\n       answered: {answer}" if answer else ""))
    print(f"audit: {len(packages)} packages, {len(found)} known vulnerabilities, {open_ones} of them not answered")
    return 1 if open_ones else 0


if __name__ == "__main__":
    sys.exit(main())
