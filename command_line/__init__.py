"""The command `two_bone_ik`: `main` starts it, `arguments` has its options, `run_command` which exclude each other.

`run_shot` opens, works on and writes one file; a `shot` comes from the arguments or from a row of a `manifest`.
"""
