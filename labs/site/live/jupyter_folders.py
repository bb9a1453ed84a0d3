"""Where Jupyter's own files are while the book is read: its configuration, and what it notes."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from jupyter_core.paths import jupyter_config_dir, jupyter_runtime_dir

from labs.host.folders import own_folder


@contextlib.contextmanager
def own_jupyter() -> Iterator[None]:
    """Set up Jupyter as the book needs it, whatever the user has configured for servers of their
    own (an address, a certificate, kernels elsewhere); JupyterLab's settings stay theirs. Where the
    home cannot be written, what Jupyter notes while it runs goes into a temporary folder."""
    # An editable install puts no files into etc/jupyter, so say where ours are.
    ours = str(Path(__file__).parent / "etc/jupyter")
    before = os.environ.get("JUPYTER_CONFIG_PATH")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, [ours, before]))
    lab = Path(jupyter_config_dir(), "lab")
    if _can_be_written(lab):
        os.environ.setdefault("JUPYTERLAB_SETTINGS_DIR", str(lab / "user-settings"))
        os.environ.setdefault("JUPYTERLAB_WORKSPACES_DIR", str(lab / "workspaces"))
    with own_folder("wall-time-jupyter-") as folder:
        os.environ["JUPYTER_CONFIG_DIR"] = str(folder)
        if not _can_be_written(Path(jupyter_runtime_dir())):
            os.environ["JUPYTER_RUNTIME_DIR"] = str(Path(folder, "runtime"))
            os.environ["JUPYTER_DATA_DIR"] = str(Path(folder, "data"))
            os.environ.setdefault("IPYTHONDIR", str(Path(folder, "ipython")))
        yield


def _can_be_written(folder: Path) -> bool:
    """Whether files can be made in a folder, which is made if it was not there."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
