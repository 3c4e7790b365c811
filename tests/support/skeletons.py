"""A human skeleton with the bone names of different programs."""

from __future__ import annotations

from dataclasses import dataclass

from bpy.types import Object
from mathutils import Vector

from .rigs import Bone, armature

PARTS: dict[str, tuple[str, tuple[float, float, float]]] = {
    "hips": ("", (0, 0, 1.0)),
    "spine": ("hips", (0, 0, 1.15)),
    "chest": ("spine", (0, 0, 1.35)),
    "neck": ("chest", (0, 0, 1.5)),
    "head": ("neck", (0, 0, 1.6)),
    "collar": ("chest", (0.03, 0, 1.45)),
    "upper_arm": ("collar", (0.18, 0.02, 1.42)),
    "forearm": ("upper_arm", (0.45, 0.05, 1.4)),
    "hand": ("forearm", (0.7, 0.02, 1.38)),
    "thigh": ("hips", (0.1, 0, 0.95)),
    "shin": ("thigh", (0.11, -0.03, 0.5)),
    "foot": ("shin", (0.1, 0.02, 0.08)),
    "toe": ("foot", (0.1, -0.12, 0.02)),
}
"""Parent and head of each bone; from the collar bone on those of the left, where x is positive."""
TRUNK = ("hips", "spine", "chest", "neck", "head")


@dataclass(frozen=True, kw_only=True)
class Naming:
    """The bone names of one program.

    names : of `PARTS`, in their order; {} stands for the side
    sides : left and right
    beside : helpers, which start halfway along a bone and have no children
    within : twist bones, which start halfway along a bone and become the parent of its children
    """

    names: str
    sides: tuple[str, str]
    beside: dict[str, str]
    within: dict[str, str]

    def of(self, part: str, side: int) -> str:
        """The name of a part, on the left if `side` is 0."""
        return dict(zip(PARTS, self.names.split(), strict=True))[part].format(self.sides[side])

    @property
    def limbs(self) -> dict[str, tuple[str, str, str]]:
        """The limbs to be found: root bone, end bone and tip bone of each."""
        limbs = {"Arm": ("upper_arm", "forearm", "hand"), "Leg": ("thigh", "shin", "foot")}
        return {
            f"{limb}.{letter}": tuple(self.of(part, side) for part in parts)
            for limb, parts in limbs.items()
            for side, letter in enumerate("LR")
        }

    def armature(self) -> Object:
        """The skeleton in the open file, with these names."""
        bones: list[Bone] = []
        for side in (0, 1):
            for part in PARTS:
                if side == 0 or part not in TRUNK:
                    bones += self._bones(part, side)
        return armature(bones, "Hero")

    def _bones(self, part: str, side: int) -> list[Bone]:
        parent, _ = PARTS[part]
        head, tail = _ends(part, side)
        half = (head + tail) / 2
        name = self.of(part, side)
        carrier = self.within.get(parent, "").format(self.sides[side]) or (self.of(parent, side) if parent else "")
        bones = [Bone(name, head, half if part in self.within else tail, carrier)]
        for twists in (self.within, self.beside):
            if part in twists:
                bones.append(Bone(twists[part].format(self.sides[side]), half, tail, name))
        return bones


def naming(
    names: str, *sides: str, beside: dict[str, str] | None = None, within: dict[str, str] | None = None
) -> Naming:
    """A naming of bones with these names for left and right."""
    left, right = sides
    return Naming(names=names, sides=(left, right), beside=beside or {}, within=within or {})


def _ends(part: str, side: int) -> tuple[Vector, Vector]:
    parent, head = PARTS[part]
    after = next((place for above, place in PARTS.values() if above == part), None)
    tail = after or 1.2 * Vector(head) - 0.2 * Vector(PARTS[parent][1])
    mirror = Vector((-1 if side else 1, 1, 1))
    return Vector(head) * mirror, Vector(tail) * mirror


