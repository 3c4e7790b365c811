"""Options as typed keyword arguments: an editor shows their names and words while one writes."""

from typing import Literal, TypedDict

from bpy.types import Object, Scene


class ChainOptions(TypedDict, total=False):
    """Options of a chain under their Python names; what is left out stays, and is the default for a new chain.

    name, mute : how the list shows the chain, and whether it is left out
    root_bone, tip_bone : names of bones; "" for the end bone's parent, and for the end bone's tail
    hock_bone : the third bone of an animal's leg; "" for a limb of two bones
    target, subtarget : what the tip reaches for: an object, and its bone where it is an armature
    pole_target, pole_subtarget : towards what the chain bends
    pole_angle, hock_angle, bend_min, bend_max : radians
    pole_influence, pole_pin, pole_smoothing, softness, rotation_influence, influence : from 0 to 1
    max_stretch : from 1 to 10
    """

    name: str
    mute: bool
    root_bone: str
    tip_bone: str
    hock_bone: str
    hock: Literal["RIGID", "PARALLEL"]
    hock_angle: float
    target: Object | None
    subtarget: str
    pole_target: Object | None
    pole_subtarget: str
    pole_angle: float
    pole_influence: float
    pole_pin: float
    pole_smoothing: float
    plane: Literal["AUTO", "POLE", "AIM", "REST"]
    reference: Literal["REST", "POSE"]
    hinge_axis: Literal["AUTO", "X", "Z", "NEG_X", "NEG_Z"]
    bend: Literal["REST", "POSITIVE", "NEGATIVE", "NEAREST", "LIMITS"]
    unreachable: Literal["CLAMP", "STRETCH", "HOLD", "SKIP", "ERROR"]
    softness: float
    max_stretch: float
    use_extension_limit: bool
    use_bend_limits: bool
    bend_min: float
    bend_max: float
    use_rotation: bool
    rotation_influence: float
    reach_with: Literal["JOINT", "TAIL"]
    use_twist: bool
    influence: float


class BakeOptions(TypedDict, total=False):
    """Settings of a bake, as `bake` tells them."""

    scene: Scene | None
    keys: Literal["EVERY_FRAME", "TARGET_KEYS", "REDUCED", "SOURCE"]
    tolerance: float
    interpolation: Literal["BEZIER", "CONSTANT", "LINEAR"]
    key_type: str
    new_action: bool
    mute_constraints: bool
    sampling: Literal["AUTO", "CURVES", "ISOLATED", "SCENE"]
    measure: Literal["AUTO", "ALL", "NONE"]


class TargetOptions(TypedDict, total=False):
    """What new targets are, as `create_targets` tells it."""

    kind: Literal["EMPTIES", "BONES"]
    or_empties: bool
