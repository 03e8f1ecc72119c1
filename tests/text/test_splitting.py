"""Reviews become sentences without loss."""

# ruff: noqa: RUF001  # full-width punctuation and Cyrillic letters are meant

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fewaspect.text.splitting import fitting_spans, grouped_spans, halves, sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The soup was cold. Nobody cared.", ["The soup was cold.", "Nobody cared."]),
        ("We met Dr. Smith at 5 p.m. in the bar.", ["We met Dr. Smith at 5 p.m. in the bar."]),
        ("Open until 9 p.m. The bar is fine.", ["Open until 9 p.m.", "The bar is fine."]),
        ("Would I go again? No. The soup, etc. Cold.", ["Would I go again?", "No.", "The soup, etc.", "Cold."]),
        ("Took 20 min. to come, No. 5 of 9.", ["Took 20 min. to come, No. 5 of 9."]),
        ("is it good? no. the soup was cold", ["is it good?", "no.", "the soup was cold"]),
        ("We stayed in Co. Kerry. The Apple Inc. Store", ["We stayed in Co. Kerry.", "The Apple Inc. Store"]),
        ("It cost 3.50, e.g. Two coffees.", ["It cost 3.50, e.g. Two coffees."]),
        ("J. Doe served us. Great!", ["J. Doe served us.", "Great!"]),
        ("So good! we loved it? yes", ["So good!", "we loved it?", "yes"]),
        ("Well... it was fine... Then it rained.", ["Well... it was fine...", "Then it rained."]),
        ('"Really?" she asked. "Yes." He left.', ['"Really?" she asked.', '"Yes."', "He left."]),
        ("the food was good . service was bad .", ["the food was good .", "service was bad ."]),
        ("Clean room\nno towels\n\nthin walls", ["Clean room\nno towels", "thin walls"]),
        ("1. Food was cold\n2. Staff rude", ["1. Food was cold", "2. Staff rude"]),
        ("味道很好。服务很差！", ["味道很好。", "服务很差！"]),
        ("（很好！）服务差。", ["（很好！）", "服务差。"]),
        ("هل الطعام جيد؟ نعم جدا.", ["هل الطعام جيد؟", "نعم جدا."]),
        ("खाना अच्छा था। सेवा खराब थी।", ["खाना अच्छा था।", "सेवा खराब थी।"]),
        ("Loved it! 😀 Would come again.", ["Loved it!", "😀 Would come again."]),
        ("😀 Loved it!", ["😀 Loved it!"]),
        ("visit www.example.com now. Bye.", ["visit www.example.com now.", "Bye."]),
        ("  \t\n ", []),
        ("", []),
        ("🍕", ["🍕"]),
    ],
)
def test_a_review_is_split_where_its_sentences_end(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    "parts",
    [
        ["房间很干净!", "服务很差?", "早餐不错。"],
        ["酒店不错.", "早餐一般."],
        ["房间很干净！!", "WiFi很快!", "2楼有餐厅。"],
        ["可是……我说不出话来……", "下次不来了。"],
        ["看上去有8.5分, 很好吃.", "乖乖..真的!"],
        ["定宿です♪", "立地も良かった♪♪ ", "また行きます♪"],
        ["朝食は美味しかった……", "部屋は狭い．", "でも……満足です"],
        ["「また来てね！」と言われた。", "嬉しい。"],
        ["좋았어요.", "추천해요!", "다음에 또 갈게요."],
        ["ห้องพักสะอาดมากและกว้างขวางดีค่ะ ", "พนักงานบริการดีและยิ้มแย้มแจ่มใส ", "อาหารเช้าอร่อยมากแต่ที่จอดรถน้อย"],
        ["เราพัก 2 คืนกับเพื่อนที่โรงแรม Centara ในเมืองพัทยา ครับ"],
        ["อาหารอร่อย พนักงานดี"],
        ["เปิดมาตั้งแต่ พ.ศ. 2560 แล้ว"],
    ],
)
def test_scripts_without_spaces_are_split_too(parts: list[str]) -> None:
    assert sentences("".join(parts)) == [part.strip() for part in parts]


