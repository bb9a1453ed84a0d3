"""One press on Run: the work goes on in a thread, and the page stays awake."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from labs.host.waiting import Stopped
from labs.panel.run_bar import STOPPED
from labs.records.errors import Failed, Unusable, used_up

log = logging.getLogger(__name__)

_going: Job | None = None
_lock = threading.Lock()


class Job:
    """Work that can be stopped. `ended` gets what went wrong in words, "" if nothing did; `say` has
    the words for what cannot be measured.

    One goes on at a time in a kernel; other kernels and programs wait in `labs.host.lock`.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[threading.Event], None],
        ended: Callable[[str], None],
        say: Callable[[Unusable], str] = str,
    ) -> None:
        self.name = name
        self._work = work
        self._ended = ended
        self._say = say
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"lab {name}", daemon=True)

    def start(self) -> None:
        """Begin the work. Unusable while another one goes on, or where no thread can be started."""
        global _going
        with _lock:
            if _going is not None and not _going.stopping:
                raise Unusable(
                    f"The lab “{_going.name}” is still measuring, and two at once would "
                    "measure each other. Stop it, or wait until it has ended."
                )
            try:
                self._thread.start()
            except RuntimeError as error:
                raise Unusable(used_up(error)) from None
            _going = self

    @property
    def going(self) -> bool:
        return self._thread.is_alive()

    @property
    def stopping(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        """Ask the work to end; it does within a second. Returns at once."""
        self._stop.set()

    def join(self, seconds: float) -> bool:
        """Wait for the work's end; tell whether it came."""
        self._thread.join(seconds)
        return not self.going

    def _run(self) -> None:
        global _going
        said = ""
        try:
            self._work(self._stop)
        except Stopped:
            said = STOPPED
        except Unusable as error:
            said = self._say(error)
        except Failed as error:
            said = str(error)
        except Exception as error:  # a fault of ours: the panel must say so, not fall silent
            if not (said := used_up(error)):
                log.exception("The lab %s failed", self.name)
                said = f"The lab itself failed: {type(error).__name__}: {error}. Press Run again."
        finally:
            with _lock:
                if _going is self:
                    _going = None
            self._ended(said)
