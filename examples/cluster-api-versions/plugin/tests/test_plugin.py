"""The plugin as a whole, on the machine at hand."""

import unittest
from typing import Any

from espejote import Object, ObjectId
from espejote.testing import Result, Trigger, run, validate

from plugin import plugin

VERSIONS = '{"1.30": "v1.30.14", "1.31": "v1.31.13"}'


def cluster(name: str) -> Object:
    return {
        "apiVersion": "cluster.x-k8s.io/v1beta1",
        "kind": "Cluster",
        "metadata": {"name": name, "namespace": "clusters"},
        "spec": {"controlPlaneRef": {"name": f"{name}-cp"}},
    }


def control_plane(cluster: str, version: str, *, ready: bool = True) -> Object:
    return {
        "apiVersion": "controlplane.cluster.x-k8s.io/v1beta2",
        "kind": "AWSManagedControlPlane",
        "metadata": {"name": f"{cluster}-cp", "namespace": "clusters"},
        "spec": {"version": version},
        "status": {"ready": ready},
    }


def pool(name: str, cluster: str, version: str, *, ready: int = 3) -> Object:
    return {
        "apiVersion": "cluster.x-k8s.io/v1beta1",
        "kind": "MachinePool",
        "metadata": {"name": name, "namespace": "clusters", "labels": {"cluster.x-k8s.io/cluster-name": cluster}},
        "spec": {"clusterName": cluster, "replicas": 3, "template": {"spec": {"version": version}}},
        "status": {"readyReplicas": ready},
    }


def called(*pools: Object, at: str = "v1.31.13", ready: bool = True, versions: str = VERSIONS, **given: Any) -> Result:
    return run(
        plugin,
        config={"versions": "k/v.json"},
        libraries={"k/v.json": versions},
        context={
            "clusters": [cluster("dev"), cluster("prod")],
            "control-planes": [control_plane("dev", at, ready=ready), control_plane("prod", at, ready=ready)],
            "machine-pools": list(pools),
        },
        **given,
    )


def set_versions(result: Result) -> dict[str, str]:
    if result.failure is not None:
        raise AssertionError(result.failure.message)
    return {object["metadata"]["name"]: object["spec"]["template"]["spec"]["version"] for object in result.applied}


class Pools(unittest.TestCase):
    def test_a_pool_follows_its_control_plane_one_minor_version_at_a_time(self) -> None:
        result = called(pool("a", "dev", "v1.29.15"), pool("b", "dev", "v1.30.14"), pool("c", "dev", "v1.31.2"))
        self.assertEqual(set_versions(result), {"a": "v1.30.14", "b": "v1.31.13", "c": "v1.31.13"})
        self.assertEqual(result.items[0].options, {"field_manager_suffix": ":version", "force": True})
        self.assertFalse(result.conditions["InStep"].status)
        self.assertIsNone(result.waiting)

    def test_a_pool_in_step_is_left_alone(self) -> None:
        result = called(pool("a", "dev", "v1.31.13"))
        self.assertEqual(set_versions(result), {})
        self.assertTrue(result.conditions["InStep"].status)

    def test_a_pool_waits_for_its_machines_and_for_the_control_plane(self) -> None:
        rolling = called(pool("a", "dev", "v1.30.14", ready=2))
        self.assertEqual(set_versions(rolling), {})
        self.assertEqual(rolling.waiting, ("PoolsWait", "a: not all of its machines are ready"))
        upgrading = called(pool("a", "dev", "v1.30.14"), ready=False)
        self.assertEqual(upgrading.waiting, ("PoolsWait", "a: the control plane is not ready"))
        homeless = called(pool("a", "gone", "v1.30.14"))
        self.assertEqual(homeless.waiting, ("PoolsWait", "a: there is no Cluster gone"))

    def test_a_pool_that_cannot_go_on_is_told_and_stops_no_other(self) -> None:
        result = called(
            pool("ahead", "dev", "v1.32.0"),
            pool("far", "dev", "v1.27.1"),
            pool("fine", "dev", "v1.30.14"),
            pool("odd", "dev", "latest"),
        )
        self.assertEqual(set_versions(result), {"fine": "v1.31.13"})
        self.assertEqual(result.conditions["InStep"].reason, "Stuck")
        for words in ("ahead: 1.32 is ahead", "far: the file of versions has none for 1.28", "odd: no version to go by"):
            self.assertIn(words, result.conditions["InStep"].message)


class Triggers(unittest.TestCase):
    def test_a_pool_that_changes_is_looked_at_alone(self) -> None:
        pools = [pool("a", "dev", "v1.30.14"), pool("b", "dev", "v1.30.14")]
        self.assertEqual(set_versions(called(*pools, trigger=Trigger("machine-pool", object=pools[1]))), {"b": "v1.31.13"})
        gone = ObjectId("cluster.x-k8s.io/v1beta1", "MachinePool", "clusters", "gone")
        self.assertEqual(set_versions(called(*pools, trigger=Trigger("machine-pool", event=gone))), {})

    def test_a_control_plane_that_changes_moves_the_pools_of_its_cluster(self) -> None:
        changed = Trigger("control-plane", object=control_plane("prod", "v1.31.13"))
        result = called(pool("a", "dev", "v1.30.14"), pool("b", "prod", "v1.30.14"), trigger=changed)
        self.assertEqual(set_versions(result), {"b": "v1.31.13"})


class Files(unittest.TestCase):
    def test_a_file_of_versions_that_cannot_be_right_is_an_invalid_input(self) -> None:
        for text, words in [("[]", "expected an object"), ('{"1.30": 1}', "has no version"), ('{"1.30": "v1.31.0"}', "another minor")]:
            failure = called(versions=text).failure
            self.assertEqual(failure and failure.kind, "invalid-input")
            self.assertIn(words, failure.message if failure else "")

    def test_a_config_has_to_name_a_json_file(self) -> None:
        self.assertEqual(validate(plugin, {"versions": "a/b.json"}), [])
        self.assertEqual(validate(plugin, {"versions": "a/b"})[0].path, "/versions")
