"""Hotel reviews in SQL: DuckDB reads the file, the detector adds columns, DuckDB counts.

pip install "fewaspect[tables]" duckdb
"""

from pathlib import Path

import duckdb
import yaml

from fewaspect import AspectDetector

DATA = Path(__file__).parent / "data"

detector = AspectDetector().fit(yaml.safe_load((DATA / "hotel_aspects.yaml").read_text(encoding="utf-8")))

reviews = duckdb.sql(f"select * from '{DATA / 'hotel_reviews.csv'}'").to_arrow_table()
tagged = detector.predict_batch(reviews, text="review")  # DuckDB finds it below by the name of the variable

print("The aspect that each city's guests mention most")
duckdb.sql("""
    select city, aspect, count(*) as reviews, round(avg(stars), 1) as stars
    from (select city, stars, unnest(aspects) as aspect from tagged)
    group by city, aspect
    qualify row_number() over (partition by city order by count(*) desc, aspect) = 1
    order by city
""").show()

print("Low stars and no aspect at all: what is missing from the list?")
duckdb.sql("select id, stars, review from tagged where len(aspects) = 0 order by stars, id").show(max_width=100)
