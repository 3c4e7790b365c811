"""How sentences name a frame, and an object or a bone."""

from ...skeleton.values import Point


def frame_text(frame: float) -> str:
    """A frame as users write it: 1000000, and 1.333 for a third."""
    return f"{round(float(frame), 3):.12g}"  # NumPy takes ten times as long to round one number


def point_text(point: Point) -> str:
    """An object's name, and that of its bone behind a comma."""
    return f"{point.object.name}, {point.bone}" if point.bone else point.object.name
