"""What users can do: each operator holds its words, its properties and one call to `api`, and is named as its class.

    armature_operator : when a button can be pressed, on which armatures and chains it acts; how refusals are told
    frame_range : which range a dialog offers, and which chains it names
    progress : requests with a dialog, progress and Esc; refuses moves without a key
    chains : edit the list: add, detect, remove, move, copy settings; choose side, shares and Aligned
    takeover : Take Over IK Constraints
    targets : create, remove, snap, key, move and pin targets; which kind is usual in Pose Mode
    hold : Hold, Update Holds, Remove Hold
    bake : Solve, Flip, Bake, Check, markers, and the way to a report's frame
    plant : Plant Feet, contacts in the panel, paths of feet
    takes : Plant a Capture and Fit Scene; files that are dropped
    switch : Switch, and what lets a hidden limb show
    build : Build into Rig and Remove from Rig
    live : Live, and Drag with mouse, keys and snapping

`ui` says where their buttons are.
"""

from . import bake, build, chains, hold, live, plant, switch, takeover, takes, targets
from .armature_operator import registration

register, unregister = registration(chains, takeover, targets, hold, bake, plant, takes, switch, build, live)
