"""Words of sentences in scripts without spaces, as far as a name for a group needs them.

Japanese ones are what stands between the letters of its endings. Chinese ones are sequences of two to four characters
without a particle among them; which of these are words, their numbers tell. Thai ones are tokens of the encoder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from fewaspect.text.scripts import HAN, KANA, THAI
from fewaspect.text.tokenization import SentenceTokeniser

LONGEST = 4  # characters of a Chinese word
SAME_SHARE = 0.8  # of the occurrences of a part, from which on the longer word stands for it
HAN_KANA = re.compile(f"[{HAN}{KANA}\u3005]+")
THAI_MARKS = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"  # vowels above and below, and tones, which are no letters
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_JAPANESE = re.compile(f"[\u30a1-\u30fc]{{2,}}|[{HAN}\u3005]{{2,}}")
_THAI = re.compile(f"[{THAI}]")
_PARTICLES = re.compile(
    "吃到|总是|總是|所以|如果|可以|可能|非常|比較|比较|時候|时候|知道|特別|特别|推薦|推荐|喜歡|喜欢|東西|东西|起來|起来|出來|出来|大家|自己"
    "|今天|已經|已经|應該|应该|下次|現在|现在|需要|雖然|虽然|其實|其实|其他|超級|超级|十分|完全|普通|整體|整体|滿意|满意|開心|开心"
    "|[的了是很也都在就還还和與与但不沒没我你您他她它們们這这那哪個个一太真好最更又再才只被把給给讓让嗎吗吧呢啊呀哦啦嗯喔且而因為为有"
    "覺觉得想些什麼么怎]"
)
PLAIN = frozenset(
    """
    最高 残念 美味 満足 利用 大変 本当 今回 次回 前回 自分 非常 便利 快適 綺麗 最悪 丁寧 親切 場合 時間 普通 全体
    一番 キレイ
    ที่ และ มาก ไม่ ได้ ให้ แต่ เป็น ของ ครับ ค่ะ กับ ว่า แล้ว อยู่ คือ นี้ นั้น เลย ทุก ต้อง ถ้า จาก ทำ เรา อร่อย สวย หน่อย กว่า
    ดี ไป มา มี จะ ก็ นะ คะ คน ใน
    """.split()  # noqa: SIM905
)


def with_spaces(texts: Sequence[str], tokeniser: SentenceTokeniser) -> list[str]:
    """The texts, those in Thai with spaces between their words."""
    spaced = list(texts)
    rows = [row for row, text in enumerate(texts) if _THAI.search(text)]
    for row, (places, _) in zip(rows, tokeniser.words([texts[row] for row in rows]), strict=True):
        words = [texts[row][start:end] for start, end in places]
        spaced[row] = re.sub(f" (?=[{THAI_MARKS}])", "", " ".join(words))
    return spaced


def fewest_letters(word: str) -> int:
    """Of a word that may tell something: Thai ones may be short."""
    return 2 if _THAI.match(word) else 3


def without_spaces(phrase: str) -> str:
    """Thai words side by side as they are written."""
    return re.sub(f"(?<=[{THAI}]) (?=[{THAI}])", "", phrase)


def unspaced_words(text: str) -> list[str]:
    """Those of Japanese, and what may be words of Chinese."""
    if _KANA.search(text):
        return _JAPANESE.findall(text)
    parts = [part for run in HAN_KANA.findall(text) for part in _PARTICLES.split(run)]
    return [
        part[i : i + n] for part in parts for n in range(2, LONGEST + 1) for i in range(len(part) - n + 1)
    ]  # fmt: skip


def parts_of(phrase: str) -> list[str]:
    """The words of a phrase; of a Chinese word, those that are one character shorter."""
    if HAN_KANA.match(phrase):
        return [phrase[:-1], phrase[1:]] if len(phrase) > 2 else []
    return phrase.split()


def said_by_longer(counts: Counter[str], phrases: Sequence[str]) -> set[str]:
    """Parts of Chinese words that hardly occur without the rest of the word."""
    longer = [phrase for phrase in phrases if len(phrase) > 2 and HAN_KANA.match(phrase)]
    return {part for word in longer for part in parts_of(word) if counts[word] >= SAME_SHARE * counts[part]}
