"""From samples to channels: limbs on a skeleton, as arithmetic that knows no Blender."""
