// Works on the shots of a manifest with Flamenco, a chunk of shots a task. Put this file into the folder "scripts" beside
// flamenco-manager. The workers need the extension installed for the user that runs them.

const JOB_TYPE = {
    label: "Two-Bone IK",
    description: "Work on two-bone limbs in the shots of a manifest",
    settings: [
        { key: "command", type: "string", choices: ["bake", "check", "snap", "plant", "switch", "build"], default: "bake",
          visible: "submission", description: "What to do with each shot" },
        { key: "manifest", type: "string", subtype: "file_path", required: true, visible: "submission",
          description: "The TOML file that lists the shots, where all workers find it" },
        { key: "shots", type: "string", required: true, default: "1", visible: "submission",
          description: "Which of them, from 1 on. Examples: '7', '1-200', '3, 5-10'" },
        { key: "chunk_size", type: "int32", default: 10, propargs: { min: 1 }, visible: "submission",
          description: "How many shots one Blender does before it ends" },
        { key: "output_dir", type: "string", subtype: "dir_path", required: true, visible: "submission",
          description: "Where the files and reports that are written go" },
        { key: "setup", type: "string", subtype: "file_path", default: "", visible: "submission",
          description: "The setup file for shots that name none in the manifest" },
        { key: "keys", type: "string", default: "", visible: "submission",
          description: "Which frames get keys: EVERY_FRAME, TARGET_KEYS, REDUCED or SOURCE" },
        { key: "to", type: "string", choices: ["FK", "IK"], default: "FK",
          visible: "submission", description: "For switch: what limbs of known rigs are to show" },
        { key: "strict", type: "string", default: "", visible: "submission",
          description: "The distance by which targets may be missed; 0 for none, empty if it does not matter" },
        { key: "time_limit", type: "string", default: "", visible: "submission",
          description: "How many seconds one shot may take; empty for any time" },
    ]
};

function compileJob(job) {
    const settings = job.settings;
    for (const chunk of frameChunker(settings.shots, settings.chunk_size)) {
        const task = author.Task(`${settings.command}-${chunk}`, "blender");
        task.addCommand(author.Command("exec", {
            exe: "{blender}",
            args: [
                "--background", "--factory-startup", "--addons", "bl_ext.user_default.two_bone_ik",
                "--command", "two_bone_ik", settings.command,
                "--manifest", settings.manifest,
                "--shot", chunk,
                "--output-dir", settings.output_dir,
                // An option without a value counts as not given.
                `--setup=${settings.setup}`,
                `--keys=${settings.keys}`,
                `--to=${settings.command == "switch" ? settings.to : ""}`,
                `--strict=${settings.strict}`,
                `--time-limit=${settings.time_limit}`,
            ],
        }));
        job.addTask(task);
    }
}
