"""Reviews in languages that the model of a project does not read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fewaspect.inference.languages import languages_of, model_for, unread_languages
from fewaspect.text.language import language_name

if TYPE_CHECKING:
    from fewaspect.studio.engine.snapshot import ImportedSentences


def unread_reviews(sentences: ImportedSentences, model: str | None) -> dict[str, Any] | None:
    """By language, of a sample of the reviews, and the name of a model that reads them; None if `model` does."""
    counts = sentences.languages
    if not (unread := unread_languages(languages_of(model), counts)):
        return None
    by_language = [{"language": language_name(code), "reviews": count} for code, count in unread.items()]
    return {"languages": by_language, "looked_at": sum(counts.values()), "model": model_for(model, unread)}
