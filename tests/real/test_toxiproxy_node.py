"""toxiproxy-node-client as npm has it, in its ordinary use, against our server and the original."""

import asyncio
import shutil
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

from tests.faults.toxiproxy.servers import BOTH, running

NODE, NPM = shutil.which("node"), shutil.which("npm")
SOURCES = Path(__file__).parent / "node"
LIMIT_S = 60.0

pytestmark = [
    pytest.mark.real,
    pytest.mark.network,
    pytest.mark.skipif(NODE is None or NPM is None, reason="no node or no npm on PATH"),
]


async def said_by(*command: str | None, folder: Path) -> tuple[int | None, str]:
    """Exit status and output."""
    program = await asyncio.create_subprocess_exec(
        *(word or "" for word in command), cwd=folder, stdout=PIPE, stderr=STDOUT
    )
    async with asyncio.timeout(LIMIT_S):
        text = (await program.communicate())[0].decode()
    return program.returncode, text


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sources of the client and, later, what it depends on."""
    return Path(shutil.copytree(SOURCES, tmp_path_factory.mktemp("node") / "client"))


@pytest.mark.parametrize("kind", BOTH)
async def test_all_its_ordinary_calls_work(kind: str, folder: Path) -> None:
    if not (folder / "node_modules").exists():
        quiet = ("--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock")
        code, text = await said_by(NPM, "install", *quiet, folder=folder)
        assert code == 0, text
    async with running(kind) as url:
        code, text = await said_by(NODE, "client.js", url, folder=folder)
    assert (code, text) == (0, "all calls done\n")
