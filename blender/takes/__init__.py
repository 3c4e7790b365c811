"""Captures in files of other formats, read and written here, or by Blender's importers and exporters.

Of BVH, `bvh` parses the text, `bvh_capture` says what it means, `bvh_import` decides which way is up and how large the
capture is, and makes armature and action; `bvh_motion` writes. `import_take` has Blender read other formats, and
`export_take` write them, `arrays` as NumPy arrays; `animations` chooses among several of a file, and `frame_rate`
rounds rates.

Other rooms use of it:

    animations : names
    export_take : Export, OF_ONE, WRITERS, export_take
    fit_scene : all
    import_take : READERS, import_take
    imported_apart : imported_apart
    take : Import, Taken, Up
"""
