"""The figure of LPN, drawn: python docs/tools/method_figure.py writes docs/pictures/method.svg."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import NamedTuple

OUT = Path(__file__).parents[1] / "pictures" / "method.svg"
WIDTH, HEIGHT = 1080, 500
FONT = "font-family='system-ui, Segoe UI, Roboto, Helvetica, DejaVu Sans, sans-serif'"
INPUT, ENCODER, STEP, LOSS = (
    ("#fff4e6", "#b35c00"),
    ("#e3f2f5", "#0b7285"),
    ("#f1f3f5", "#495057"),
    ("#fdecea", "#b3261e"),
)


class Box(NamedTuple):
    """A corner, a size, colours, a title and lines below it."""

    x: int
    y: int
    width: int
    height: int
    colours: tuple[str, str]
    title: str
    lines: tuple[str, ...] = ()

    def svg(self) -> str:
        fill, edge = self.colours
        middle = self.x + self.width / 2
        top = self.y + self.height / 2 - 8 * len(self.lines) + 5
        texts = [f"<text x='{middle}' y='{top}' font-weight='600' fill='#1b2230'>{escape(self.title)}</text>"]
        texts += [
            f"<text x='{middle}' y='{top + 17 * number}' font-size='12' fill='#495057'>{escape(line)}</text>"
            for number, line in enumerate(self.lines, start=1)
        ]
        frame = f"<rect x='{self.x}' y='{self.y}' width='{self.width}' height='{self.height}' rx='9' fill='{fill}' "
        return frame + f"stroke='{edge}' stroke-width='1.5'/>" + "".join(texts)


BOXES = {
    "shots": Box(20, 60, 165, 84, INPUT, "support sentences", ("K shots of each", "of N aspects")),
    "label": Box(20, 206, 165, 84, INPUT, "label texts", ("“room cleanliness”,", "“parking”, ...")),
    "query": Box(20, 352, 165, 84, INPUT, "query", ("a sentence, with", "one aspect or several")),
    "encoder": Box(
        245, 60, 130, 376, ENCODER, "encoder", ("token states H", "", "lower half frozen,", "upper half trained")
    ),
    "pooling": Box(
        435, 60, 150, 230, STEP, "attentive pooling", ("4 heads over tokens", "eqs. 1 to 3", "", "vectors o and e")
    ),
    "weights": Box(645, 60, 180, 84, STEP, "shot weights β", ("each shot beside", "its label text, eqs. 4 to 6")),
    "prototypes": Box(645, 206, 180, 84, STEP, "prototypes p", ("weighted mean of", "the shots, eq. 7")),
    "attention": Box(435, 352, 150, 84, STEP, "label attention", ("a vector z for each", "label, eqs. 10, 11")),
    "count": Box(645, 352, 180, 84, STEP, "count", ("how many aspects,", "from o, eq. 15")),
    "class": Box(885, 206, 175, 84, LOSS, "classes", ("distance of o and p,", "eqs. 8 and 9")),
    "contrast": Box(405, 462, 210, 32, LOSS, "contrast, eqs. 12 and 13"),
    "answer": Box(885, 352, 175, 84, LOSS, "answer", ("that many of the", "best classes")),
}
ARROWS = [  # corners, from one box to the next
    [(185, 102), (245, 102)], [(185, 248), (245, 248)], [(185, 394), (245, 394)],
    [(375, 175), (435, 175)], [(375, 394), (435, 394)],
    [(585, 102), (645, 102)], [(735, 144), (735, 206)], [(825, 248), (885, 248)],
    [(645, 262), (615, 262), (615, 380), (585, 380)],
    [(585, 190), (630, 190), (630, 394), (645, 394)],
    [(825, 394), (885, 394)], [(972, 290), (972, 352)], [(510, 436), (510, 462)],
]  # fmt: skip
NOTES = [(598, 330, "p, e"), (643, 330, "o"), (735, 454, "trained with eq. 16")]


def figure() -> str:
    """The whole SVG."""
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' {FONT} font-size='14' "
        "text-anchor='middle'><defs><marker id='tip' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='7' "
        "markerHeight='7' orient='auto'><path d='M0 0L10 5L0 10z' fill='#5a6477'/></marker></defs>"
        f"<rect width='{WIDTH}' height='{HEIGHT}' rx='12' fill='#ffffff'/>"
        "<text x='20' y='34' font-size='16' font-weight='600' text-anchor='start' fill='#1b2230'>"
        "LPN: the label text says which shots count, which words count, and how near is near</text>"
    )
    lines = [
        f"<polyline points='{' '.join(f'{x},{y}' for x, y in corners)}' fill='none' stroke='#5a6477' "
        "stroke-width='1.6' marker-end='url(#tip)'/>"
        for corners in ARROWS
    ]
    notes = [f"<text x='{x}' y='{y}' font-size='12' fill='#5a6477'>{escape(text)}</text>" for x, y, text in NOTES]
    return "\n".join([head, *lines, *(box.svg() for box in BOXES.values()), *notes, "</svg>"]) + "\n"


if __name__ == "__main__":
    OUT.write_text(figure(), encoding="utf-8")
