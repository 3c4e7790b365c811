"""Files on disk: written whole or not at all, locked, and read as TOML.

    atomic_write : replaces a file whole or not at all; refuses what is irregular or read-only; keeps permissions
    file_lock : lets one process at a time hold a path
    toml_file : reads and writes TOML; refuses what is unknown, with file, line or key

Other rooms use of it:

    atomic_write : all
    file_lock : all
    toml_file : all
"""
