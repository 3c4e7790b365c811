"""Transforms of bones and objects as Blender composes them."""
