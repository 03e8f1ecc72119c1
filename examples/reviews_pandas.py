"""Hotel reviews in a pandas DataFrame: what guests write about, by city, and how happy they are with it.

pip install "fewaspect[tables]" pandas
"""

from pathlib import Path

import pandas as pd
import yaml

from fewaspect import AspectDetector

DATA = Path(__file__).parent / "data"

reviews = pd.read_csv(DATA / "hotel_reviews.csv")
examples = yaml.safe_load((DATA / "hotel_aspects.yaml").read_text(encoding="utf-8"))

detector = AspectDetector().fit(examples)
tagged = detector.predict_batch(reviews, text="review", sentiment=True)

print(tagged[["city", "review", "aspects"]].head(6).to_string(index=False, max_colwidth=60), "\n")

mentions = tagged.explode("aspects").dropna(subset="aspects")
print("Reviews that mention an aspect, by city")
print(pd.crosstab(mentions["aspects"], mentions["city"]).to_string(), "\n")

opinions = {name: tagged[f"sentiment_{name}"].value_counts() for name in detector.classes_}
table = pd.DataFrame(opinions).T.reindex(columns=["positive", "neutral", "negative", "mixed"]).fillna(0).astype(int)
print("What they think of it")
print(table.sort_values("negative", ascending=False).to_string(), "\n")

print("Mean stars of the reviews that mention it")
print(mentions.groupby("aspects")["stars"].mean().sort_values().round(1).to_string())
