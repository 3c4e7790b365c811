"""Every operator is one undo step: undone, the scene is as it was, and redone, as it became."""

from __future__ import annotations
