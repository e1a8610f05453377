"""The files of deploy/ are what the programs that read them take, as far as Debian has those programs, and agree with each other."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

try:
    import yaml
except ImportError:
    yaml = None

ROOT = Path(__file__).resolve().parent.parent.parent
DEPLOY = ROOT / "deploy"
# What rankd has: drain.notice and drain.timeout.
DRAIN_SECONDS = 3 + 25


def needs(program: str, package: str):
    return unittest.skipUnless(shutil.which(program), f"{program} is missing: apt-get install {package}")


needs_yaml = unittest.skipUnless(yaml, "the YAML reader is missing: apt-get install python3-yaml")


def run(*words: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run(words, capture_output=True, text=True, timeout=60, **more)


def differences(wanted, found, place: str = "") -> list[str]:
    """What of `wanted` is not in `found`, which may have more."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [problem for key, value in wanted.items()
                for problem in differences(value, found.get(key), f"{place}.{key}")]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        return [problem for index, pair in enumerate(zip(wanted, found))
                for problem in differences(*pair, f"{place}[{index}]")]
    return [] if wanted == found else [f"{place}: {wanted!r} became {found!r}"]


def with_text(text: str, suffix: str, use):
    """What `use` gives for a file with this text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_text(text, encoding="utf-8")
        return use(path)


class BalancerFileTest(unittest.TestCase):
    @staticmethod
    def check(path: Path, **environment: str) -> tuple[int, str]:
        checked = run("haproxy", "-c", "-f", str(path), env=dict(os.environ, **environment))
        return checked.returncode, checked.stdout + checked.stderr

    @needs("haproxy", "haproxy")
    def test_BAL1_haproxy_finds_nothing_wrong_with_the_file(self):
        code, words = self.check(DEPLOY / "haproxy.cfg")
        self.assertEqual(code, 0, words)
        self.assertNotIn("WARNING", words)

    @needs("haproxy", "haproxy")
    def test_BAL1_haproxy_finds_planted_mistakes(self):
        text = (DEPLOY / "haproxy.cfg").read_text(encoding="utf-8")
        for right, wrong in (("balance random(2)", "balance chance(2)"), ("retry-on conn-failure", "retry-on bad-luck"),
                             ("default_backend rankd", "default_backend none")):
            self.assertIn(right, text)
            code, words = with_text(text.replace(right, wrong), ".cfg", self.check)
            self.assertNotEqual(code, 0, f"{wrong}: {words}")

    def test_BAL1_the_file_says_what_the_contract_says(self):
        text = (DEPLOY / "haproxy.cfg").read_text(encoding="utf-8")
        lines = [line.strip() for line in text.splitlines()]
        for line in ("balance random(2)", "option redispatch 1", "retries 2", "retry-on conn-failure empty-response",
                     "option httpchk GET /readyz", "option http-buffer-request", "tune.bufsize 65536"):
            self.assertIn(line, lines)
        self.assertRegex(text, r"default-server check inter 1s fall 2 ")
        self.assertNotRegex(text, r"retry-on[^\n]*(503|all-retryable|5xx)")


class UnitsTest(unittest.TestCase):
    @staticmethod
    def verify(text: str, name: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            # The program need not be installed here.
            path.write_text(text.replace("/usr/bin/rankd", "/bin/true"), encoding="utf-8")
            shutil.copy(DEPLOY / "rankd.target", folder)
            return [line for line in run("systemd-analyze", "verify", str(path)).stderr.splitlines() if "rankd" in line]

    @needs("systemd-analyze", "systemd")
    def test_systemd_finds_nothing_wrong_with_the_units(self):
        for unit in ("rankd@.service", "rankd.target"):
            self.assertEqual(self.verify((DEPLOY / unit).read_text(encoding="utf-8"), unit.replace("@", "@8081")), [], unit)

    @needs("systemd-analyze", "systemd")
    def test_systemd_finds_planted_mistakes(self):
        text = (DEPLOY / "rankd@.service").read_text(encoding="utf-8")
        for right, wrong in (("WatchdogSec=10s", "WatchdogSec=often"), ("Type=notify", "Type=notifies"),
                             ("ProtectHome=yes", "ProtectHomes=yes")):
            self.assertIn(right, text)
            self.assertNotEqual(self.verify(text.replace(right, wrong), "rankd@8081.service"), [], wrong)

    def test_systemd_waits_longer_than_a_server_drains(self):
        text = (DEPLOY / "rankd@.service").read_text(encoding="utf-8")
        self.assertGreater(int(re.search(r"TimeoutStopSec=(\d+)s", text).group(1)), DRAIN_SECONDS)


@needs_yaml
class ComposeTest(unittest.TestCase):
    @staticmethod
    def config(path: Path) -> subprocess.CompletedProcess:
        return run("docker-compose", "-f", str(path), "config")

    @needs("docker-compose", "docker-compose")
    def test_compose_takes_the_file(self):
        taken = self.config(DEPLOY / "compose.yaml")
        self.assertEqual(taken.returncode, 0, taken.stderr)
        self.assertEqual(set(yaml.safe_load(taken.stdout)["services"]), {"rankd1", "rankd2", "rankd3", "redis", "haproxy"})

    @needs("docker-compose", "docker-compose")
    def test_compose_finds_planted_mistakes(self):
        text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
        for right, wrong in (("stop_grace_period: 35s", "stop_grace_time: 35s"), ("[redis]", "[redis2]"), ("read_only: true", "read_only: [1]")):
            self.assertIn(right, text)
            self.assertNotEqual(with_text(text.replace(right, wrong), ".yaml", self.config).returncode, 0, wrong)

    def test_what_compose_gives_the_balancer_is_what_its_file_asks_for(self):
        services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
        balancer = services["haproxy"]
        asked = set(re.findall(r"presetenv (\w+)", (DEPLOY / "haproxy.cfg").read_text(encoding="utf-8")))
        self.assertEqual(set(balancer["environment"]), asked)
        servers = {name for name in services if name.startswith("rankd")}
        hosts = {address.split(":")[0] for name, address in balancer["environment"].items() if name != "RANKD_FRONT"}
        self.assertEqual(hosts, servers)
        self.assertEqual(set(balancer["depends_on"]), servers)
        front = balancer["environment"]["RANKD_FRONT"].split(":")[1]
        self.assertEqual(balancer["ports"], [f"{front}:{front}"])
        for server in servers:
            self.assertGreater(int(services[server]["stop_grace_period"].rstrip("s")), DRAIN_SECONDS)


@needs_yaml
class KubernetesTest(unittest.TestCase):
    def setUp(self):
        documents = yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8"))
        self.found = {document["kind"]: document for document in documents}
        self.pod = self.found["Deployment"]["spec"]["template"]
        (self.container,) = self.pod["spec"]["containers"]

    @staticmethod
    def read_typed(document: dict, *words: str) -> dict | str:
        """The object as kubectl reads it into its own type, which has no place for unknown fields; or what it says."""
        taken = with_text(json.dumps(document), ".json", lambda path: run("kubectl", *words, "--local", "-f", str(path), "-o", "json"))
        return json.loads(taken.stdout) if taken.returncode == 0 else taken.stderr

    # kubectl prints what it has changed only, so something that matters to nobody here is changed.
    def read_deployment(self, document: dict) -> dict | str:
        taken = self.read_typed(document, "set", "image", "rankd=another")
        if isinstance(taken, dict):
            taken["spec"]["template"]["spec"]["containers"][0]["image"] = self.container["image"]
        return taken

    def read_service(self, document: dict) -> dict | str:
        taken = self.read_typed(document, "set", "selector", "another=selector")
        if isinstance(taken, dict):
            taken["spec"]["selector"] = document["spec"]["selector"]
        return taken

    @needs("kubectl", "kubernetes-client")
    def test_kubectl_knows_every_field(self):
        self.assertEqual(differences(self.found["Deployment"], self.read_deployment(self.found["Deployment"])), [])
        self.assertEqual(differences(self.found["Service"], self.read_service(self.found["Service"])), [])

    @needs("kubectl", "kubernetes-client")
    def test_kubectl_finds_planted_mistakes(self):
        self.container["readinessProbe"]["failures"] = 2
        self.assertEqual(differences(self.found["Deployment"], self.read_deployment(self.found["Deployment"])),
                         [".spec.template.spec.containers[0].readinessProbe.failures: 2 became None"])
        self.found["Deployment"]["spec"]["replicas"] = "three"
        self.assertIsInstance(self.read_deployment(self.found["Deployment"]), str)
        self.found["Service"]["spec"]["ports"][0]["target"] = "http"
        self.assertNotEqual(differences(self.found["Service"], self.read_service(self.found["Service"])), [])

    def test_the_objects_agree_with_each_other(self):
        # No program of Debian knows the disruption budget without a cluster: it is read as YAML only.
        self.assertEqual(set(self.found), {"Deployment", "Service", "PodDisruptionBudget"})
        budget = self.found["PodDisruptionBudget"]
        self.assertEqual(budget["apiVersion"], "policy/v1")
        self.assertEqual(set(budget["spec"]), {"minAvailable", "selector"})
        labels = self.pod["metadata"]["labels"]
        for selector in (self.found["Deployment"]["spec"]["selector"]["matchLabels"], self.found["Service"]["spec"]["selector"],
                         budget["spec"]["selector"]["matchLabels"]):
            self.assertEqual(selector, labels)
        self.assertLess(budget["spec"]["minAvailable"], self.found["Deployment"]["spec"]["replicas"])
        ports = {port["name"]: port["containerPort"] for port in self.container["ports"]}
        self.assertIn(self.found["Service"]["spec"]["ports"][0]["targetPort"], ports)
        for probe in ("readinessProbe", "livenessProbe", "startupProbe"):
            self.assertIn(self.container[probe]["httpGet"]["port"], ports)
            self.assertIn(self.container[probe]["httpGet"]["path"], ("/readyz", "/livez"))
        self.assertEqual(self.container["args"][-1].rpartition(":")[2], str(ports["http"]))
        self.assertEqual({mount["name"] for mount in self.container["volumeMounts"]},
                         {volume["name"] for volume in self.pod["spec"]["volumes"]})
        self.assertGreater(self.pod["spec"]["terminationGracePeriodSeconds"], DRAIN_SECONDS)


if __name__ == "__main__":
    unittest.main()
