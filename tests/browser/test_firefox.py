"""One journey in Firefox: code that is edited, a bet, a run and its verdict live; without Python a
chapter, whose run is replayed and on which somebody else's is dropped; and the bets on My progress.

Playwright drives no Firefox that a system has; puppeteer does, through WebDriver BiDi.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from serving import BookServer

from labs.kinds.registry import showing
from labs.recordings import store

TOLD = {"question": "how many", "unit": "req/s", "model": None, "at": "", "lab": "one-core"}
BETS = [
    TOLD | {"key": "a", "value": 14, "measured": 18.5},
    TOLD | {"key": "b", "value": 900, "measured": 318},
]
TELL = "print(In[-1].encode().hex())"
DEFINED = "def twice(n):\n    return 2 * n\n\ntwice(21)\n"
EDITED = {  # the code that is seen, and that runs, after each change
    "added": f'from labs import exercise\nexercise("3.1", seed="Ann")\n{TELL}',
    "typed": DEFINED + TELL,
    "pasted": f"{DEFINED}if True:\n    pass\n\n{TELL}",
    "undone": DEFINED + TELL,
}
FOLDER = Path(__file__).parent / "firefox"
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
INSTALL_S = 240.0
JOURNEY_S = 400.0

pytestmark = [pytest.mark.extended, pytest.mark.measures, pytest.mark.timeout(700)]


@pytest.mark.skipif(FIREFOX is None, reason="Install it with: apt-get install firefox-esr")
def test_a_reader_with_firefox(panels: BookServer, book: Path, tmp_path: Path) -> None:
    subprocess.run(
        ["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"],
        cwd=FOLDER,
        check=True,
        timeout=INSTALL_S,
    )
    chapter = (book / "1-cpu-time/one-core.html").as_uri()
    result = store.recording("many-cores")
    show = showing(result)
    recording, progress = tmp_path / "recording.json", tmp_path / "progress.json"
    shown = {"kind": "sweep", "shown": show.shown("many-cores", result)}
    recording.write_text(json.dumps(shown))
    progress.write_text(json.dumps({"book": "Wall Time", "schema": 1, "predictions": BETS}))
    pages = [panels.page("index"), chapter, str(recording), str(progress)]
    walked = subprocess.run(
        ["node", "journey.mjs", str(FIREFOX), *pages],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        timeout=JOURNEY_S,
    )
    assert walked.stdout, walked.stderr
    seen = json.loads(walked.stdout)
    assert "stopped" not in seen, seen
    assert seen["version"].startswith("firefox/")
    for change, code in EDITED.items():
        shown, ran = seen["edited"][change]
        assert ran == shown.removesuffix("\n") == code, change
    assert "You said 100" in seen["verdict"]
    assert seen["points"] == seen["rows"] == 2
    assert "You said 12.5" in seen["bet"]
    levels = seen["levels"] - 1
    assert levels > 2
    marks = [step["marks"] for step in seen["replayed"]]
    each = marks[1]  # in both plots, and at the run's speed where it was another
    assert each in (2, 4) and marks == [each * min(step, levels) for step in range(levels + 2)]
    assert all(each["said"] for each in seen["replayed"])
    assert seen["next"] == "From the start" and seen["back"]
    assert seen["dropped"] == len(show.figure(result)["data"])
    assert seen["named"] == "Saved: many-cores"
    # This browser may have kept the chapter's own bet for that page too; spaces don't break there.
    found = [
        next(at for said, *at in seen["bets"] if re.search(rf"you said {bet['value']}\s", said))
        for bet in BETS
    ]
    (low, bottom, width), (high, top, _) = found
    assert low < high and bottom > top and width > 0
    assert seen["answer"].strip()
    assert seen["scene"] >= 1 and seen["tooWide"] <= 0
    assert seen["foreign"] == seen["errors"] == []
