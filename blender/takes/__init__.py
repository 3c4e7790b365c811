"""Captures in files of other formats, read and written here, or by Blender's importers and exporters.

Other rooms use of it:

    animations : names
    export_take : Export, OF_ONE, WRITERS, export_take
    fit_scene : all
    import_take : READERS, import_take
    imported_apart : imported_apart
    take : Import, Taken, Up
"""
