"""The paths of planted feet, and of the same feet as captured: sampled on request, kept while they are true."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bpy.types import Scene

from ...skeleton.feet import feet
from ...skeleton.steps import run
from ...skeleton.values import Point
from ...solver.values import Array
from .. import versions
from ..armatures import Rig
from ..scene.need import SampleNeed
from ..scene.sampling import Sampler
from ..session import session
from ..settings.key_settings import Sampling
from . import captured_action, contact_runs
from .captured_limbs import PlantChoices, captured_limbs
from .feet import found_limbs, names_by_end


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FootPaths:
    """Of all feet of one character that have contacts.

    action : `session_uid` of the one that it played
    frames : (n,)
    planted, captured : by the name of the end bone (n, 2, 3), ball and heel in the world
    """

    action: int
    frames: Array
    planted: Mapping[str, Array]
    captured: Mapping[str, Array]


# By `session_uid` of armature objects.
_known: dict[int, FootPaths] = session.of_state({})


def paths(rig: Rig) -> FootPaths | None:
    """Those that were sampled, if they are still what the armature plays."""
    found, action = _known.get(rig.session_uid), versions.played(rig)[0]
    return found if found and action and action.session_uid == found.action else None


def forget(rig: Rig) -> None:
    """Show none."""
    _known.pop(rig.session_uid, None)


def sample(rig: Rig, scene: Scene) -> None:
    """Sample the feet that have contacts, from the first key of their limbs to the last; nothing is written.

    raises : Refused where their limbs cannot be read or evaluated
    """
    ends = contact_runs.rows(rig)
    names = [name for end, name in names_by_end(rig, found_limbs(rig)).items() if end in ends]
    read = captured_limbs(rig, PlantChoices(names=names), scene)
    those = [foot for foot in read.feet if foot.is_planted]
    need = SampleNeed.at(Point(rig, place.bone) for foot in those for place in foot.points)

    def points(player: Rig) -> dict[str, Array]:
        with Sampler(replace(read.plan, rig=player), Sampling.AUTO) as sampler:
            samples = run(sampler.of(need.of(rig, player))).of(player, rig)
        places = feet.contact_points(samples, those, len(read.plan.frames))
        return {foot.chain.end.name: places[:, column] for column, foot in enumerate(those)}

    planted = points(rig)
    with captured_action.playing(rig, read.source) as player:
        captured = points(player)
    action = versions.played(rig)[0]
    _known[rig.session_uid] = FootPaths(
        action=action.session_uid, frames=read.plan.frames, planted=planted, captured=captured
    )
