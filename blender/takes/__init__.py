"""Captures in files of other formats, read and written here, or by Blender's importers and exporters.

    take : what is asked of an import, and what was found
    import_take : reads a capture into an empty scene: which importer, rate and range, scale
    imported_apart : imports into a scene apart, which the user's scene takes over or which goes again
    fit_scene : whether range and rate of a capture differ from the scene's; sets them
    frame_rate : the rate of files that tell none, and which usual rate a rounded one means
    animations : which of a file's animations its armatures play
    bvh : BVH as text: what is read in spite of odd spelling, and what is refused
    bvh_capture : what its numbers mean: rates, positions, turns of joints
    bvh_import : which way is up and how large; bones, names and keys as Blender's importer makes them
    bvh_motion : writes BVH with the skeleton of the file that was read
    export_take : writes results by suffix: which objects, which frames
    contact_bones : contacts as scaled bones, for programs that do not know our property
    arrays : results as NumPy arrays in one file

Other rooms use of it:

    animations : names
    export_take : Export, OF_ONE, WRITERS, export_take
    fit_scene : all
    import_take : READERS, import_take
    imported_apart : imported_apart
    take : Import, Intake, Up
"""
