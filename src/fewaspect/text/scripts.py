"""Scripts without spaces between words, as ranges for the character classes of regular expressions; words in them."""

from __future__ import annotations

THAI = "\u0e00-\u0e7f"
KANA = "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HANGUL = "\u3131-\u318e\uac00-\ud7a3"  # which has spaces, but not always after a full stop
UNSPACED = f"{THAI}\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff{KANA}{HAN}"  # with Lao, Burmese and Khmer
