"""Files on disk: written whole or not at all, locked, and read as TOML.

Other rooms use of it:

    atomic_write : all
    file_lock : all
    toml_file : all
"""
