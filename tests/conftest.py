"""Shared by all tests: a cache of their own, and tiny random encoders of every supported kind."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from fewaspect.encoders.transformer import TokenEncoder

TESTS = Path(__file__).parent
sys.path[:0] = [str(TESTS), str(TESTS.parent)]  # so that tests can import `equations` and `attacks`

collect_ignore_glob: list[str] = []
if find_spec("torch") is None:  # the base install: what the extras serve is tested where they are installed
    collect_ignore_glob += [
        "benchmarks/*", "browser/*", "bulk/*", "encoders/*", "evaluation/*", "experiments/*", "methods/*", "modules/*",
        "studio/*", "training/*", "cli/test_benchmark.py", "cli/test_cache.py", "cli/test_detect_page.py",
        "cli/test_figures.py", "cli/test_train_and_evaluate.py", "core/test_multilabel_metrics.py",
        "detector/test_calibration.py", "detector/test_estimator_checks.py",
        "detector/test_metrics.py", "detector/test_sklearn.py", "detector/labelling/test_target_precision.py",
        "detector/labelling/test_discover.py", "detector/labelling/test_naming.py",
        "detector/test_support.py", "detector/test_arrow_tables.py", "reviews/readers/*", "reviews/test_writers.py",
        "detector/labelling/test_unspaced_words.py", "text/test_tokenization.py",
    ]  # fmt: skip

settings.register_profile("fewaspect", deadline=None)  # a slow machine is not a failure
settings.load_profile("fewaspect")

WORDS = str.split(
    "the a was is and but very not it we our had good bad great slow clean dirty cold friendly cheap room food "
    "service staff price bed pizza waiter bar pool hair cut ##s ##ly ##er , . !"
)
ROBERTA_LIKE = ("camembert", "mpnet", "roberta", "xlm-roberta")


@pytest.fixture(scope="session", autouse=True)
def _cache_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or fills the user's cache. Tests that need an empty one set the variable again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FEWASPECT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Folder of a tiny random model of a kind ("bert", "mpnet", ...), with a tokeniser of a few words; made once."""
    made: dict[tuple[str, int, int], Path] = {}

    def folder(kind: str = "bert", layers: int = 4, seed: int = 0) -> Path:
        if (kind, layers, seed) not in made:
            made[kind, layers, seed] = _save_tiny(kind, layers, seed, tmp_path_factory.mktemp(kind))
        return made[kind, layers, seed]

    return folder


@pytest.fixture(scope="session")
def tiny_encoder(encoder_folder: Callable[..., Path]) -> Callable[..., TokenEncoder]:
    """A fresh `TokenEncoder` of a tiny random model: `tiny_encoder("roberta", freeze_layers=1)`."""

    def build(
        kind: str = "bert", freeze_layers: int | None = None, dropout: float | None = None, seed: int = 0
    ) -> TokenEncoder:
        from fewaspect.encoders.sources import resolve_encoder
        from fewaspect.encoders.transformer import TokenEncoder

        return TokenEncoder(resolve_encoder(str(encoder_folder(kind, seed=seed))), freeze_layers, dropout)

    return build


def _save_tiny(kind: str, layers: int, seed: int, folder: Path) -> Path:
    import torch
    from transformers import AutoConfig, AutoModel

    # Roberta and its kin hold the padding to be number 1, the others number 0.
    special = ["<s>", "<pad>"] if kind in ROBERTA_LIKE else ["<pad>", "<s>"]
    vocabulary = [*special, "</s>", "<unk>", "<mask>", *WORDS]
    sizes = {"hidden_size": 32, "num_hidden_layers": layers, "num_attention_heads": 4, "intermediate_size": 48}
    if kind == "distilbert":
        sizes = {"dim": 32, "n_layers": layers, "n_heads": 4, "hidden_dim": 48}
    if kind == "electra":
        sizes["embedding_size"] = 16  # then it projects embeddings to hidden states
    config = AutoConfig.for_model(
        kind, vocab_size=len(vocabulary), max_position_embeddings=24, pad_token_id=special.index("<pad>"), **sizes
    )
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(seed)
        model = AutoModel.from_config(config)
        for name, parameter in model.named_parameters():
            # Far from the usual start near zero, where attention is even and a wrong mask would hardly show.
            centre = 1.0 if "norm" in name.lower() and name.endswith("weight") else 0.0
            parameter.copy_(centre + 0.3 * torch.randn_like(parameter))
    model.save_pretrained(folder)
    _tokeniser(vocabulary).save_pretrained(folder)
    return folder


def _tokeniser(vocabulary: list[str]):  # type: ignore[no-untyped-def]  # transformers is imported late
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    number = {word: i for i, word in enumerate(vocabulary)}
    tokeniser = Tokenizer(models.WordPiece(number, unk_token="<unk>"))
    tokeniser.normalizer = normalizers.BertNormalizer()
    tokeniser.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokeniser.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[(name, number[name]) for name in ("<s>", "</s>")]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokeniser,
        unk_token="<unk>", pad_token="<pad>", cls_token="<s>", sep_token="</s>", mask_token="<mask>",
    )  # fmt: skip
