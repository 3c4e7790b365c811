/* Two links in a plane, root at the origin, in the same closed forms as solver/planar.py. Angles are radians,
   counter-clockwise; `bend` is 1 or -1, the sign of the second angle. Out of reach, all give the closest pose. */
"use strict";

const planar = {
  /* The least and the greatest distance of the tip from the root. */
  annulus(first, second) {
    return [Math.abs(first - second), first + second];
  },

  /* The direction to the target, of length 1; along x where the target is on the root. */
  aim(x, y) {
    const distance = Math.hypot(x, y);
    return distance > 0 ? [x / distance, y / distance] : [1, 0];
  },

  /* The distance of the tip, among those that it can have, that is closest to the target's; on the root a hair above 0. */
  reach(first, second, x, y) {
    const [inner, outer] = planar.annulus(first, second);
    return Math.min(Math.max(Math.hypot(x, y), inner, outer * 2 ** -100), outer);
  },

  /* Four times the area of the triangle of both links and the reach, by Heron: no digits are lost where it is flat. */
  fourAreas(first, second, reach) {
    const sum = first + second, rest = first - second;
    return Math.sqrt((sum - reach) * (sum + reach) * ((reach - rest) * (reach + rest)));
  },

  /* By angles: of the first link from the x axis, and of the second link from the first. */
  angles(first, second, x, y, bend) {
    const [u, v] = planar.aim(x, y), reach = planar.reach(first, second, x, y);
    const sine = bend * planar.fourAreas(first, second, reach);
    const cosine = reach * reach - first * first - second * second;
    const along = cosine + 2 * first * first;
    return [Math.atan2(v * along - u * sine, u * along + v * sine), Math.atan2(sine, cosine)];
  },

  /* By circles about root and tip: where the links meet, without trigonometry. */
  joint(first, second, x, y, bend) {
    const [u, v] = planar.aim(x, y), reach = planar.reach(first, second, x, y);
    const along = (reach * reach + (first - second) * (first + second)) / (2 * reach);
    const across = (bend * planar.fourAreas(first, second, reach)) / (2 * reach);
    return [along * u + across * v, along * v - across * u];
  },

  /* Whether the target is within reach, and how far the tip stays from it. */
  status(first, second, x, y) {
    const [inner, outer] = planar.annulus(first, second), distance = Math.hypot(x, y);
    const miss = Math.max(distance - outer, inner - distance);
    if (miss <= 1e-12 * outer) return ["REACHED", 0];
    return [distance > outer ? "TOO_FAR" : "TOO_CLOSE", miss];
  },
};

if (typeof module !== "undefined") module.exports = planar;
