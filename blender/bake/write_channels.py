"""Writes channels to several objects: poses them on one frame, or keys them over the plan's frames."""

from collections.abc import Mapping, Sequence

from bpy.types import ID, Depsgraph, Object

from ...skeleton.values import Channel, Plan
from ..curves import unkeyed_edits, write
from ..settings.key_settings import DEFAULTS, KeyStyle

Channels = Mapping[Object, Sequence[Channel]]
"""What is to be written, by object."""


def pose_channels(
    plan: Plan, channels: Channels, keep: unkeyed_edits.Keep | None = None, *, shown: Depsgraph | None = None
) -> list[str]:
    """Pose without keys or with them, on the one frame of the plan; returns sentences for the report.

    keep : keeps edits where keys are inserted; None for no keys
    shown : what this shows already is not set again
    """
    for item, found in channels.items():
        write.pose(item, found, shown)
    return write_keys(plan, channels, DEFAULTS, keep) if keep else []


def key_channels(plan: Plan, channels: Channels, style: KeyStyle) -> list[str]:
    """Write the keys over the plan's frames; returns sentences for the report."""
    with unkeyed_edits.preserved() as keep:
        return write_keys(plan, channels, style, keep)


def write_keys(plan: Plan, channels: Channels, style: KeyStyle, keep: unkeyed_edits.Keep) -> list[str]:
    """The same, where several write before edits are put back."""
    notes, keyed, span = [], paths(channels), (plan.frames[0], plan.frames[-1])
    for item, found in channels.items():
        keep(item, plan.scene, keyed[item])
        notes += write.keys(item, found, span=span, style=style)
    return notes


def paths(channels: Channels) -> dict[ID, set[str]]:
    """By object the data paths of its channels."""
    return {item: {channel.path for channel in found} for item, found in channels.items()}
