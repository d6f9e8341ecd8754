"""Greets: puts a ConfigMap into each namespace with the label example.com/greet.

Code outside of functions runs when the plugin is built. Import everything here, at the top: there are no files later.
"""

from espejote import Collection, Object, Plugin, desired, invocation, report, state, trigger

plugin = Plugin(
    schema={
        "type": "object",
        "properties": {"greeting": {"type": "string", "minLength": 1}},
        "required": ["greeting"],
        "additionalProperties": False,
    }
)


@plugin.reconcile
def reconcile() -> None:
    greeting = invocation.config()["greeting"]
    namespaces = state.context("namespaces")
    greeted = namespaces.ids(chosen(namespaces))
    for namespace in greeted:
        desired.apply(config_map(namespace.name, greeting))
    report.message(f"{len(greeted)} namespaces greeted")


def chosen(namespaces: Collection) -> list[int]:
    """The namespace that started this call, if it asks to be greeted, else all that do."""
    everybody = namespaces.select("example.com/greet")
    event = trigger.event()
    if event is None:
        return everybody
    return [index for index in everybody if index == namespaces.find("", event.name)]


def config_map(namespace: str, greeting: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "{{name}}", "namespace": namespace},
        "data": {"greeting": f"{greeting}, {namespace}"},
    }
