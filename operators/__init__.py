"""What users can do: each operator holds its words, its properties and one call to `api`, and is named as its class."""

from . import bake, build, chains, hold, live, plant, switch, takeover, takes, targets
from .armature_operator import registration

register, unregister = registration(chains, takeover, targets, hold, bake, plant, takes, switch, build, live)
