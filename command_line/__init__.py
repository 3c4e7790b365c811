"""The command `two_bone_ik`.

    command : registers it with Blender
    main : starts it, and turns what is raised into an exit status
    arguments : which arguments each command has, from help.toml and options.toml
    run_command : which arguments exclude each other; one shot or many, here or in workers; whether all rows are checked
    detect : the command that lists limbs and writes a setup file
    manifest : what a row means, and what it inherits; refuses wrong rows
    rows : all rows of a list, as written; how to find them without parsing each
    patterns : which files and animations a row stands for
    shot_names : how shots and their outputs are called; which names and numbers `--shot` takes
    shot : what one shot is to do, as fields, and what decides its result
    shot_options : options of keys, Plant and Switch in manifests and setup files
    text_values : reads values from text, and says what is wrong
    run_shot : the steps of one shot: open, set up, pose, write; what goes on after a refusal
    blend_file : opens .blend or take, and finds its armatures; refuses to overwrite inputs
    outputs : writes each output in the format of its suffix
    formats : which suffixes are read and written
    record : the report on disk, and whether the same was done before
    outcome : words and exit status of a shot; the table of many
    worker : other Blenders that take shots: time limit, crash, clean-up
    interrupt : how Ctrl-C and the farm's signal stop it
    standard_streams : progress, lines with escapes, and output that is not taken

What is done with limbs is in `api`, as for scripts.
"""
