"""Works on the shots of a manifest with Tractor, a chunk of shots a task. Run it by the Python that comes with Tractor:

rmanpy two_bone_ik.tractor.py plant --manifest season.toml --output-dir planted --shots 200 --chunk-size 10

Other options go to the command as they are: --keys REDUCED. The blades need Blender, with the extension installed for
the user that runs it.
"""

import argparse
import os

import tractor.api.author as author

BLENDER = ["--background", "--factory-startup", "--addons", "bl_ext.user_default.two_bone_ik"]


def main():
    """Spool a job with a task for each chunk of shots."""
    parser = argparse.ArgumentParser(description="Spool a job that works on the shots of a manifest.")
    parser.add_argument("command", choices=["bake", "check", "snap", "plant", "switch", "build"])
    parser.add_argument("--manifest", required=True)
    parser.add_argument("--output-dir", required=True)
    parser.add_argument("--shots", type=int, required=True, help="how many shots the manifest has")
    parser.add_argument("--chunk-size", type=int, default=10, help="how many shots one Blender does before it ends")
    parser.add_argument("--blender", default="blender", help="the command that starts Blender")
    parser.add_argument("--service", default="PixarRender", help="what blades must offer")
    given, options = parser.parse_known_args()
    job = author.Job(title=f"Two-Bone IK: {given.command}", service=given.service)
    paths = ["--manifest", os.path.abspath(given.manifest), "--output-dir", os.path.abspath(given.output_dir)]
    for first in range(1, given.shots + 1, given.chunk_size):
        shots = f"{first}-{min(first + given.chunk_size - 1, given.shots)}"
        argv = [given.blender, *BLENDER, "--command", "two_bone_ik", given.command, *paths, "--shot", shots]
        job.newTask(title=f"shots {shots}", argv=[*argv, *options])
    job.spool()


main()
