import logging
import unittest
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from espejote import (
    Decision,
    Failure,
    InvalidConfig,
    InvalidInput,
    InvalidOutput,
    LibraryError,
    NotReady,
    Object,
    ObjectId,
    Plugin,
    Problem,
    Unavailable,
    admission,
    component,
    desired,
    invocation,
    library,
    provided,
    report,
    state,
    trigger,
)
from espejote.testing import Condition, Failed, Item, Line, Missing, Result, Trigger, admit, provide, run, validate


def pod(namespace: str, name: str, labels: dict[str, str] | None = None, **rest: Any) -> Object:
    metadata = {"name": name, "namespace": namespace, "labels": labels or {}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, **rest}


def config_map(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


PODS = [
    pod("shop", "b", {"app": "web"}),
    pod("lab", "z", {"app": "db"}),
    pod("shop", "a"),
    pod("shop", "c", {"app": "web", "tier": "cache"}),
]


def called(body: Callable[[], None], **given: Any) -> Result:
    plugin = Plugin()
    plugin.reconcile(body)
    return run(plugin, **given)


class Reading(unittest.TestCase):
    def looks(self, look: Callable[[], None], **given: Any) -> None:
        failure = called(look, **given).failure
        if failure is not None:
            self.fail(failure.message)

    def test_a_collection_is_ordered_selected_from_and_found_in(self) -> None:
        def look() -> None:
            pods = state.context("pods")

            def selected(selector: str, namespace: str | None = None) -> str:
                return "".join(id.name for id in pods.ids(pods.select(selector, namespace=namespace)))

            self.assertEqual(len(pods), 4)
            self.assertEqual(pods.find("shop", "b"), 2)
            self.assertIsNone(pods.find("shop", "z"))
            found = pods.get("lab", "z")
            self.assertEqual(found and found["metadata"]["labels"], {"app": "db"})
            self.assertEqual(selected(""), "zabc")
            self.assertEqual(selected("", "shop"), "abc")
            self.assertEqual(selected("app=web,tier!=cache"), "b")
            self.assertEqual(selected("app in (web, db)"), "zbc")
            self.assertEqual(selected("app notin (web)"), "za")
            self.assertEqual(selected("app,!tier"), "zb")

        self.looks(look, context={"pods": PODS})

    def test_objects_are_read_whole_page_by_page_or_a_value_of_each(self) -> None:
        def look() -> None:
            pods = state.context("pods")
            self.assertEqual([pod["metadata"]["name"] for pod in pods], ["z", "a", "b", "c", "big"])
            self.assertEqual((len(pods.scan(0, 1)), pods.scan(5, 1)), (1, []))
            self.assertEqual(pods.values(range(2), "/metadata/labels/app"), ["db", None])
            self.assertEqual(len(pods.read([4])[0]["spec"]), 300_000)
            with self.assertRaisesRegex(IndexError, "context 'pods' has 5 objects, none with index 5"):
                pods.read([5])

        self.looks(look, context={"pods": [*PODS, pod("x", "big", spec="y" * 300_000)]})

    def test_equal_contents_have_equal_revisions(self) -> None:
        revisions: list[int] = []
        for pods in (PODS, PODS[::-1], PODS[1:]):
            self.looks(lambda: revisions.append(state.context("pods").revision), context={"pods": pods})
        self.assertEqual(revisions[0], revisions[1])
        self.assertNotEqual(revisions[0], revisions[2])

    def test_a_wrong_selector_or_pointer_is_an_invalid_input_that_names_the_context(self) -> None:
        def select() -> None:
            state.context("pods").select("app in (")

        def values() -> None:
            state.context("pods").values([0], "metadata")

        for ask in (select, values):
            failure = called(ask, context={"pods": PODS}).failure
            self.assertEqual(failure and failure.kind, "invalid-input")
            self.assertRegex(failure.message if failure else "", "^context 'pods': invalid ")

    def test_a_context_that_is_not_synced_is_waited_for_and_one_that_is_not_there_has_to_be_mended(self) -> None:
        def look() -> None:
            state.context("pods")

        self.assertEqual(called(look, context={"pods": Missing("not-synced", "not yet")}).failure, Failed("not-ready", "not yet"))
        failure = called(look).failure
        self.assertEqual(failure and failure.kind, "invalid-input")

        def caught() -> None:
            with self.assertRaises(Unavailable) as raised:
                state.context("pods")
            self.assertEqual(raised.exception.reason, "forbidden")

        self.looks(caught, context={"pods": Missing("forbidden")})

    def test_trigger_owner_config_and_computed_contexts_arrive(self) -> None:
        def look() -> None:
            self.assertEqual(invocation.config(), {"size": 3})
            self.assertEqual(provided.get("sum"), [1, 2])
            with self.assertRaises(Unavailable):
                provided.get("other")
            self.assertEqual((trigger.name(), trigger.event()), ("pod", ObjectId("v1", "Pod", "shop", "a")))
            self.assertEqual(trigger.object(), pod("shop", "a"))
            reference = {"apiVersion": "espejote.io/v1alpha1", "kind": "ManagedResource", "name": "test", "uid": "u"}
            self.assertEqual(invocation.owner().reference(), reference)

        started = Trigger("pod", object=pod("shop", "a"))
        self.looks(look, config={"size": 3}, provided={"sum": [1, 2]}, trigger=started, uid="u")
        nothing = (None, None, None, None)
        self.looks(lambda: self.assertEqual((invocation.config(), trigger.name(), trigger.event(), trigger.object()), nothing))

    def test_files_of_libraries_are_read_as_bytes_text_and_json(self) -> None:
        files = {"a/t": "grüße", "a/j": '{"n":1.0}', "a/b": b"\xff", "a/x": Missing("unavailable", "later")}

        def look() -> None:
            self.assertEqual((library.read_text("a/t"), library.read_json("a/j")), ("grüße", {"n": 1}))
            for path, ask in (("a/t", library.read_json), ("a/b", library.read_text)):
                with self.assertRaises(InvalidInput):
                    ask(path)
            with self.assertRaises(LibraryError):
                library.read("a/none")
            self.assertEqual(library.revision_of("a/t"), library.revision_of("a/t"))

        self.looks(look, libraries=files)

        def read() -> None:
            library.read("a/x")

        self.assertEqual(called(read, libraries=files).failure, Failed("not-ready", "later"))


class Emitting(unittest.TestCase):
    def test_what_is_emitted_comes_back_in_order_in_its_groups_with_its_options(self) -> None:
        def emit() -> None:
            desired.apply(config_map("a"), force=False, field_manager_suffix=":x")
            with desired.group("abort"):
                desired.apply(config_map("b"))
                with desired.group():
                    desired.delete({**config_map("c"), "metadata": {"name": "c", "namespace": "n"}})
            desired.delete(ObjectId("v1", "ConfigMap", "", "d"), propagation_policy="orphan")

        result = called(emit)
        c, d = ObjectId("v1", "ConfigMap", "n", "c"), ObjectId("v1", "ConfigMap", "", "d")
        inner = Item(group=[Item(delete=c)])
        self.assertEqual(
            result.items,
            [
                Item(apply=config_map("a"), options={"force": False, "field_manager_suffix": ":x"}),
                Item(group=[Item(apply=config_map("b")), inner], on_error="abort"),
                Item(delete=d, options={"propagation_policy": "orphan"}),
            ],
        )
        self.assertEqual(result.applied, [config_map("a"), config_map("b")])
        self.assertEqual(result.deleted, [c, d])

    def test_a_group_is_closed_however_it_ends(self) -> None:
        def emit() -> None:
            with self.assertRaises(KeyError), desired.group():
                raise KeyError
            desired.apply(config_map("after"))

        self.assertEqual(called(emit).items, [Item(group=[]), Item(apply=config_map("after"))])

    def test_an_object_without_kind_or_name_or_with_something_that_is_no_json_is_an_invalid_output(self) -> None:
        for object, message in [
            ({**config_map("x"), "kind": ""}, "kind of the object to apply is ''"),
            ({"apiVersion": "v1", "kind": "Pod", "metadata": None}, "metadata.name of the object to apply is None"),
            ({**config_map("x"), "data": {"n": float("nan")}}, "ConfigMap x: data.n: nan is no JSON number"),
        ]:
            failure = called(lambda: desired.apply(object)).failure  # noqa: B023
            self.assertEqual(failure, Failed("invalid-output", message))

    def test_an_object_that_is_read_and_emitted_unchanged_has_the_same_numbers(self) -> None:
        text = '{"apiVersion":"v1","kind":"Odd","metadata":{"name":"x"},"a":9007199254740993,"b":3.0,"c":1e3,"d":-0}'
        result = called(lambda: desired.apply(library.read_json("a/b")), libraries={"a/b": text})
        self.assertEqual(result.texts, [text])

    def test_what_is_of_a_wrong_type_is_told_with_its_place_before_the_host_sees_it(self) -> None:
        wrong: list[tuple[Callable[[], Any], str]] = [
            (lambda: state.context(None), "name of a context: expected a string, got None"),  # type: ignore[arg-type]
            (lambda: state.context("pods").find("a", 7), "context 'pods', name: expected a string, got 7"),  # type: ignore[arg-type]
            (lambda: state.context("pods").read([1.5]), "context 'pods': expected an integer, 0 or more, got 1.5"),  # type: ignore[list-item]
            (lambda: state.context("pods").ids([4]), "context 'pods' has 4 objects, none with index 4"),
            (lambda: library.read(b"x"), "path of a library file: expected a string"),  # type: ignore[arg-type]
            (lambda: desired.apply(config_map("x"), force="yes"), "apply, force: expected True or False, got 'yes'"),  # type: ignore[arg-type]
            (lambda: desired.delete(config_map("x"), propagation_policy="later"), "'background' or 'foreground' or 'orphan'"),  # type: ignore[arg-type]
            (lambda: desired.group("stop").__enter__(), "policy of a group: expected 'continue' or 'abort'"),  # type: ignore[arg-type]
            (lambda: report.message(None), "message: expected a string"),  # type: ignore[arg-type]
            (lambda: report.condition("A", "yes", "R", "m"), "condition A, status: expected True or False"),  # type: ignore[arg-type]
        ]
        for ask, message in wrong:
            failure = called(ask, context={"pods": PODS}).failure
            self.assertEqual(failure and failure.kind, "internal")
            self.assertIn(message, failure.message if failure else "")


class Telling(unittest.TestCase):
    def test_reports_arrive_also_from_a_call_that_fails(self) -> None:
        def tell() -> None:
            report.message("half done")
            report.condition("Synced", None, "Unknown", "m")
            report.condition("Synced", False, "Missing", "m")
            report.waiting("Waiting", "w")
            report.requeue_after(timedelta(milliseconds=1, microseconds=500))
            report.document({"any": "thing"})
            invocation.keep_instance()
            raise NotReady("later")

        result = called(tell)
        self.assertEqual(result.failure, Failed("not-ready", "later"))
        self.assertEqual(result.conditions, {"Synced": Condition(False, "Missing", "m")})
        self.assertEqual((result.message, result.waiting, result.requeue_after), ("half done", ("Waiting", "w"), 2))
        self.assertEqual((result.document, result.kept_instance), ({"any": "thing"}, True))

    def test_times_are_seconds_and_never_negative(self) -> None:
        self.assertEqual(called(lambda: report.requeue_after(0.0015)).requeue_after, 2)
        self.assertEqual(called(lambda: report.requeue_after(10**8)).requeue_after, 2**32 - 1)
        self.assertIsNotNone(called(lambda: report.requeue_after(-1)).failure)

    def test_each_error_class_has_its_kind(self) -> None:
        for error, kind in [
            (InvalidConfig("m"), "invalid-config"),
            (InvalidInput("m"), "invalid-input"),
            (InvalidOutput("m"), "invalid-output"),
            (NotReady("m"), "not-ready"),
            (Failure("m"), "internal"),
        ]:

            def fail(error: Failure = error) -> None:
                raise error

            failure = called(fail).failure
            self.assertEqual((failure and failure.kind, failure and failure.message), (kind, "m"))

    def test_anything_else_is_internal_with_its_traceback_in_the_log(self) -> None:
        def bug() -> None:
            [][1]  # noqa: B018

        result = called(bug)
        self.assertEqual(result.failure and result.failure.kind, "internal")
        self.assertRegex(result.failure.message if result.failure else "", r"^IndexError: list index .*test_plugin.py:\d+\)$")
        self.assertIn("in bug", result.logs[0].fields["stack"])

        def ends() -> None:
            raise SystemExit(1)

        self.assertEqual((called(ends).failure or Failed("not-ready", "")).kind, "internal")

        async def later() -> None:
            pass

        failure = called(later).failure  # type: ignore[arg-type]
        self.assertIn("reconcile is asynchronous", failure.message if failure else "")

    def test_log_records_have_their_extra_as_fields(self) -> None:
        log = logging.getLogger("mine")
        line = {"namespace": "shop", "copies": 3, "of": {"a": 1}, "id": ObjectId("v1", "Pod", "a", "b")}
        result = called(lambda: log.warning("copied %s", "it", extra=line))
        fields = {"namespace": "shop", "copies": "3", "of": '{"a":1}', "id": "Pod a/b"}
        self.assertEqual(result.logs, [Line("warn", "copied it", fields)])

    def test_what_is_used_outside_of_a_call_says_why_that_cannot_be(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "during a call only"):
            state.names()


class Roles(unittest.TestCase):
    def test_an_admitter_decides_changes_and_warns(self) -> None:
        plugin = Plugin()

        @plugin.admit
        def decide(request: Object) -> Decision:
            admission.warn("careful")
            admission.annotate("seen", "yes")
            if request["operation"] == "DELETE":
                return admission.deny("not this one", code=409)
            return admission.allow(patch=[{"op": "add", "path": "/x", "value": 1}])

        allowed = admit(plugin, {"object": pod("a", "b")})
        self.assertEqual(allowed.decision, Decision(True, patch=[{"op": "add", "path": "/x", "value": 1}]))
        self.assertEqual((allowed.warnings, allowed.annotations), (["careful"], {"seen": "yes"}))
        self.assertEqual(admit(plugin, {"operation": "DELETE"}).decision, Decision(False, "not this one", 409))

    def test_a_provider_gives_a_value(self) -> None:
        plugin = Plugin()
        plugin.provide(lambda: {"sum": 3})
        self.assertEqual(provide(plugin).value, {"sum": 3})

    def test_a_config_is_checked_with_nothing_but_the_log_at_hand(self) -> None:
        plugin = Plugin(schema={"type": "object"})

        @plugin.validate
        def check(config: Any, role: str) -> Iterator[Problem]:
            logging.info("checking", extra={"role": role})
            if config["size"] > 3:
                yield Problem("/size", "at most 3")
            if config["size"] < 0:
                raise InvalidConfig("negative")
            if config["size"] == 0:
                state.names()

        self.assertEqual(validate(plugin, {"size": 1}), [])
        self.assertEqual(validate(plugin, {"size": 4}), [Problem("/size", "at most 3")])
        self.assertEqual(validate(plugin, {"size": -1}), [Problem("", "negative")])
        with self.assertRaisesRegex(Exception, "state is not there in this role"):
            validate(plugin, {"size": 0})

    def test_a_build_ends_where_roles_and_plugin_toml_differ(self) -> None:
        plugin = Plugin(schema={})
        plugin.reconcile(lambda: None)
        component.check_roles(plugin, ["reconcile", "configuration"])
        for roles, message in [(["reconcile", "configuration", "admit"], "lists the role admit"), (["reconcile"], "has the role configuration")]:
            with self.assertRaisesRegex(TypeError, message):
                component.check_roles(plugin, roles)
        with self.assertRaisesRegex(TypeError, "no Plugin named plugin"):
            component.check_roles(None, [])

    def test_a_role_has_one_function(self) -> None:
        plugin = Plugin()
        plugin.reconcile(lambda: None)
        with self.assertRaises(TypeError):
            plugin.reconcile(lambda: None)
