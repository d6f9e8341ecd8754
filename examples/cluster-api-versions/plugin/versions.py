"""Which version a machine pool should have next. Pure."""

import re
from dataclasses import dataclass

from espejote import Object


@dataclass(frozen=True, order=True)
class Version:
    """A version of Kubernetes, such as ``v1.31.13``; without a patch, as EKS has it, the patch is 0."""

    major: int
    minor: int
    patch: int = 0

    @classmethod
    def parse(cls, text: str) -> "Version":
        """Raises ``ValueError`` if it is no version."""
        found = re.fullmatch(r"v?(\d+)\.(\d+)(?:\.(\d+))?", text)
        if found is None:
            raise ValueError(f"{text!r} is no version of Kubernetes")
        return cls(int(found[1]), int(found[2]), int(found[3] or 0))


@dataclass(frozen=True)
class Step:
    """What to do with a pool: set this version, or wait, or nothing."""

    version: str | None = None
    #: Why it cannot go on now; it goes on by itself.
    waits: str | None = None
    #: Why it cannot go on until somebody does something.
    stuck: str | None = None


def next_step(pool: Object, control_plane: Object, versions: dict[str, str]) -> Step:
    """One minor version at a time, only once the control plane is ready, and only from a pool that is whole.

    ``versions`` has the version to use by minor version.
    """
    try:
        current = Version.parse(pool["spec"]["template"]["spec"]["version"])
        target_text = control_plane["status"].get("version") or control_plane["spec"]["version"]
        target = Version.parse(target_text)
    except (KeyError, ValueError) as error:
        return Step(stuck=f"no version to go by: {error}")
    if current == target:
        return Step()
    if current > target:
        return Step(stuck=f"{current.major}.{current.minor} is ahead of the control plane")
    if not control_plane["status"].get("ready"):
        return Step(waits="the control plane is not ready")
    if not _whole(pool):
        return Step(waits="not all of its machines are ready")
    return _hop(current, target, target_text, versions)


def _hop(current: Version, target: Version, target_text: str, versions: dict[str, str]) -> Step:
    if target.minor - current.minor <= 1:
        return Step(version=target_text)
    between = f"{current.major}.{current.minor + 1}"
    if between not in versions:
        return Step(stuck=f"the file of versions has none for {between}")
    return Step(version=versions[between])


def _whole(pool: Object) -> bool:
    ready: int = pool.get("status", {}).get("readyReplicas", 0)
    wanted: int = pool["spec"].get("replicas", 1)
    return ready >= wanted
