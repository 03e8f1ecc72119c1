"""Hotel reviews in Polars: complaints by month, and which reviews to read first.

pip install "fewaspect[tables]" polars
"""

from pathlib import Path

import polars as pl
import yaml

from fewaspect import AspectDetector

DATA = Path(__file__).parent / "data"

reviews = pl.read_csv(DATA / "hotel_reviews.csv")
detector = AspectDetector().fit(yaml.safe_load((DATA / "hotel_aspects.yaml").read_text(encoding="utf-8")))
tagged = detector.predict_batch(reviews, text="review", sentiment=True)

opinions = [f"sentiment_{name}" for name in detector.classes_]
complaints = (
    tagged.unpivot(
        on=opinions, index=["id", "city", "month", "stars", "review"], variable_name="aspect", value_name="opinion"
    )
    .filter(pl.col("opinion") == "negative")
    .with_columns(pl.col("aspect").str.strip_prefix("sentiment_"))
)

with pl.Config(tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True, fmt_str_lengths=90, tbl_width_chars=110):
    print("Complaints by month")
    by_month = complaints.sort("month").pivot("month", index="aspect", values="id", aggregate_function="len")
    print(by_month.fill_null(0).sort("aspect"))
    print("Read these first: the complaints with the fewest stars")
    print(complaints.sort("stars", "id").select("stars", "city", "aspect", "review").head(5))
