/* The two pictures of the page: an arm that one drags, and a creature that walks by it. The arithmetic is in planar.js. */
"use strict";

(function () {
  const SVG = "http://www.w3.org/2000/svg";
  const find = (id) => document.getElementById(id);
  const degrees = (angle) => ((angle * 180) / Math.PI).toFixed(1) + "°";
  /* The y axis of a drawing points down, that of the arithmetic up. */
  const points = (list) => list.map(([x, y]) => x.toFixed(4) + "," + (-y).toFixed(4)).join(" ");

  /* ---- The arm ---- */

  const start = { x: 1.1, y: 0.7, first: 1.2, second: 0.9, bend: 1 };
  const arm = { ...start };

  function draw() {
    const { x, y, first, second, bend } = arm;
    const [inner, outer] = planar.annulus(first, second);
    const [status, miss] = planar.status(first, second, x, y);
    const reach = planar.reach(first, second, x, y);
    const tip = planar.aim(x, y).map((part) => part * reach);
    const chain = (side) => points([[0, 0], planar.joint(first, second, x, y, side), tip]);
    const [one, two] = planar.angles(first, second, x, y, bend);

    find("try-outer").setAttribute("r", outer);
    find("try-inner").setAttribute("r", inner);
    find("try-chosen").setAttribute("points", chain(bend));
    find("try-other").setAttribute("points", chain(-bend));
    for (const [id, place] of [["try-joint", planar.joint(first, second, x, y, bend)], ["try-target", [x, y]]]) {
      find(id).setAttribute("cx", place[0]);
      find(id).setAttribute("cy", -place[1]);
    }
    find("try-picture").dataset.status = status;
    const words = { REACHED: "reached", TOO_FAR: "too far", TOO_CLOSE: "too close" };
    const told = {
      "target-told": x.toFixed(3) + ", " + y.toFixed(3),
      status: words[status] + (miss > 0 ? ", by " + miss.toFixed(3) : ""),
      theta1: degrees(one),
      theta2: degrees(two),
      annulus: inner.toFixed(2) + " to " + outer.toFixed(2),
      "first-said": first.toFixed(2),
      "second-said": second.toFixed(2),
      flip: bend > 0 ? "+1" : "−1",
    };
    for (const [name, text] of Object.entries(told)) find("try-" + name).textContent = text;
    find("try-first").value = first;
    find("try-second").value = second;
  }

  function change(values) {
    Object.assign(arm, values);
    const far = 2.6;
    arm.x = Math.min(Math.max(arm.x, -far), far);
    arm.y = Math.min(Math.max(arm.y, -far), far);
    draw();
  }

  const picture = find("try-picture");

  function follow(event) {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    change({ x: place.x, y: -place.y });
  }

  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture(event.pointerId);
    picture.focus({ preventScroll: true });
    event.preventDefault();
    follow(event);
  });
  picture.addEventListener("pointermove", (event) => {
    if (picture.hasPointerCapture(event.pointerId)) follow(event);
  });

  picture.addEventListener("keydown", (event) => {
    const step = event.shiftKey ? 0.01 : 0.1;
    const keys = {
      ArrowLeft: () => change({ x: arm.x - step }),
      ArrowRight: () => change({ x: arm.x + step }),
      ArrowUp: () => change({ y: arm.y + step }),
      ArrowDown: () => change({ y: arm.y - step }),
      b: () => change({ bend: -arm.bend }),
      Home: () => change(start),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });

  find("try-first").addEventListener("input", (event) => change({ first: Number(event.target.value) }));
  find("try-second").addEventListener("input", (event) => change({ second: Number(event.target.value) }));
  find("try-flip").addEventListener("click", () => change({ bend: -arm.bend }));

  /* ---- The creature ---- */

  const THIGH = 0.62, SHIN = 0.66, HEIGHT = 1.05, STEP = 0.9, SPEED = 0.55;
  /* A leg stands for this part of a step, then goes to its next place. The two of a pair take turns. */
  const STANDS = 0.62;
  const LEGS = [[0.75, 0], [0.75, 0.5], [-0.75, 0.25], [-0.75, 0.75]].map(([hip, phase], place) => ({
    hip,
    phase,
    line: append("polyline", place % 2 ? "near" : "far"),
    foot: append("circle", place % 2 ? "near" : "far"),
  }));
  const body = append("path", "body");
  const stones = Array.from({ length: 12 }, () => append("line", "stone"));

  function append(kind, name) {
    const item = document.createElementNS(SVG, kind);
    item.setAttribute("class", "try-" + name);
    if (kind === "circle") item.setAttribute("r", 0.05);
    find("try-walk").append(item);
    return item;
  }

  /* Where a foot is after so many steps: how far before the middle of its stand, and how high. */
  function foot(steps) {
    const part = steps - Math.floor(steps);
    if (part < STANDS) return [STEP * STANDS * (0.5 - part / STANDS), 0];
    const swing = (part - STANDS) / (1 - STANDS), eased = swing * swing * (3 - 2 * swing);
    return [STEP * STANDS * (eased - 0.5), 0.22 * Math.sin(Math.PI * swing)];
  }

  function walk(seconds) {
    const steps = (seconds * SPEED) / STEP;
    const height = HEIGHT + 0.025 * Math.sin(4 * Math.PI * steps);
    for (const leg of LEGS) {
      const [ahead, up] = foot(steps + leg.phase);
      const x = ahead, y = up - height, bend = leg.hip > 0 ? -1 : 1;
      const [knee, hinge] = planar.angles(THIGH, SHIN, x, y, bend);
      const middle = [leg.hip + THIGH * Math.cos(knee), height + THIGH * Math.sin(knee)];
      const end = [middle[0] + SHIN * Math.cos(knee + hinge), middle[1] + SHIN * Math.sin(knee + hinge)];
      leg.line.setAttribute("points", points([[leg.hip, height], middle, end]));
      leg.foot.setAttribute("cx", end[0]);
      leg.foot.setAttribute("cy", -end[1]);
    }
    const nod = 0.05 * Math.sin(4 * Math.PI * steps);
    const line = [[-1.3, 0.35 - nod], [-0.8, 0.05], [0.8, 0.05], [1.25, 0.55 + nod], [1.6, 0.45 + nod]];
    body.setAttribute("d", "M " + points(line.map(([x, y]) => [x, y + height])));
    /* A standing foot goes back by one step's stand in the time of it, and the ground with it. */
    stones.forEach((stone, place) => {
      const x = ((((place * 0.5 - STEP * steps) % 6) + 6) % 6) - 3;
      for (const [name, value] of [["x1", x], ["x2", x + 0.12], ["y1", 0.07], ["y2", 0.07]]) stone.setAttribute(name, value);
    });
  }

  let before = null, seconds = 0, goes = !matchMedia("(prefers-reduced-motion: reduce)").matches;

  function frame(now) {
    if (before !== null) seconds += Math.min(now - before, 100) / 1000;
    before = now;
    walk(seconds);
    if (goes) requestAnimationFrame(frame);
    else before = null;
  }

  find("try-go").addEventListener("click", () => {
    goes = !goes;
    find("try-go").textContent = goes ? "Stop" : "Walk";
    if (goes) requestAnimationFrame(frame);
  });
  find("try-go").textContent = goes ? "Stop" : "Walk";

  draw();
  requestAnimationFrame(frame);
})();