NAMINGS = {
    "German": naming(
        "Becken Wirbel Brust Hals Kopf Schulter_{0} Oberarm_{0} Unterarm_{0} Hand_{0} "
        "Oberschenkel_{0} Unterschenkel_{0} Fuß_{0} Zehen_{0}",
        "Links",
        "Rechts",
    ),
    "Spanish": naming(
        "Cadera Columna Pecho Cuello Cabeza Hombro_{0} Brazo_{0} Antebrazo_{0} Mano_{0} "
        "Muslo_{0} Pantorrilla_{0} Pie_{0} Dedos_{0}",
        "Izquierda",
        "Derecha",
    ),
    "French": naming(
        "Bassin Colonne Poitrine Cou Tête Épaule_{0} Bras_{0} Avant-bras_{0} Main_{0} "
        "Cuisse_{0} Mollet_{0} Pied_{0} Orteils_{0}",
        "gauche",
        "droite",
    ),
    "Chinese": naming("骨盆 脊椎 胸 颈 头 {}肩 {}上臂 {}前臂 {}手 {}大腿 {}小腿 {}脚 {}脚趾", "左", "右"),
    "Japanese": naming("センター 上半身 上半身2 首 頭 {}肩 {}腕 {}ひじ {}手首 {}足 {}ひざ {}足首 {}つま先", "左", "右"),
    "Mixamo": naming(
        "mixamorig:Hips mixamorig:Spine mixamorig:Spine1 mixamorig:Neck mixamorig:Head mixamorig:{}Shoulder "
        "mixamorig:{}Arm mixamorig:{}ForeArm mixamorig:{}Hand "
        "mixamorig:{}UpLeg mixamorig:{}Leg mixamorig:{}Foot mixamorig:{}ToeBase",
        "Left",
        "Right",
    ),
    "Unreal": naming(
        "pelvis spine_01 spine_02 neck_01 head clavicle_{0} upperarm_{0} lowerarm_{0} hand_{0} "
        "thigh_{0} calf_{0} foot_{0} ball_{0}",
        "l",
        "r",
        beside={
            "upper_arm": "upperarm_twist_01_{}",
            "forearm": "lowerarm_twist_01_{}",
            "thigh": "thigh_twist_01_{}",
            "shin": "calf_twist_01_{}",
        },
    ),
    "Unreal, twist bones in between": naming(
        "pelvis spine_01 spine_02 neck_01 head clavicle_{0} upperarm_{0} lowerarm_{0} hand_{0} "
        "thigh_{0} calf_{0} foot_{0} ball_{0}",
        "l",
        "r",
        within={"upper_arm": "upperarm_twist_01_{}", "forearm": "lowerarm_twist_01_{}", "thigh": "thigh_twist_01_{}"},
    ),
    "MotionBuilder": naming(
        "Hips Spine Spine1 Neck Head {}Shoulder {}Arm {}ForeArm {}Hand {}UpLeg {}Leg {}Foot {}ToeBase",
        "Left",
        "Right",
        within={"upper_arm": "{}ArmRoll", "forearm": "{}ForeArmRoll", "thigh": "{}UpLegRoll", "shin": "{}LegRoll"},
    ),
    "CMU, Acclaim": naming(
        "root lowerback thorax lowerneck head {0}clavicle {0}humerus {0}radius {0}wrist "
        "{0}femur {0}tibia {0}foot {0}toes",
        "l",
        "r",
    ),
    "DAZ": naming(
        "hip abdomenLower chestLower neckLower head {0}Collar {0}ShldrBend {0}ForearmBend {0}Hand "
        "{0}ThighBend {0}Shin {0}Foot {0}Toe",
        "l",
        "r",
        within={"upper_arm": "{}ShldrTwist", "forearm": "{}ForearmTwist", "thigh": "{}ThighTwist"},
    ),
    "3ds Max Biped": naming(
        "Bip01_Pelvis Bip01_Spine Bip01_Spine1 Bip01_Neck Bip01_Head Bip01_{0}_Clavicle Bip01_{0}_UpperArm "
        "Bip01_{0}_Forearm Bip01_{0}_Hand Bip01_{0}_Thigh Bip01_{0}_Calf Bip01_{0}_Foot Bip01_{0}_Toe0",
        "L",
        "R",
    ),
    "VRM": naming(
        "J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_Neck J_Bip_C_Head J_Bip_{0}_Shoulder J_Bip_{0}_UpperArm "
        "J_Bip_{0}_LowerArm J_Bip_{0}_Hand J_Bip_{0}_UpperLeg J_Bip_{0}_LowerLeg J_Bip_{0}_Foot J_Bip_{0}_ToeBase",
        "L",
        "R",
    ),
    "SMPL": naming(
        "Pelvis Spine1 Spine2 Neck Head {0}_Collar {0}_Shoulder {0}_Elbow {0}_Wrist "
        "{0}_Hip {0}_Knee {0}_Ankle {0}_Foot",
        "L",
        "R",
    ),
    "MakeHuman": naming(
        "root spine05 spine01 neck01 head clavicle.{} upperarm01.{} lowerarm01.{} wrist.{} "
        "upperleg01.{} lowerleg01.{} foot.{} toe1-1.{}",
        "L",
        "R",
        within={
            "upper_arm": "upperarm02.{}",
            "forearm": "lowerarm02.{}",
            "thigh": "upperleg02.{}",
            "shin": "lowerleg02.{}",
        },
    ),
    "Advanced Skeleton": naming(
        "Root_M Spine1_M Chest_M Neck_M Head_M Scapula_{0} Shoulder_{0} Elbow_{0} Wrist_{0} "
        "Hip_{0} Knee_{0} Ankle_{0} Toes_{0}",
        "L",
        "R",
        within={"upper_arm": "ShoulderPart1_{}", "forearm": "ElbowPart1_{}", "thigh": "HipPart1_{}"},
    ),
    "Auto-Rig Pro, as exported": naming(
        "root.x spine_01.x spine_02.x neck.x head.x shoulder.{0} arm_stretch.{0} forearm_stretch.{0} hand.{0} "
        "thigh_stretch.{0} leg_stretch.{0} foot.{0} toes_01.{0}",
        "l",
        "r",
        beside={
            "upper_arm": "arm_twist.{}",
            "forearm": "forearm_twist.{}",
            "thigh": "thigh_twist.{}",
            "shin": "leg_twist.{}",
        },
    ),
    "all in one word": naming(
        "hips spine chest neck head {}shoulder {}arm {}forearm {}hand {}upleg {}leg {}foot {}toes",
        "left",
        "right",
    ),
    "plain English, .L and .R": naming(
        "Hips Spine Chest Neck Head Shoulder.{} UpperArm.{} LowerArm.{} Hand.{} "
        "UpperLeg.{} LowerLeg.{} Foot.{} Toes.{}",
        "L",
        "R",
    ),
    "plain English, Left and Right": naming(
        "hips spine chest neck head {}_shoulder {}_arm {}_forearm {}_hand {}_leg {}_shin {}_foot {}_toes",
        "left",
        "right",
    ),
    "plain English, _l and _r": naming(
        "root spine chest neck head clav_{} arm_upper_{} arm_lower_{} hand_{} leg_upper_{} leg_lower_{} foot_{} toe_{}",
        "l",
        "r",
    ),
    "numbers": naming(
        "Hips Spine Chest Neck Head Shoulder.{} Arm1.{} Arm2.{} Hand.{} Leg1.{} Leg2.{} Foot.{} Toe.{}",
        "L",
        "R",
    ),
    "Rigify's deform bones, as exported": naming(
        "DEF-spine DEF-spine.001 DEF-spine.003 DEF-spine.004 DEF-spine.006 DEF-shoulder.{} DEF-upper_arm.{} "
        "DEF-forearm.{} DEF-hand.{} DEF-thigh.{} DEF-shin.{} DEF-foot.{} DEF-toe.{}",
        "L",
        "R",
        within={
            "upper_arm": "DEF-upper_arm.{}.001",
            "forearm": "DEF-forearm.{}.001",
            "thigh": "DEF-thigh.{}.001",
            "shin": "DEF-shin.{}.001",
        },
    ),
    "words of no language": naming(
        "a b c d e {}f {}g {}h {}i {}j {}k {}m {}n",
        "x",
        "y",
    ),
}
"""By the program, or the kind of names."""
