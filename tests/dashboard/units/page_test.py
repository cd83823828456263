"""The page on fleets that are made up: what it shows, how it is used, and what it does when nobody answers."""

import base64
import os
import sys
import tempfile
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from accessibility import barriers  # noqa: E402
from browser import Browser  # noqa: E402
from made_up_scheduler import DASHBOARD, ROOT, MadeUpScheduler, fleet, gpu, node, pod  # noqa: E402

CELL = '[data-node="{}"] [data-gpu="{}"]'
PICTURE = ROOT / "docs" / "dashboard.png"
COMPARE = """const done = arguments[2];
const patches = async (url) => {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = new OffscreenCanvas(32, 20).getContext('2d');
  canvas.imageSmoothingQuality = 'high';
  canvas.drawImage(image, 0, 0, 32, 20);
  return canvas.getImageData(0, 0, 32, 20).data;
};
Promise.all([patches(arguments[0]), patches(arguments[1])]).then(([one, other]) => {
  let sum = 0;
  for (let i = 0; i < one.length; ++i) sum += Math.abs(one[i] - other[i]);
  done(sum / one.length);
}, (error) => done(1000));"""
LONG = ("of 3 nodes none fits: 2 have too few free GPUs (TooFewGpus), 1 is cordoned; "
        "would start when team/a on node-1 ends")


def small_fleet() -> dict:
    gpus = [gpu(0, "held", "a"), gpu(1, "held", "a"), gpu(2, "shared", "s"), gpu(3), gpu(4, "releasing", "old"),
            gpu(5, "unhealthy", health="Unhealthy", healthReason="Xid 79"), gpu(6), gpu(7)]
    more = [node(f"node-{number}", [gpu(each, "held", f"train-{number}") if each < number % 6 else gpu(each)
                                    for each in range(8)]) for number in range(4, 12)]
    return fleet([node("node-1", gpus), node("node-2", [gpu(each) for each in range(8)], cordoned=True),
                  node("node-3", [gpu(each, island=None) for each in range(4)], agent=False, foreignGpus=1), *more],
                 [pod("large", message=LONG), pod("other", "Taint", "no node is tolerated")],
                 {"pod": "team/large", "node": "node-2", "since": "2026-01-01T11:00:00Z", "gpusToFree": 1,
                  "gpuIds": [0, 1]})


