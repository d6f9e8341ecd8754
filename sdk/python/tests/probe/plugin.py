"""Asks the real host everything once, for sdk/python/check: what the unit tests see through a fake has to be so in a
component."""

import datetime
import logging
import random
import time
from collections.abc import Callable
from typing import Any

from espejote import (
    Failure,
    NotReady,
    Object,
    Plugin,
    desired,
    dumps,
    invocation,
    library,
    provided,
    report,
    state,
    trigger,
)

plugin = Plugin(schema={"type": "object"})

#: Runs when the plugin is built.
BUILT_RANDOM, BUILT_AT = random.random(), time.time()
calls = 0


@plugin.reconcile
def reconcile() -> None:
    global calls
    calls += 1
    body = BODIES.get(trigger.name() or "", emit)
    body()


def numbers() -> None:
    desired.apply(config_map("numbers", {"text": dumps(library.read_json("files/numbers.json"))}))


def draw() -> None:
    drawn = {"built": BUILT_RANDOM, "drawn": [random.random(), random.random()]}
    desired.apply(config_map("random", drawn))


def throw() -> None:
    {}["field"]  # type: ignore[index]


def wait() -> None:
    report.requeue_after(5)
    raise NotReady("not yet")


def pass_wrong_type() -> None:
    state.context(7)  # type: ignore[arg-type]


def import_late() -> None:
    import decimal

    print(decimal)


def leave() -> None:
    raise SystemExit(3)


def recurse() -> None:
    recurse()


def exhaust() -> None:
    kept = []
    while True:
        kept.append("x" * 1_000_000)


def emit() -> None:
    invocation.keep_instance()
    print("a line")
    logging.getLogger("probe").debug("a line", extra={"fields": 1})
    desired.apply(config_map("looked", look()), force=True, field_manager="m", field_manager_suffix=":s", field_validation="warn")
    with desired.group("abort"):
        desired.apply(config_map("grouped", {}), subresource="status")
        with desired.group():
            desired.delete({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "gone"}})
    desired.delete(
        config_map("old", {}),
        grace_period_seconds=0,
        propagation_policy="foreground",
        precondition_uid="u",
        precondition_resource_version="7",
    )
    report.message("told")
    report.condition("Probed", None, "Asked", "m")
    report.waiting("Asked", "w")


def look() -> Object:
    maps = state.context("config-maps")

    def named(indices: Any) -> list[str]:
        return [f"{id.namespace}/{id.name}" for id in maps.ids(indices)]

    owner, event = invocation.owner(), trigger.event()
    return {
        "calls": calls,
        "contexts": [state.names(), provided.names(), provided.get("sum")],
        "config": invocation.config(),
        "owner": [str(owner.id), owner.reference()],
        "trigger": [trigger.name(), event and str(event), trigger.object()],
        "names": named(maps.indices()),
        "selected": [
            named(maps.select("app")),
            named(maps.select("app=web", namespace="other")),
            named(maps.select(namespace="one")),
        ],
        "found": [maps.find("one", "b"), maps.find("one", "z")],
        "values": maps.values(maps.indices(), "/metadata/labels/app"),
        "read": [maps.get("one", "b"), len(maps.scan(0, 1)), len(list(maps))],
        "revisions": [len(set(maps.revisions())), maps.revision == state.context("config-maps").revision],
        "library": [library.read_text("files/text"), library.revision_of("files/text") == library.revision_of("files/text")],
        "errors": [
            caught(lambda: state.context("none")),
            caught(lambda: library.read("files/none")),
            caught(lambda: provided.get("none")),
            caught(lambda: maps.select("a in (")),
            caught(lambda: maps.values([0], "a")),
        ],
        "clock": datetime.datetime.now(datetime.UTC).isoformat(),
        "builtBefore": BUILT_AT != time.time(),
        "parsed": datetime.datetime.strptime("2026", "%Y").year,
        "big": dumps(2**64),
    }


def caught(ask: Callable[[], object]) -> str:
    try:
        ask()
    except Failure as failure:
        return f"{type(failure).__name__}: {failure.kind}: {failure.message}"
    return "nothing"


def config_map(name: str, seen: Object) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "seen": seen}


BODIES: dict[str, Callable[[], None]] = {
    "numbers": numbers,
    "random": draw,
    "throws": throw,
    "waits": wait,
    "wrong-type": pass_wrong_type,
    "imports-late": import_late,
    "exits": leave,
    "recursion": recurse,
    "memory": exhaust,
}
