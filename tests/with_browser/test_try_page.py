"""The page *Try it* in a browser, from the file system: dragged by mouse, finger and keys, its numbers read back."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from solver import planar

CHECKOUT = Path(__file__).parents[2]
PAGE = (CHECKOUT / "out/manual/try.html").as_uri()
LENGTHS, BEND, START = (1.2, 0.9), 1, (1.1, 0.7)
VIEW = 2.7
"""The picture shows from -VIEW to VIEW along both axes."""

Browse = Callable[[list], list[dict]]
NUMBERS = """
(() => {
  const told = (name) => document.getElementById("try-" + name).textContent;
  const place = document.getElementById("try-picture").getBoundingClientRect();
  const joint = document.getElementById("try-joint");
  return {
    target: told("target-told").split(", ").map(Number),
    angles: [parseFloat(told("theta1")), parseFloat(told("theta2"))],
    joint: [Number(joint.getAttribute("cx")), -Number(joint.getAttribute("cy"))],
    lengths: [Number(told("first-said")), Number(told("second-said"))],
    bend: told("flip") === "+1" ? 1 : -1,
    status: told("status"), annulus: told("annulus"),
    left: place.left, top: place.top, width: place.width, height: place.height,
    leg: document.querySelector(".try-near").getAttribute("points"),
    page: getComputedStyle(document.querySelector(".wy-nav-content")).backgroundColor,
  };
})()
"""


def evaluated(expression: str) -> list:
    return ["Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True}]


READ = evaluated(NUMBERS)


def opened(colors: str = "light") -> Iterator[list]:
    yield ["Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": colors}]}]
    yield [
        "Emulation.setDeviceMetricsOverride",
        {"width": 1100, "height": 1600, "deviceScaleFactor": 1, "mobile": False},
    ]
    yield ["Page.navigate", {"url": PAGE}]
    yield READ


def waited(seconds: float) -> list:
    return evaluated(f"new Promise((done) => setTimeout(done, {1000 * seconds}))")


def key(name: str, code: str = "", **more: object) -> Iterator[list]:
    for kind in ("keyDown", "keyUp"):
        yield ["Input.dispatchKeyEvent", {"type": kind, "key": name, "code": code or name, **more}]


def mouse(kind: str, x: float, y: float) -> list:
    return ["Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1}]


def read(results: list[dict]) -> list[dict]:
    return [result["result"]["value"] for result in results if "value" in result.get("result", {})]


def pixel(seen: dict, x: float, y: float) -> tuple[float, float]:
    """Where a place of the picture is on the screen."""
    return (
        seen["left"] + seen["width"] * (x + VIEW) / (2.0 * VIEW),
        seen["top"] + seen["height"] * (VIEW - y) / (2.0 * VIEW),
    )


def holds(seen: dict) -> None:
    """What the page says is what the solver says of its own target, lengths and bend, to the digits that it shows."""
    solved = planar.solve(seen["lengths"], seen["target"], seen["bend"])
    assert np.abs(np.degrees(solved.angles) - seen["angles"]).max() < 0.2, seen
    assert np.abs(solved.joints[0] - seen["joint"]).max() < 2e-3, seen
    distance, inner, outer = np.hypot(*seen["target"]), abs(np.subtract(*seen["lengths"])), sum(seen["lengths"])
    assert seen["annulus"] == f"{inner:.2f} to {outer:.2f}"
    word = "too far" if distance > outer else "too close" if distance < inner else "reached"
    assert seen["status"].split(",")[0] == word
    if word != "reached":
        assert float(seen["status"].split("by ")[1]) == pytest.approx(float(solved.miss), abs=2e-3)


def test_the_page_begins_with_an_arm_that_reaches(browse: Browse) -> None:
    [seen] = read(browse([*opened()]))
    assert (seen["target"], seen["lengths"], seen["bend"]) == ([*START], [*LENGTHS], BEND)
    holds(seen)


@pytest.mark.parametrize("place", [(0.4, -1.5), (-2.2, 1.9), (0.1, 0.05)], ids=["reached", "too far", "too close"])
def test_the_target_is_dragged_by_the_mouse(browse: Browse, place: tuple[float, float]) -> None:
    [first] = read(browse([*opened()]))
    from_, to = pixel(first, *START), pixel(first, *place)
    between = [(start + end) / 2.0 for start, end in zip(from_, to, strict=True)]
    pressed = [mouse("mousePressed", *from_), mouse("mouseMoved", *between), mouse("mouseMoved", *to)]
    # A mouse that only passes moves nothing.
    after = [mouse("mouseReleased", *to), ["Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 400, "y": 400}]]
    *_, dragged, released = read(browse([*opened(), *pressed, READ, *after, READ]))
    assert np.abs(np.subtract(dragged["target"], place)).max() < 0.01
    assert released["target"] == dragged["target"]
    holds(dragged)


def test_the_target_follows_a_finger(browse: Browse) -> None:
    [first] = read(browse([*opened()]))
    steps = [*opened(), ["Emulation.setTouchEmulationEnabled", {"enabled": True}]]
    for kind, place in (("touchStart", START), ("touchMove", (0.2, 1.1)), ("touchMove", (-0.6, 1.3))):
        x, y = pixel(first, *place)
        steps.append(["Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]}])
    # Chromium hands moves of a finger on with the next picture.
    steps += [waited(0.2), READ, ["Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []}]]
    *_, dragged = read(browse(steps))
    assert np.abs(np.subtract(dragged["target"], (-0.6, 1.3))).max() < 0.01
    holds(dragged)


def test_keys_move_the_target_and_flip_the_bend(browse: Browse) -> None:
    focus = evaluated('document.getElementById("try-picture").focus()')
    steps = [*opened(), focus, *key("ArrowLeft"), *key("ArrowUp"), *key("ArrowUp", modifiers=8), READ]
    *_, moved, flipped, back = read(browse([*steps, *key("b", "KeyB"), READ, *key("Home"), READ]))
    assert moved["target"] == pytest.approx([START[0] - 0.1, START[1] + 0.11])
    assert (flipped["bend"], flipped["target"]) == (-1, moved["target"])
    assert (back["bend"], back["target"]) == (1, [*START])
    for seen in (moved, flipped, back):
        holds(seen)


def test_lengths_change_by_their_sliders(browse: Browse) -> None:
    focus = evaluated('document.getElementById("try-second").focus()')
    arrow = key("ArrowLeft", windowsVirtualKeyCode=37)
    click = evaluated('document.getElementById("try-flip").click()')
    *_, seen = read(browse([*opened(), focus, *arrow, click, READ]))
    assert seen["lengths"] == pytest.approx([1.2, 0.85])
    assert seen["bend"] == -1
    holds(seen)


def test_the_creature_walks_until_it_is_stopped(browse: Browse) -> None:
    stop = evaluated('document.getElementById("try-go").click()')
    steps = [*opened(), waited(0.5), READ, stop, waited(0.2), READ, waited(0.5), READ]
    first, later, stopped, still = read(browse(steps))
    assert first["leg"] != later["leg"]
    assert stopped["leg"] == still["leg"]


def test_the_page_is_dark_where_the_system_is(browse: Browse) -> None:
    [light], [dark] = (read(browse([*opened(colors)])) for colors in ("light", "dark"))
    assert (light["page"], dark["page"]) == ("rgb(252, 252, 252)", "rgb(29, 33, 38)")


@pytest.mark.parametrize("colors", ["light", "dark"])
def test_the_page_is_drawn(browse: Browse, colors: str) -> None:
    """Leaves out/try-light.png and out/try-dark.png; the first is the manual's picture of the page."""
    clip = {"x": 300, "y": 0, "width": 800, "height": 1400, "scale": 1}
    *_, shot = browse([*opened(colors), waited(1.5), ["Page.captureScreenshot", {"clip": clip}]])
    (CHECKOUT / f"out/try-{colors}.png").write_bytes(base64.b64decode(shot["data"]))