def difference(browser: Browser, one: Path, other: Path) -> float:
    """How far 32 x 20 patches of two pictures are apart on average, of 255: so coarse that fonts matter little."""
    images = ["data:image/png;base64," + base64.b64encode(path.read_bytes()).decode() for path in (one, other)]
    browser.open("about:blank")
    return browser.run_async(COMPARE, *images)


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, whole: dict) -> MadeUpScheduler:
        scheduler = MadeUpScheduler(whole)
        self.addCleanup(scheduler.close)
        self.addCleanup(self.browser.open, "about:blank")
        self.browser.resize(1280, 900)
        self.browser.complaints()
        self.browser.requests()
        self.browser.open(scheduler.url)
        self.browser.wait("the fleet is there", "document.querySelectorAll('.gpu').length > 0")
        return scheduler

    def text(self, selector: str) -> str:
        return self.browser.run("return document.querySelector(arguments[0])?.textContent", selector)

    def count(self, selector: str) -> int:
        return self.browser.run("return document.querySelectorAll(arguments[0]).length", selector)

    def choose(self, field: str, value: str) -> None:
        """As somebody does who changes what a field says."""
        self.browser.run("const field = document.getElementById(arguments[0]); field.value = arguments[1];"
                         "field.dispatchEvent(new Event('input'))", field, value)

    def prefer(self, scheme: str) -> None:
        self.browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def shown_nodes(self) -> list[str]:
        return self.browser.run("return [...document.querySelectorAll('[data-node]')].map((row) => row.dataset.node)")

    def test_every_gpu_has_its_state(self):
        whole = small_fleet()
        self.open(whole)
        shown = self.browser.run("return [...document.querySelectorAll('[data-node=\"node-1\"] [data-gpu]')]"
                                 ".map((cell) => cell.dataset.state)")
        self.assertEqual(shown, [each["state"] for each in whole["nodes"][0]["devices"]])
        states = [each["state"] for one in whole["nodes"] for each in one["devices"]]
        self.assertEqual(self.text("#count-held"), str(states.count("held")))
        self.assertEqual(self.text("#count-free"), str(states.count("free") - 1), "one is used by others")
        self.assertEqual(self.text("#count-foreign"), "1")
        self.assertEqual(self.text('#placeable [data-topology="any"] [data-size="4"]'), str(states.count("free") // 4))
        self.assertEqual(self.count('[data-node="node-1"] .island'), 2)
        self.assertEqual(self.count(".gpu[data-reserved]"), 2)

    def test_what_changes_is_shown_without_loading_again(self):
        scheduler = self.open(small_fleet())
        self.browser.run("window.isSamePage = true")
        scheduler.change(nodes=[node("node-1", [gpu(0, "held", "brand-new")])], nodesGone=["node-2"],
                         pods=[pod("third")], podsGone=["uid-other"])
        self.browser.wait("the new pod holds the GPU",
                          "document.querySelector(arguments[0])?.title.includes('brand-new')", CELL.format("node-1", 0))
        self.assertNotIn("node-2", self.shown_nodes())
        waiting = self.text("#waiting")
        self.assertIn("team/third", waiting)
        self.assertNotIn("team/other", waiting)
        self.assertTrue(self.browser.run("return window.isSamePage"))

    def test_a_pod_that_waits_is_explained(self):
        self.open(small_fleet())
        self.browser.click('[data-uid="uid-large"] button')
        self.browser.wait("the explanation", "document.getElementById('explanation')")
        told = self.text("#detail")
        for part in ("team/large", "TooFewGpus", "when team/a on node-1 ends", "asked for 4 GPUs"):
            self.assertIn(part, told)

    def test_a_gpu_tells_who_has_it_and_its_links(self):
        self.open(small_fleet())
        self.browser.click(CELL.format("node-1", 0))
        self.browser.wait("the links", "document.getElementById('detail').textContent.includes('NVLink ×4, 200 GB/s')")
        told = self.text("#detail")
        for part in ("GPU 0 of node-1", "team/a", "pair", "A100", "81,920 MiB", "bound, lease"):
            self.assertIn(part, told)
        self.browser.click('[data-node="node-2"] .name')
        self.browser.wait("the matrix", "document.querySelectorAll('.matrix tbody tr').length === 8")
        self.assertIn("no new pods", self.text("#detail"))

    def test_search_states_and_reasons_narrow_what_is_shown(self):
        self.open(small_fleet())
        self.browser.type("#search", "train-9")
        self.assertEqual(self.shown_nodes(), ["node-9"])
        self.assertEqual(self.count("[data-found]"), 3)
        self.assertEqual(self.text("#node-count"), "1 of 11")
        self.choose("search", "")
        self.browser.click('button[data-state="unhealthy"]')
        self.assertEqual(self.shown_nodes(), ["node-1"])
        self.assertEqual(self.count('button[data-state="unhealthy"][aria-pressed="true"]'), 1)
        self.choose("reason", "Taint")
        self.assertIn("team/other", self.text("#waiting"))
        self.assertNotIn("team/large", self.text("#waiting"))

    def test_everything_can_be_done_with_the_keyboard(self):
        self.open(small_fleet())
        self.browser.press("/")
        self.assertEqual(self.browser.focused(), "search")
        self.browser.press("Tab", "Tab")
        self.assertIn("node-1", self.browser.focused())
        self.browser.press("Right", "Right")
        self.assertEqual(self.browser.focused(), "GPU 1, held by team/a, island 0")
        self.browser.press("Down")
        self.assertEqual(self.browser.focused(), "GPU 1, free, reserved, island 0")
        self.browser.press("Enter")
        self.assertEqual(self.browser.focused(), "detail-title")
        self.browser.press("Escape")
        self.assertEqual(self.browser.focused(), "GPU 1, free, reserved, island 0")
        self.browser.press("Tab", "Tab", "Down", "Enter")
        self.browser.wait("the second pod", "document.getElementById('detail-title').textContent === 'team/other'")

    def test_screen_readers_are_told_what_things_are(self):
        self.open(small_fleet())
        self.assertEqual(self.browser.role_and_name("#grid")[0], "grid")
        self.assertEqual(self.browser.role_and_name(CELL.format("node-1", 5)),
                         ("gridcell", "GPU 5, unhealthy, Xid 79, island 1"))
        self.assertEqual(self.browser.role_and_name("#search"), ("searchbox", "Search nodes, GPUs, pods and claims"))
        self.assertEqual(self.browser.role_and_name("#connection")[0], "status")
        unnamed = self.browser.run("return [...document.querySelectorAll('button, [data-cell], select, input')]"
                                   ".filter((each) => !(each.textContent.trim() || each.labels?.length)).length")
        self.assertEqual(unnamed, 0)
        self.assertEqual(self.browser.run("return document.getElementById('grid').ariaRowCount"), "11")

    def test_nothing_stands_in_anybodys_way_in_light_and_dark(self):
        self.open(small_fleet())
        self.addCleanup(self.browser.command, "Emulation.setEmulatedMedia", features=[])
        for scheme in ("light", "dark"):
            self.prefer(scheme)
            self.assertEqual(barriers(self.browser), [], scheme)
            self.browser.click('[data-uid="uid-large"] button')
            self.browser.wait("the explanation", "document.getElementById('explanation')")
            self.assertEqual(barriers(self.browser), [], f"an explanation, {scheme}")
            self.browser.click(CELL.format("node-1", 0))
            self.browser.wait("the links", "document.getElementById('detail').textContent.includes('NVLink')")
            self.assertEqual(barriers(self.browser), [], f"a GPU, {scheme}")
            self.browser.click("#detail-close")

    def test_what_stands_in_the_way_is_found(self):
        self.open(small_fleet())
        self.browser.run("document.getElementById('search').labels[0].querySelector('span').remove();"
                         "document.getElementById('search').placeholder = '';"
                         "document.getElementById('theme').style.color = '#ccc'")
        self.assertEqual(sorted(each.split(":")[0] for each in barriers(self.browser)), ["color-contrast", "label"])

    def test_a_lost_connection_is_said_and_found_again(self):
        scheduler = self.open(small_fleet())
        self.browser.wait("live", "document.body.dataset.connection === 'live'")
        scheduler.refuses = True
        scheduler.cut()
        self.browser.wait("lost", "document.body.dataset.connection === 'lost'")
        self.assertIn("Connection lost", self.text("#connection"))
        self.browser.wait("what is shown is called old", "!document.getElementById('notice').hidden")
        self.assertIn("may have changed", self.text("#notice"))
        self.browser.wait("its age is told", "/ s old$/.test(document.getElementById('age').textContent)")
        scheduler.whole["nodes"][0]["devices"][0]["state"] = "free"
        scheduler.refuses = False
        self.browser.wait("live again", "document.body.dataset.connection === 'live'")
        self.assertEqual(self.text("#count-held"), str(self.held(scheduler)))

    def held(self, scheduler: MadeUpScheduler) -> int:
        return sum(each["state"] == "held" for one in scheduler.whole["nodes"] for each in one["devices"])

    def test_a_thousand_nodes_are_only_drawn_where_they_are_seen(self):
        whole = fleet([node(f"node-{number}", [gpu(each) for each in range(8)]) for number in range(1000)],
                      [pod(f"pod-{number}") for number in range(2000)])
        scheduler = self.open(whole)
        self.assertLess(self.browser.run("return document.querySelectorAll('.gpu').length"), 8 * 60)
        self.assertLess(self.browser.run("return document.querySelectorAll('.pod').length"), 60)
        self.browser.run("document.getElementById('grid').scrollTop = 1e9")
        self.browser.wait("the last node", "document.querySelector('[data-node=\"node-999\"]')")
        self.browser.run("document.querySelector('[data-node=\"node-999\"] [data-gpu=\"7\"]').focus()")
        scheduler.change(nodes=[node("node-999", [gpu(each, "held", "x") for each in range(8)])], nodesGone=["node-0"])
        self.browser.wait("it is held", "document.querySelector('[data-node=\"node-999\"] [data-state=\"held\"]')")
        self.assertEqual(self.browser.focused(), "GPU 7, held by team/x, island 1", "the focus stays where it was")

    def test_nothing_is_asked_of_others_and_the_console_is_silent(self):
        scheduler = self.open(small_fleet())
        self.browser.click(CELL.format("node-1", 0))
        self.browser.click("#theme")
        own = (scheduler.url, "about:", "data:")
        self.assertEqual([url for url in self.browser.requests() if not url.startswith(own)], [])
        self.assertEqual(self.browser.complaints(), [])
        refused = self.browser.run("const script = document.createElement('script');"
                                   "try { script.textContent = 'window.isBad = 1'; document.body.append(script) }"
                                   "catch { }"
                                   "return window.isBad !== 1")
        self.assertTrue(refused, "the policy lets no other script run")

    def test_dark_and_light_follow_the_system_or_the_button(self):
        self.open(small_fleet())
        page = "return getComputedStyle(document.body).backgroundColor"
        self.prefer("dark")
        self.addCleanup(self.browser.command, "Emulation.setEmulatedMedia", features=[])
        dark = self.browser.run(page)
        self.browser.click("#theme")
        self.addCleanup(self.browser.run, "localStorage.clear()")
        self.assertEqual(self.text("#theme"), "Theme: light")
        light = self.browser.run(page)
        self.assertNotEqual(dark, light)
        self.browser.click("#theme")
        self.assertEqual(self.browser.run(page), dark)

    def test_a_phone_needs_no_sideways_scrolling(self):
        self.open(small_fleet())
        self.browser.command("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=2,
                             mobile=True)
        self.addCleanup(self.browser.command, "Emulation.clearDeviceMetricsOverride")
        self.browser.wait("narrow", "innerWidth === 360 && document.documentElement.scrollWidth <= 360")
        edge = self.browser.run("return document.querySelector(arguments[0]).getBoundingClientRect().right",
                                CELL.format("node-1", 7))
        self.assertLessEqual(edge, 360)

    def test_the_page_is_small_and_of_the_files_that_are_built_in(self):
        files = sorted(DASHBOARD.iterdir())
        self.assertLess(sum(file.stat().st_size for file in files), 150_000)
        listed = (DASHBOARD.parent / "CMakeLists.txt").read_text(encoding="utf-8")
        for file in files:
            self.assertIn(f"${{page}}/{file.name}", listed)

    def test_it_looks_as_in_the_docs(self):
        since = (datetime.now(timezone.utc) - timedelta(minutes=12)).isoformat()
        whole = small_fleet()
        whole["pods"] = [each | {"created": since, "waitingSince": since} for each in whole["pods"]]
        self.open(whole)
        self.browser.resize(1280, 800)
        self.browser.wait("live", "document.body.dataset.connection === 'live'")
        if "GS_PICTURES" in os.environ:
            self.browser.picture(PICTURE)
        with tempfile.TemporaryDirectory() as folder:
            now, broken = Path(folder) / "now.png", Path(folder) / "broken.png"
            self.browser.picture(now)
            self.browser.run("document.getElementById('states').remove(); document.getElementById('grid').remove()")
            self.browser.picture(broken)
            self.assertLess(difference(self.browser, PICTURE, now), 2, "tests/dashboard/run --pictures renews it")
            self.assertGreater(difference(self.browser, PICTURE, broken), 2, "what is missing is noticed")


if __name__ == "__main__":
    unittest.main()
