"""Prints the runs in the operator's log (JSON, level debug) from an offset on: trigger, reading, evaluating, applying."""

import json
import sys

MOST_SHOWN = 12


def first_wins(pairs):
    """A span's own name follows its fields, one of which may have the same key."""
    merged = {}
    for key, value in pairs:
        merged.setdefault(key, value)
    return merged


def runs(path, offset):
    with open(path, encoding="utf-8") as log:
        log.seek(offset)
        for line in log:
            try:
                entry = json.loads(line, object_pairs_hook=first_wins)
            except ValueError:
                continue
            if entry.get("message") == "reconciled":
                yield entry


def milliseconds(entry, field):
    return f"{int(entry.get(field, 0)) / 1000:.1f} ms"


def trigger(entry):
    text = entry.get("span", {}).get("trigger", "general")
    # A key is written as trigger: namespace/name Kind; the general one is the ManagedResource itself.
    return "itself" if text == "general" else text.replace(": /", ": ")


def written(entry):
    if not entry.get("ok", True):
        return "failed"
    counts = ((int(entry.get(field, 0)), field) for field in ("applied", "deleted"))
    return ", ".join(f"{count} {field}" for count, field in counts if count) or "nothing"


def row(entry):
    span = entry.get("span", {})
    return (
        f"{span.get('namespace', '?')}/{span.get('name', '?')}",
        trigger(entry),
        milliseconds(entry, "snapshot_us"),
        milliseconds(entry, "guest_us"),
        f"{written(entry)} in {milliseconds(entry, 'apply_us')}",
    )


def main():
    table = [("ManagedResource", "triggered by", "read in", "evaluated in", "written")]
    found = [row(entry) for entry in runs(sys.argv[1], int(sys.argv[2]))]
    table += found[:MOST_SHOWN]
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    for line in table:
        print("    " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    if len(found) > MOST_SHOWN:
        print(f"    and {len(found) - MOST_SHOWN} more")


main()
