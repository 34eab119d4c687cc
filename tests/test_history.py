"""Documents say what is; what was, and how it changed, is in the logbook, decisions and changelogs."""

import re

import pytest
from test_documents import DOCUMENTS, ROOT

CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n\s*\n|\n(?=[|*#])")
MONTH = "January|February|March|April|June|July|August|September|October|November|December"
PHRASES = (
    r"^\W*before,(?! (?:during|while))|\b(?:weights|those|versions?|series|figures|runs?) before\b",
    r"\bthan before\b|\bsince then\b|\b(?:mended|do|does|did) since\b",
    r"\bolder (?:weights|runs?|rows|series|figures|than the way)\b|\bare older\b",
    r"\bearlier (?:weights|versions?|series|runs?|figures)\b",
    r"\blater (?:code|runs?|series|versions?)\b|\bran later\b",
    r"\b(?:was|were) (?:run|taken|tried|measured|looked at) again\b|\bshipped (?:weights )?again\b",
    r"\bmended\b|\bthese mends\b|\bas now shipped\b|\bused to (?:be|have|take|do)\b|\bno longer\b",
    r"\bat (?:that|the) time\b|\bfirst (?:look|trial)\b|\b(?:last|previous) round\b",
    r"\bload (?:of )?\d|\bquiet\b|\bbeside (?:other|two|three|four) (?:work|process|series|to)",
    r"\bstopped for lack of\b|\bnot run again\b|\bhad been\b|\bhas been (?:added|renamed|removed)\b",
    r"\bmeasured at (?=[:,;|])",
    rf"\b20\d\d-\d\d-\d\d\b(?!, [A-Z] \|)|\b(?:{MONTH}) (?:\d\d?, )?20\d\d\b",
)
HISTORY = re.compile("|".join(PHRASES), re.IGNORECASE)


def sentences_of_history(text: str) -> list[str]:
    """Return the sentences, rows of tables and headings that tell what was."""
    return [" ".join(each.split()) for each in SENTENCE.split(CODE.sub("", text)) if HISTORY.search(each)]


def test_no_document_tells_history() -> None:
    documents = {str(file.relative_to(ROOT)): file for file in DOCUMENTS if "decisions" not in file.parts}
    history = {name: sentences_of_history(file.read_text()) for name, file in documents.items()}
    assert not {name: each for name, each in history.items() if each}


@pytest.mark.parametrize(("text", "count"), [("It was run again at load 5. It is so.", 1), ("It is so.", 0)])
def test_a_sentence_of_history_is_counted(text: str, count: int) -> None:
    assert len(sentences_of_history(text)) == count
