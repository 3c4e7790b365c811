"""A click on a target, a bone or a row of the list: the panel stays, and acts on the limb that was chosen last."""

from __future__ import annotations

import bpy
from bl_ext.user_default.two_bone_ik.blender.status.in_hand import chain_in_hand
from mathutils import Vector
from scenarios.limb import metarig
from scenarios.pictures import SECTION, look_at, press, toggle_section
from user import COLUMNS, LAST_COLUMN, Steps, User

ACTIONS = {
    "two_bone_ik.live": COLUMNS,
    "two_bone_ik_overlay": LAST_COLUMN,
    "two_bone_ik.drag": COLUMNS,
    "two_bone_ik.bake": LAST_COLUMN,
}
"""In which columns the buttons are."""


def scenario(user: User) -> Steps:
    metarig()
    bpy.context.object.show_in_front = True
    bpy.ops.two_bone_ik.chains_detect()
    bpy.ops.two_bone_ik.create_targets()
    bpy.ops.ed.undo_push()
    bpy.context.window_manager.two_bone_ik_overlay = True
    look_at(user)
    yield from user.open_sidebar("Animation")

    # The panel stays with the target, and what it does, it does to the target's limb.
    yield from click_on(user, target("Leg.R"))
    assert bpy.context.object == bpy.data.objects["metarig"].two_bone_ik_chains["Leg.R"].target
    assert listed() == in_hand() == "Leg.R"
    user.screenshot("target")
    before = places()
    yield from drag(user)
    assert moved(before) == {"Leg.R"}, moved(before)
    user.screenshot("dragged")

    # So does an operator that menu search finds.
    before = sides()
    yield from search(user, "flip two")
    user.screenshot("searched")
    yield from user.press("RET")
    yield from user.wait()
    assert [name for name, side in sides().items() if side != before[name]] == ["Leg.R"]
    yield from user.undo()
    yield from user.wait()

    # A row of the list is chosen later than the target, and stays through undo.
    yield from click_row(user, "Arm.L")
    user.screenshot("row")
    assert listed() == in_hand() == "Arm.L"
    before = places()
    yield from drag(user)
    assert moved(before) == {"Arm.L"}, moved(before)
    yield from user.undo()
    yield from user.wait()
    assert listed() == in_hand() == "Arm.L"
    yield from user.undo()
    yield from user.wait()
    assert listed() == in_hand() == "Leg.R", (listed(), in_hand())
    yield from user.redo()
    yield from user.wait()
    assert listed() == in_hand() == "Arm.L"

    # Another target, and back through undo to the row; then a bone in Pose Mode.
    yield from click_on(user, target("Leg.L"))
    assert listed() == in_hand() == "Leg.L"
    yield from user.undo()
    yield from user.wait()
    assert listed() == in_hand() == "Arm.L"
    yield from click_on(user, bone("spine.004"))
    bpy.ops.object.mode_set(mode="POSE")
    yield from user.wait()
    yield from click_on(user, bone("shin.R"))
    assert bpy.context.active_pose_bone.name == "shin.R"
    assert listed() == in_hand() == "Leg.R"
    user.screenshot("bone")

    # A section that opens leaves the buttons above it in place.
    heights = {}
    for name, columns in ACTIONS.items():
        yield from user.move_to_top(name, columns)
        heights[name] = user.mouse[1]
    yield from toggle_section(user, "Bones")
    user.screenshot("opened")
    for name, columns in ACTIONS.items():
        yield from user.move_to_top(name, columns)
        assert user.mouse[1] == heights[name], name

    bpy.ops.object.mode_set(mode="EDIT")
    yield from user.wait()
    user.screenshot("edit")
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = None
    yield from user.wait()
    user.screenshot("nothing")
    assert in_hand() is None


def drag(user: User) -> Steps:
    """Pull the tip up."""
    yield from user.click("two_bone_ik.drag")
    yield from user.press("Z")
    yield from user.move(user.mouse[0], user.mouse[1] + 20)
    yield from user.press("RET")
    yield from user.wait()


def search(user: User, words: str) -> Steps:
    """Menu search over the viewport."""
    yield from user.point(0.3, 0.3)
    yield from user.press("F3")
    yield from user.wait()
    x, y = user.mouse
    for letter in words:
        key = "SPACE" if letter == " " else letter.upper()
        user.window.event_simulate(key, "PRESS", unicode=letter, x=x, y=y)
        user.window.event_simulate(key, "RELEASE", x=x, y=y)
        yield
    yield from user.wait()


def click_on(user: User, place: Vector) -> Steps:
    yield from user.point_at(place)
    yield from user.press("LEFTMOUSE")
    yield from user.wait()


def click_row(user: User, name: str) -> Steps:
    """In the list of chains."""
    index = bpy.data.objects["metarig"].two_bone_ik_chains.find(name)
    yield from user.move_to_top("two_bone_ik.chain_add", LAST_COLUMN)  # beside the first row
    yield from press(user.window, "LEFTMOUSE", user.sidebar.x + 80, user.mouse[1] - 11 - index * SECTION)
    yield from user.wait()


def target(chain: str) -> Vector:
    return bpy.data.objects["metarig"].two_bone_ik_chains[chain].target.matrix_world.translation


def bone(name: str) -> Vector:
    rig = bpy.data.objects["metarig"]
    posed = rig.pose.bones[name]
    return rig.matrix_world @ (posed.head + posed.tail) / 2


def places() -> dict[str, tuple[Vector, Vector]]:
    """Of each chain's target, and of its tip as Blender evaluates it."""
    rig = bpy.data.objects["metarig"].evaluated_get(bpy.context.view_layer.depsgraph)
    tips = {chain.name: rig.matrix_world @ rig.pose.bones[chain.end_bone].tail for chain in rig.two_bone_ik_chains}
    return {name: (target(name).copy(), tip) for name, tip in tips.items()}


def moved(before: dict[str, tuple[Vector, Vector]]) -> set[str]:
    """The chains whose target and tip have moved, and no other may have."""
    far = {
        (name, index)
        for name, found in places().items()
        for index, place in enumerate(found)
        if (place - before[name][index]).length > 1e-4
    }
    names = {name for name, _ in far}
    assert len(far) == 2 * len(names), far
    return names


def sides() -> dict[str, object]:
    """What tells the side to which a chain bends, by its name."""
    chains = bpy.data.objects["metarig"].two_bone_ik_chains
    return {chain.name: (chain.bend, *chain.pole_target.location) for chain in chains}


def listed() -> str:
    """The name of the row that the list shows as active."""
    rig = bpy.data.objects["metarig"]
    return rig.two_bone_ik_chains[rig.two_bone_ik_active].name


def in_hand() -> str | None:
    found = chain_in_hand(bpy.context)
    return found and found.name
