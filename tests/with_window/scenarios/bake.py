"""A limb and a moving target: open the tab, click Bake, confirm, and there are keys; one undo takes them away."""

from __future__ import annotations

from scenarios.limb import keyed_range, limb_with_target
from user import Steps, User


def scenario(user: User) -> Steps:
    limb_with_target()
    yield from user.open_sidebar("Animation")
    yield from user.click("two_bone_ik.bake")
    yield
    user.screenshot("dialog")
    yield from user.press("RET")
    yield
    user.screenshot("keys")
    assert keyed_range() == (1, 20)
    yield from user.undo()
    assert keyed_range() is None
