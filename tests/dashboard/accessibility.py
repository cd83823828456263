"""axe-core, from npm as package-lock.json has it: what a page does that keeps people from using it."""

import hashlib
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from browser import Browser

HERE = Path(__file__).resolve().parent
FILES = ["package.json", "package-lock.json", ".npmrc"]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gpu-scheduler" / "npm"
FIND = """const done = arguments[arguments.length - 1];
axe.run({resultTypes: ['violations']}).then(
  (found) => done(found.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')}`))),
  (error) => done([String(error)]));"""


def axe_source() -> str:
    """Fetched once for each content of the lock file."""
    key = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in FILES)).hexdigest()[:16]
    kept = CACHE / key / "axe.min.js"
    if not kept.exists():
        fetch(kept)
    return kept.read_text(encoding="utf-8")


def fetch(kept: Path) -> None:
    npm = shutil.which("npm")
    if not npm:
        raise unittest.SkipTest("no npm here to fetch axe-core with")
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        for name in FILES:
            shutil.copy(HERE / name, folder)
        done = subprocess.run([npm, "ci", "--ignore-scripts"], cwd=folder, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise unittest.SkipTest(f"axe-core cannot be fetched: {done.stderr.strip()}")
        (Path(folder) / "node_modules" / "axe-core" / "axe.min.js").replace(kept)


def barriers(browser: Browser) -> list[str]:
    """What stands in the way on the page as it is now, as rule and place."""
    if not browser.run("return typeof axe === 'object'"):
        browser.run(axe_source() + "\nwindow.axe = axe;")
    return browser.run_async(FIND)
