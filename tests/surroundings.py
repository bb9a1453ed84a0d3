"""Where a reader may be: in a home that nobody can write, among programs of other versions."""

import os
import shutil
from pathlib import Path


def program(file: Path, text: str) -> Path:
    """A program of these words, which can be run."""
    file.write_text(text)
    file.chmod(0o755)
    return file


def read_only(folder: Path) -> list[str]:
    """What to put before a command, for which nothing can be written there. Of root only the
    folder's contents are gone, too: no mode keeps root from writing, so an empty disk is put over
    it, which only the command sees."""
    if os.geteuid() != 0:
        folder.chmod(0o555)
        return []
    unshare, mount, sh = (shutil.which(each) for each in ("unshare", "mount", "sh"))
    assert unshare and mount and sh, "needed to test with"
    script = f'{mount} -t tmpfs -o ro none "$0" && exec "$@"'
    return [unshare, "--mount", sh, "-c", script, str(folder)]
