"""Python's ``logging``, with the operator's log behind it.

In a plugin, every logger writes there; so does ``print``. The message is constant text; what varies goes into ``extra``. No
contents of Secrets. ::

    log = logging.getLogger(__name__)
    log.info("copied", extra={"namespace": namespace, "copies": copies})
"""

import logging

from espejote import host
from espejote.exact import dumps
from espejote.failure import InvalidOutput

#: What every record has; anything else came in by ``extra``.
_OF_EVERY_RECORD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class Handler(logging.Handler):
    """Writes records to the host that serves the call at hand; outside of a call, nowhere."""

    def emit(self, record: logging.LogRecord) -> None:
        """Never raises: a log line is no place to fail."""
        try:
            self._write(record)
        except Exception:  # noqa: BLE001
            self.handleError(record)

    def _write(self, record: logging.LogRecord) -> None:
        level = _level(record.levelno)
        if not host.serves_logging() or not host.logging().enabled(level):
            return
        fields = [(key, show(value)) for key, value in vars(record).items() if key not in _OF_EVERY_RECORD]
        if record.exc_info:
            fields.append(("stack", logging.Formatter().formatException(record.exc_info)))
        host.logging().log(level, record.getMessage(), fields)


def install() -> None:
    """Make the root logger write to the host. The host decides which levels are kept."""
    root = logging.getLogger()
    root.setLevel(1)
    if not any(isinstance(handler, Handler) for handler in root.handlers):
        root.addHandler(Handler())


def show(value: object) -> str:
    """Text as it is, anything else as JSON if it has some."""
    if isinstance(value, str):
        return value
    try:
        return dumps(value)
    except InvalidOutput:
        return str(value)


def _level(number: int) -> str:
    if number < logging.DEBUG:
        return "trace"
    if number < logging.INFO:
        return "debug"
    if number < logging.WARNING:
        return "info"
    return "warn" if number < logging.ERROR else "error"
