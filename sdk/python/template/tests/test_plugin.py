"""Runs the plugin's code on this machine, without WebAssembly: python3 -m unittest"""

import unittest

from espejote import Object
from espejote.testing import Trigger, run

from plugin import plugin


def namespace(name: str, **labels: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


CONTEXT = {"namespaces": [namespace("lab"), namespace("shop", **{"example.com/greet": ""})]}
CONFIG = {"greeting": "Hello"}


class Greets(unittest.TestCase):
    def test_a_namespace_with_the_label_is_greeted_and_another_is_not(self) -> None:
        result = run(plugin, config=CONFIG, context=CONTEXT)
        self.assertIsNone(result.failure)
        self.assertEqual([object["data"]["greeting"] for object in result.applied], ["Hello, shop"])

    def test_a_namespace_that_changes_is_the_only_one_looked_at(self) -> None:
        changed = Trigger("namespace", object=namespace("lab"))
        self.assertEqual(run(plugin, config=CONFIG, context=CONTEXT, trigger=changed).applied, [])