@pytest.mark.parametrize(
    "parts",
    [
        ["Das Zimmer hat ca. 10 qm, z. B. Nr. 5 bzw. Nr. 6.", "Toll!"],
        ["Wir kamen am 3. Mai an, inkl. Hund.", "Im 2. Stock war es laut.", "Wir hatten Zimmer 3.", "Danach war Ruhe."],
        ["Es gab Brot, Wurst usw. und Kaffee.", "„Alles gut.“", "Wir kommen wieder."],
        ["Die Suppe, der Fisch usw.", "Alles war kalt."],
        ["La Sra. García y el Sr. Ruiz nos ayudaron.", "A Ud. Ana lo llama."],
        ["Il Sig. Rossi e la Dott. Bianchi.", "Bello!"],
        ["Dhr. Jansen hielp ons, bijv. Met de koffers.", "Fijn."],
        ["M. Dupont nous a reçus à env. 10 km.", "Merci."],
        ["Отель на ул. Ленина, д. 5 в г. Сочи.", "Были в 2019 г.", "Нам понравилось и т.д.", "Вот, т.е. Сочи."],
        ["О Sr. Silva e a Dra. Costa ajudaram.", "Otimo."],
        ["Hotel przy ul. Długiej, np. Pokój 5.", "Polecam."],
        ["Otel Atatürk Cad. No. 5 adresinde, bkz. Harita.", "Güzel."],
        ["I am 45.", "Mum died in CA.", "We moved.", "Was it ok?", "Ok.", "The 3.", "May was cold."],
    ],
)
def test_abbreviations_of_other_languages_end_no_sentence(parts: list[str]) -> None:
    text = " ".join(part.strip() for part in parts)
    assert sentences(text) == [part.strip() for part in parts]


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("ab .!?\n。\"'A1"))))
def test_between_the_sentences_of_any_text_there_is_only_white_space(text: str) -> None:
    check_cover(text, sentence_spans(text))


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("ab ,-;\n"))), st.integers(1, 5))
@example("ab,", 2)  # a clause that ends where the sentence does is no place to cut
def test_pieces_of_a_long_sentence_cover_it_and_fit(text: str, most: int) -> None:
    (spans,) = fitting_spans([text], [sentence_spans(text)], lambda parts: [len(part) > most for part in parts])
    check_cover(text, spans)
    assert all(end - start <= most for start, end in spans)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ok" + "." * 200_000 + "bye", 1),
        ("ok" + " " * 200_000 + "bye", 1),
        ("ok" + "." * 200_000 + " Bye", 2),
        ("ok" + " " * 200_000 + "\nBye", 2),
        ("很好吃" + "!" * 200_000 + ";", 1),
        ("很好吃" + "." * 200_000 + ";", 1),
        ("很好吃。" + "!" * 200_000 + "贵", 2),
        ("ดีมาก" + " " * 200_000 + "ค่ะ", 1),
    ],
)
def test_a_row_of_dots_or_spaces_is_looked_at_once_however_long(text: str, expected: int) -> None:
    assert len(sentence_spans(text)) == expected  # takes minutes if the row is searched again from each


def check_cover(text: str, spans: list[tuple[int, int]]) -> None:
    end_before, rebuilt = 0, ""
    for start, end in spans:
        assert start < end
        assert not text[end_before:start].strip()
        rebuilt += text[end_before:start] + text[start:end]
        end_before = end
    assert not text[end_before:].strip()
    assert rebuilt + text[end_before:] == text


def test_a_long_sentence_is_cut_behind_a_clause_if_it_can_be() -> None:
    text = "we waited for an hour, and then the food came cold and wrong"
    assert [text[start:end] for start, end in halves(text, (0, len(text)))] == [
        "we waited for an hour,",
        "and then the food came cold and wrong",
    ]


def test_a_letter_is_not_parted_from_its_accent() -> None:
    text = "aaae\u0301aaa"
    (first, second) = halves(text, (0, len(text)))
    assert text[slice(*second)][0] == "a"
    assert first[1] == second[0]


def test_neighbours_are_grouped_as_long_as_they_are_short_together() -> None:
    spans = [(0, 3), (4, 9), (10, 12), (13, 30), (31, 33)]
    assert grouped_spans(spans, [1, 2, 1, 9, 1], most=3) == [(0, 9), (10, 12), (13, 30), (31, 33)]
    assert grouped_spans(spans, [1] * 5, most=5) == [(0, 33)]
    assert grouped_spans([], [], most=5) == []
