"""The command `two_bone_ik`: `main` starts it, `arguments` has its options, `run_command` which exclude each other.

`run_shot` opens, works on and writes one file; `blend_file` opens it, .blend or take, and finds its armatures. A `shot`
comes from the arguments or from a row of a `manifest`, which decides what goes before what, and refuses
rows that are wrong or have the same output: `--dry-run` tells of all that are. `rows` are those that were chosen,
`patterns` what they stand for, `list_names` how their results are called, `text_values` reads values, and `formats`
knows suffixes. `outcome` has the words and the exit status, `record` decides what was done before, and `worker` is one
Blender of several.
"""
