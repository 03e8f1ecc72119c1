"""Which language a text is in, so that a model can say that it does not read it.

Most English is known by its small words; py3langid recognises the rest, a naive Bayes classifier of byte sequences (Lui
and Baldwin, 2012), which is loaded when it is first needed. Short texts and doubtful ones stay without a language.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from fewaspect.text.foreign import is_other_script, words_of

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German",
    "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French",
    "gu": "Gujarati", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian",
    "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ja": "Japanese", "ka": "Georgian", "km": "Khmer",
    "kn": "Kannada", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "ml": "Malayalam", "mr": "Marathi",
    "my": "Burmese", "nl": "Dutch", "no": "Norwegian", "pa": "Punjabi", "pl": "Polish", "pt": "Portuguese",
    "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish",
    "sw": "Swahili", "ta": "Tamil", "te": "Telugu", "th": "Thai", "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian",
    "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
"""Those that are recognised, by their code of ISO 639-1."""
OTHER_SCRIPTS = frozenset(
    "ar bg bn el fa gu he hi hy ja ka km kn ko ml mr my pa ru sr ta te th uk ur zh".split()  # noqa: SIM905
)  # those of them that are not written in Latin letters
UNKNOWN = ""
FEWEST_WORDS, FEWEST_LETTERS = 4, 4  # of a text in Latin letters, and in others
MOST_CHARACTERS = 400  # of a text, which are read
SURE = 0.9  # from which probability on a language is named
ENGLISH_SHARE = 0.12  # of the words of English text, at least, that are these; none of them is common elsewhere
_SMALL_WORDS = """
the and with this that these those it's its i'm i've my your our their they you she his are were been be have not
don't didn't wasn't isn't can't would could should what when which there than then just only really too much some any
every after before because but from out down good great always
"""
_ENGLISH = frozenset(_SMALL_WORDS.split())


def language_of(text: str) -> str:
    """Its code; `UNKNOWN` where it is not known."""
    text = text[:MOST_CHARACTERS]
    words = words_of(text)
    other = is_other_script(words)
    if sum(map(len, words)) < FEWEST_LETTERS or (len(words) < FEWEST_WORDS and not other):
        return UNKNOWN
    if not other and sum(word in _ENGLISH for word in words) >= ENGLISH_SHARE * len(words):
        return "en"
    code, probability = _identifier().classify(" ".join(words))
    return str(code) if probability >= SURE else UNKNOWN


def language_name(code: str) -> str:
    return LANGUAGES.get(code, code)


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(LANGUAGES)
    return identifier
