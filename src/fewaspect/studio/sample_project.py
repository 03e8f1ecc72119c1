"""The sample project, which the first start creates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fewaspect.data.sample_set import load_sample, load_showcase
from fewaspect.studio.store.definition import NewAspect, fill_definition
from fewaspect.studio.store.journal import Journal
from fewaspect.studio.store.projects import create_project, list_projects
from fewaspect.studio.store.reviews import NewReview, add_reviews
from fewaspect.text.splitting import sentence_spans

if TYPE_CHECKING:
    from fewaspect.studio.studio import Studio

NAME = "Sample: hotel and restaurant reviews"


def add_sample_project(studio: Studio) -> None:
    """Only into a database without projects; it cannot be undone."""
    showcase, splits = load_showcase(), load_sample()
    texts = [review.text for review in showcase.reviews]
    for part in ("test", "validation", "train"):
        texts += splits[part].texts
    labelled = [(text, [name]) for name, own in showcase.examples.items() for text in own]
    with studio.database.write() as connection:
        if list_projects(connection):
            return
        project = create_project(connection, NAME)
        fill_definition(Journal(connection), project, [NewAspect(name) for name in showcase.examples], labelled)
        new = [NewReview(text, None, {}, sentence_spans(text)) for text in dict.fromkeys(texts)]
        add_reviews(connection, project, new, studio.limits)
