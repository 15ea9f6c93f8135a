"""Which tensor lies in which file of a checkpoint folder, and whether they are the ones a Llama has.

Reads the headers of the files only, and needs no torch.
"""

from pathlib import Path

from safetensors import SafetensorError, safe_open

from harness.errors import BadInput
from harness.serving.model.checkpoint_config import CheckpointConfig
from harness.serving.model.config import DecoderConfig
from harness.serving.model.fields import read_json

EMBEDDING, LAST_NORM, HEAD = "model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"
_READABLE = {"F32", "F16", "BF16"}
_DERIVED = "rotary_emb.inv_freq"  # older files store what the configuration already says


class CheckpointFiles:
    """`where` maps each tensor's name to its file."""

    def __init__(self, folder: Path) -> None:
        """Raises BadInput for missing or damaged files."""
        self.folder = folder
        self.where: dict[str, Path] = {}
        self._found: dict[str, tuple[tuple[int, ...], str]] = {}
        for path in _weight_files(folder):
            self._read_header(path)

    def require(self, config: CheckpointConfig) -> None:
        """Raise BadInput unless exactly the tensors of `config` are there, in their shapes."""
        if config.decoder.layers > len(self.where):  # or the names below could be more than memory holds
            raise BadInput(
                f"{self.folder}: config.json says {config.decoder.layers} layers, "
                f"the *.safetensors files hold {len(self.where)} tensors in all"
            )
        expected = expected_shapes(config.decoder)
        if config.tied:
            expected.pop(HEAD)
        for name, shape in expected.items():
            self._require_one(name, shape)
        for name in self.where:
            ignored = name.endswith(_DERIVED) or (config.tied and name == HEAD)
            if name not in expected and not ignored:
                raise BadInput(
                    f"{self.where[name]}: unsupported tensor {name}; a plain Llama has none of that name"
                )

    def _require_one(self, name: str, shape: tuple[int, ...]) -> None:
        if name not in self._found:
            raise BadInput(f"{self.folder}: tensor {name} is in none of the *.safetensors files")
        found, kind = self._found[name]
        if found != shape:
            raise BadInput(f"{self.where[name]}: {name} is {list(found)}, config.json says {list(shape)}")
        if kind not in _READABLE:
            raise BadInput(
                f"{self.where[name]}: {name} is stored as {kind}; only {', '.join(sorted(_READABLE))}"
            )

    def _read_header(self, path: Path) -> None:
        if path.exists() and not path.is_file():
            raise BadInput(f"{path} is not a file")
        try:
            with safe_open(path, framework="numpy") as file:
                for name in file.keys():  # noqa: SIM118  # this object cannot be iterated
                    part = file.get_slice(name)
                    self._found[name] = (tuple(part.get_shape()), part.get_dtype())
                    self.where[name] = path
        except (OSError, SafetensorError) as error:
            raise BadInput(f"{path} is missing or damaged: {error}") from None


def expected_shapes(config: DecoderConfig) -> dict[str, tuple[int, ...]]:
    """Name to [out, in] for every tensor of an untied Llama."""
    c = config
    queries, keys = c.heads * c.head_dim, c.kv_heads * c.head_dim
    layer: dict[str, tuple[int, ...]] = {
        "input_layernorm": (c.width,),
        "self_attn.q_proj": (queries, c.width),
        "self_attn.k_proj": (keys, c.width),
        "self_attn.v_proj": (keys, c.width),
        "self_attn.o_proj": (c.width, queries),
        "post_attention_layernorm": (c.width,),
        "mlp.gate_proj": (c.ffn_width, c.width),
        "mlp.up_proj": (c.ffn_width, c.width),
        "mlp.down_proj": (c.width, c.ffn_width),
    }
    shapes = {
        f"model.layers.{i}.{name}.weight": shape for i in range(c.layers) for name, shape in layer.items()
    }
    return {EMBEDDING: (c.vocab_size, c.width), LAST_NORM: (c.width,), HEAD: (c.vocab_size, c.width)} | shapes


def _weight_files(folder: Path) -> list[Path]:
    """The files that the index names, or every *.safetensors of the folder."""
    index = folder / "model.safetensors.index.json"
    if index.exists():
        listed = read_json(index).get("weight_map")
        if not isinstance(listed, dict) or not all(isinstance(name, str) for name in listed.values()):
            raise BadInput(f"{index}: expected a 'weight_map' of tensor names to file names")
        return [folder / name for name in sorted(set(listed.values()))]
    found = sorted(folder.glob("*.safetensors"))
    if not found:
        raise BadInput(f"{folder} has no *.safetensors file; other weight formats are not read")
    return found
