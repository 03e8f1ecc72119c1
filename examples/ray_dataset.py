"""Reviews through Ray Data: one detector per actor, batches as Arrow tables, on one machine or a cluster.

pip install "fewaspect[bulk]"

For files, `fewaspect bulk` does this with restarts, a plan and a summary; this is for pipelines of your own.
"""

import logging
from pathlib import Path

import ray
import yaml

from fewaspect import AspectDetector

DATA = Path(__file__).parent / "data"


class Tagger:
    """An actor's own copy of the detector; it travels to the actor once."""

    def __init__(self, detector: AspectDetector) -> None:
        self.detector = detector

    def __call__(self, table):  # a pyarrow Table in, one with more columns out
        return self.detector.predict_batch(table, text="review")


detector = AspectDetector().fit(yaml.safe_load((DATA / "hotel_aspects.yaml").read_text(encoding="utf-8")))

# A cluster: ray.init("ray://head:10001"). This is two cores of this machine: one reads, one detects.
ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.CRITICAL)
ray.data.DataContext.get_current().enable_progress_bars = False
logging.getLogger("ray.data").setLevel(logging.ERROR)

tagged = ray.data.read_csv(str(DATA / "hotel_reviews.csv")).map_batches(
    Tagger,
    fn_constructor_args=[detector],
    batch_format="pyarrow",
    compute=ray.data.ActorPoolStrategy(size=1),
)
for row in sorted(tagged.take_all(), key=lambda row: row["id"])[:8]:
    print(f"{row['id']:>3}  {', '.join(row['aspects']) or '-':24} {row['review']}")
ray.shutdown()
