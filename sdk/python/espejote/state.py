"""The cluster state that the manifest lists under ``context``.

All collections of a call are of one instant and do not change while it runs. They come from watches, so they may lag behind
the cluster, also behind the last writes of this plugin.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from espejote import _check, host
from espejote.exact import loads
from espejote.failure import InvalidInput
from espejote.object_id import Object, ObjectId, Revision

#: How much text iteration asks for at a time.
_PAGE_BYTES = 256 * 1024


def names() -> list[str]:
    """The names of all contexts that hold objects, in the order of the manifest; available or not."""
    return host.state().names()


def context(name: str) -> "Collection":
    """The objects of one context. Raises ``Unavailable``, which is never the same as "there are none"."""
    return Collection(name, host.state().open(_check.text(name, "name of a context")))


class Collection:
    """Objects, ordered by namespace, then name. An object is named by its index, which is good for this collection only.

    Iterating gives all objects, fetched in pages so that no more than a page of text is held at a time::

        for pod in state.context("pods"):
            phase = pod["status"]["phase"]

    Ends with the call: a collection that a kept instance uses in a later call traps.
    """

    def __init__(self, name: str, raw: host.Collection) -> None:
        self.name = name
        self._raw = raw

    def __len__(self) -> int:
        return self._raw.len()

    def __iter__(self) -> Iterator[Object]:
        start = 0
        while page := self.scan(start, _PAGE_BYTES):
            for text in page:
                yield loads(text)
            start += len(page)

    @property
    def revision(self) -> Revision:
        """Stands for the whole: equal means the same objects, the same bytes and the same indices."""
        return self._raw.revision()

    def revisions(self) -> list[Revision]:
        """The revision of every object, by index. With it a kept instance reads only what changed."""
        return self._raw.revisions()

    def indices(self) -> range:
        """All indices."""
        return range(len(self))

    def find(self, namespace: str, name: str) -> int | None:
        """The index of one object; ``namespace`` is empty for cluster-scoped kinds."""
        in_namespace = _check.text(namespace, f"{self._what}, namespace")
        return self._raw.find(in_namespace, _check.text(name, f"{self._what}, name"))

    def select(self, label_selector: str = "", *, namespace: str | None = None) -> list[int]:
        """The indices, ascending, of the objects that match a label selector written as for ``kubectl -l`` (empty: all), in
        one namespace if one is given. The host's index answers; no object is copied.

        Raises ``InvalidInput`` if it is no selector.
        """
        _check.text(label_selector, f"{self._what}, label selector")
        if namespace is not None:
            _check.text(namespace, f"{self._what}, namespace")
        with self._named():
            return self._raw.select(namespace, label_selector)

    def ids(self, indices: Iterable[int]) -> list[ObjectId]:
        """Type, namespace and name of the given objects, in the given order."""
        return self._raw.ids(self._checked(indices))

    def get(self, namespace: str, name: str) -> Object | None:
        """One object by its name."""
        index = self.find(namespace, name)
        return None if index is None else self.read([index])[0]

    def read(self, indices: Iterable[int]) -> list[Object]:
        """The given objects, in the given order. Traps if they cannot fit into the memory allowed to the instance."""
        return [loads(text) for text in self.read_text(indices)]

    def read_text(self, indices: Iterable[int]) -> list[str]:
        """As :meth:`read`, as JSON text."""
        return self._raw.read(self._checked(indices))

    def scan(self, start: int, max_bytes: int) -> list[str]:
        """The objects from ``start`` on, as JSON text: as many as fit into ``max_bytes``, but at least one. Empty only at
        the end."""
        first = _check.u32(start, f"{self._what}, start")
        return self._raw.scan(first, _check.u32(max_bytes, f"{self._what}, max_bytes"))

    def values(self, indices: Iterable[int], pointer: str) -> list[Any]:
        """The value at a JSON pointer (RFC 6901) in each of the given objects, in the given order; ``None`` where there is
        none. The host finds them, so the rest of the objects is not copied.

        Raises ``InvalidInput`` if it is no pointer.
        """
        wanted = self._checked(indices)
        _check.text(pointer, f"{self._what}, JSON pointer")
        with self._named():
            texts = self._raw.values(wanted, pointer)
        return [None if text is None else loads(text) for text in texts]

    def _checked(self, indices: Iterable[int]) -> list[int]:
        return _check.indices(indices, len(self), self._what)

    @property
    def _what(self) -> str:
        return f"context {self.name!r}"

    def _named(self) -> "_Named":
        return _Named(self.name)


class _Named:
    """Adds the context to what is wrong with a question."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> None:
        if isinstance(error, InvalidInput):
            raise InvalidInput(f"context {self._name!r}: {error.message}") from None
