"""Names as people type them: without accents, in any case, as words."""

import re
import unicodedata

_ACCENTS = "".join(
    chr(code)
    for code in range(0x300, 0x2000)
    if unicodedata.combining(chr(code)) >= 200 or 10 <= unicodedata.combining(chr(code)) <= 35
)
"""What stands above or below letters of Latin, Greek and Cyrillic, and the points of Hebrew and
Arabic. Marks of other scripts, such as vowels, make other words."""

_LETTERS = str.maketrans(
    {
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "ħ": "h",
        "ł": "l",
        "\u0131": "i",
        "ŧ": "t",
        "æ": "ae",
        "œ": "oe",
        "þ": "th",
        "\u02bc": None,
        "\u2019": None,
        "'": None,
    }
)
"""Letters that have a stroke instead of an accent, and apostrophes, which people leave out."""

_NO_ACCENTS = str.maketrans(dict.fromkeys(_ACCENTS))
_MARKS = "".join(
    chr(code)
    for code in range(0x300, 0x11000)
    if unicodedata.category(chr(code)) in ("Mn", "Mc") and chr(code) not in _ACCENTS
)
_WORD = re.compile(rf"(?:[^\W_]|[{re.escape(_MARKS)}])+")

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Letters of scripts that put no spaces between words."""


def fold(text: str) -> str:
    """The words of a text as they are compared, with single spaces between them."""
    return " ".join(words_of(text))


def words_of(text: str) -> list[str]:
    """The words of a text as they are compared."""
    text = text.casefold()
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text).translate(_NO_ACCENTS)
        text = unicodedata.normalize("NFKC", text).casefold()
    return _WORD.findall(text.translate(_LETTERS))


def beginnings(word: str) -> list[str]:
    """A word and, if it is written without spaces, what people may take for words within it."""
    if word.isascii() or not _UNSPACED.search(word):
        return [word]
    return [word, *(word[i:] for i in range(1, len(word)) if _UNSPACED.match(word[i]))]
