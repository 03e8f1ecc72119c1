"""The plain procedure the speed measurements compare with: whole encoder for every episode, padded to the longest."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from transformers import AutoModel, AutoTokenizer

from fewaspect.data.episodes import Episode
from fewaspect.data.labelled import SentenceSet
from fewaspect.data.labels import describe_aspect
from fewaspect.encoders.packed import Layout, PackedStates, unpad
from fewaspect.encoders.sources import resolve_encoder
from fewaspect.methods.base import Method
from fewaspect.methods.few_shot_model import EpisodeTensors, build_task
from fewaspect.methods.prepared import episode_tensors


class PlainModel(torch.nn.Module):
    """One padded batch per episode through all layers; the lower ones are frozen, but computed every time."""

    def __init__(self, method: Method, freeze_layers: int, encoder: str = "minilm") -> None:
        super().__init__()
        folder = resolve_encoder(encoder).folder
        self.tokeniser = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self.encoder = AutoModel.from_pretrained(folder, local_files_only=True, add_pooling_layer=False)
        self.encoder.embeddings.requires_grad_(False)
        self.encoder.encoder.layer[:freeze_layers].requires_grad_(False)
        for module in self.encoder.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        self.method = method

    def represent(self, sentences: SentenceSet, episode: Episode) -> tuple[PackedStates, EpisodeTensors]:
        texts = [sentences.texts[i] for i in episode.support]
        texts += [describe_aspect(name) for name in episode.classes]
        texts += [sentences.texts[i] for i in episode.queries]
        inputs = self.tokeniser(texts, padding=True, truncation=True, return_tensors="pt")
        hidden = self.encoder(**inputs).last_hidden_state  # (B, T, d)
        lengths = inputs["attention_mask"].sum(dim=1)
        return PackedStates(unpad(hidden, Layout(lengths)), lengths), episode_tensors(episode, np.arange(len(texts)))

    def loss(self, sentences: SentenceSet, episode: Episode) -> Tensor:
        tokens, tensors = self.represent(sentences, episode)
        task = build_task(self.method.represent(tokens), tensors)
        scores = self.method.score(task)
        parts = self.method.losses(task, scores, tensors.support_labels, tensors.query_labels)
        return torch.stack(list(parts.values())).sum()

    @torch.inference_mode()
    def logits(self, sentences: SentenceSet, episode: Episode) -> Tensor:
        tokens, tensors = self.represent(sentences, episode)
        return self.method.score(build_task(self.method.represent(tokens), tensors)).logits
