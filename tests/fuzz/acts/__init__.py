"""What users do beside baking: each file has a kind of scene, how its request is carried out, and what is true then.

A kind is a function like those in `kinds.py`. Those in `ALONE` make the whole scene by themselves, so no other kind is
applied to theirs. A request gets its arguments, the file's state before, a list for what the report owns up to, and the
scene; it yields faults.
"""

from __future__ import annotations

from . import (
    again,
    around,
    build,
    create,
    crowd,
    hock,
    hold,
    live,
    mirror,
    options,
    pin,
    plant,
    pole_pin,
    reduced,
    scales,
    switch,
    tail,
    take,
    twist,
)

KINDS = (
    *(options.keyed_options, scales.degenerate_scales, reduced.reduced, hold.hold, create.create, pin.pin),
    *(live.live, crowd.crowd, mirror.mirror, switch.switch, plant.plant),
    *(around.around, pole_pin.pole_pin, hock.hock, twist.twist, again.again, build.build, take.take, tail.tail),
)

ASKING = tuple(kind for kind in KINDS if kind not in (scales.degenerate_scales, tail.tail))
"""Those that ask for something of their own."""

ALONE = (mirror.mirror, switch.switch, plant.plant, again.again, take.take)

REQUESTS = {
    "bake_keyed": options.carry_out,
    "reduce": reduced.carry_out,
    "hold": hold.carry_out,
    "create_targets": create.carry_out,
    "pin": pin.carry_out,
    "bake_pole_pin": pole_pin.carry_out,
    "build_limbs": build.carry_out,
    "bake_hock": hock.carry_out,
    "bake_twist": twist.carry_out,
    "bake_again": again.carry_out,
    "live": live.carry_out,
    "crowd": crowd.carry_out,
    "mirror": mirror.carry_out,
    "switch": switch.carry_out,
    "plant": plant.carry_out,
    "take": take.carry_out,
}
