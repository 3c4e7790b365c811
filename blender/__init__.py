"""What all rooms need of Blender. None of it knows limbs; `handlers` alone calls the rooms.

    armatures : what an armature object is, which of them a scene has, whether one can be edited
    extension : version and addresses, as the manifest has them
    handlers : which rooms hear that Blender has evaluated, changed the frame, undone, loaded or selected
    options : how rows of options.toml become properties; words, and refusal of a wrong one
    rna_paths : what an RNA path names: bone, owner, property, and its value
    session : tables kept while Blender runs, and when they are emptied: undo, redo, another file
    versions : all that differs between versions of Blender; which F-curves, strips and drivers play

Which room imports from which is in CONTRIBUTING.md.
"""
