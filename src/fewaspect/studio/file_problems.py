"""What the page says of a file that cannot be read: what is wrong with it and what to do, in the words of the programs
that people have it from."""

from __future__ import annotations

import re

_PROBLEM = re.compile(
    r"^(?P<file>[^:\x22\n]{1,90}?)(?:, (?P<spot>(?:line|row|sheet|record|cell)\b[^:\n]{0,60}))?: (?P<problem>.+)$",
    re.DOTALL,
)
SAVE_AS = "Open it in Excel and save it as an Excel workbook (.xlsx) or as CSV UTF-8, then choose it again."
SMALLER = "Divide it into several smaller files."
NOT_EXPORTED = "This is no file that the studio has saved, or it is damaged. Choose a .zip that was saved with Export."

_KINDS = "Excel workbooks (.xlsx), tables as text (.csv, .tsv), plain text (.txt), .jsonl and .parquet"
_FOUND: tuple[tuple[str, str], ...] = (  # what the problem says, and what the page says; the first that fits
    (r"expected a file that ends in",
     f"The studio cannot read “{{file}}”. It reads {_KINDS}. Open it in the program that it comes from, and save it as "
     "one of these."),
    (r"with a password", "“{file}” is locked with a password. Open it in Excel, take the password away and save it."),
    (r"read in the memory and time", f"“{{file}}” is too large to be read, or damaged. {SAVE_AS}"),
    (r"an Excel workbook",
     "“{file}” cannot be opened as an Excel workbook: it is damaged, or another kind of file than its name says. "
     + SAVE_AS),
    (r"with anything in it", "No sheet of “{file}” has anything in it."),
    (r"expected a sheet (?P<wanted>.+?), found", "“{file}” has no sheet called {wanted}."),
    (r"expected (?P<wanted>\S+) cells as in the header, found (?P<there>[^\s.]+)",
     "In “{file}”{at} there are {there} cells, but {wanted} headings. A text with a comma in it must stand in "
     f"quotation marks. {SAVE_AS}"),
    (r"expected cells separated by|found one called",
     "In “{file}”{at} it cannot be told where a cell ends: quotation marks may be missing, or there is one too many. "
     f"{SAVE_AS}"),
    (r"expected texts of 1 to (?P<most>\S+) characters",
     "No row of “{file}” has a review in this column: all are empty or longer than {most} characters. Choose another "
     "column."),
    (r"NUL byte|expected text(?! in Unicode)|Unicode text|surrogate",
     f"“{{file}}”{{at}} holds something that is not text. It may be of another kind than its name says. {SAVE_AS}"),
    (r'column "labels"|"labels" is missing|column of labels|expected columns of labelled',
     "“{file}” needs two columns: “text” with the sentences, and “labels” with the aspects of each, separated by "
     "semicolons (empty where it has none)."),
    (r'"labels" must|"text" must',
     "In “{file}”{at} the text or the labels are not as expected: a sentence, and the names of its aspects with "
     "semicolons between them."),
    (r"must be a string|expected a column of texts", "“{file}” has no column with texts."),
    (r"found nothing|found an empty file|expected reviews, found none|labelled sentences .*found none",
     "“{file}” has no reviews: it is empty, or has nothing but headings."),
    (r"JSON", "“{file}”{at} is not as the studio reads .jsonl files: each line must be one review, such as "
     '{{"text": "The room was clean."}}.'),
    (r"Parquet", "“{file}” cannot be opened as a Parquet file: it is damaged, or of another kind than its name says."),
    (r"gzip|damaged data", "“{file}” is packed (.gz) and damaged. Get it once more, or unpack it before."),
    (r"at most (?P<most>\S+) MB", f"“{{file}}” is too large: {{most}} MB are the most. {SMALLER}"),
    (r"at most (?P<most>\S+) characters with all",
     "“{file}”{at} has cells that are too long: {most} characters are the most for a row. Leave columns out."),
    (r"at most (?P<most>\S+) rows, found (?P<there>[\d,…]+)",
     f"“{{file}}” has {{there}} rows; {{most}} can be imported at once. {SMALLER}"),
    (r"a column \"?(?P<wanted>.+?)\"?(?: of dates)?, found", "“{file}” has no column called “{wanted}”."),
    (r"expected a header", "“{file}” needs headings in its first row."),
)  # fmt: skip
_TIME = re.compile(r"expected a file that is read in (?P<most>\S+) seconds")
_ARCHIVE = re.compile(r"zip file|project\.json|detector\.json|in the archive", re.IGNORECASE)


def file_words(detail: str) -> str | None:
    """A problem with a file, plainly; None if it is about something else."""
    if found := _TIME.search(detail):
        return f"This file takes longer to read than {found['most']} seconds. {SMALLER}"
    if _ARCHIVE.search(detail):
        return NOT_EXPORTED
    if not (named := _PROBLEM.match(detail)):
        return None
    file, spot, problem = named["file"], named["spot"], named["problem"]
    known = spot is not None or "." in file.strip(".")
    for pattern, words in _FOUND if known or "ends in" in problem else ():
        if found := re.search(pattern, problem):
            return words.format(file=file, at=f", {spot}," if spot else "", **found.groupdict())
    return f"“{file}” cannot be read{f' at {spot}' if spot else ''}. {SAVE_AS}" if known else None
