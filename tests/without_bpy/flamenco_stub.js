// Flamenco as far as a job type sees it: prints the job type and the tasks that it makes of the settings, as JSON.
// node flamenco_stub.js JOB_TYPE.js SETTINGS

const fs = require("fs");
const vm = require("vm");

const [script, settings] = process.argv.slice(2);
const tasks = [];

const flamenco = {
    author: {
        Task: (name, type) => ({ name, type, commands: [], addCommand(command) { this.commands.push(command); } }),
        Command: (name, parameters) => ({ name, parameters }),
    },
    // As Flamenco: runs of numbers with a hyphen, two neighbours and all else with a comma.
    frameChunker(range, size) {
        const numbers = range.split(",").flatMap((part) => {
            const [first, last = first] = part.split("-").map(Number);
            return Array.from({ length: last - first + 1 }, (_, index) => first + index);
        });
        const chunks = [];
        for (let start = 0; start < numbers.length; start += size) {
            const part = numbers.slice(start, start + size);
            const isRun = part.length > 2 && part[part.length - 1] - part[0] === part.length - 1;
            chunks.push(isRun ? `${part[0]}-${part[part.length - 1]}` : part.join(","));
        }
        return chunks;
    },
    print() {},
};

vm.createContext(flamenco);
vm.runInContext(fs.readFileSync(script, "utf8") + "\nthis.JOB_TYPE = JOB_TYPE;", flamenco);
flamenco.compileJob({ settings: JSON.parse(settings), addTask: (task) => tasks.push(task) });
console.log(JSON.stringify({ jobType: flamenco.JOB_TYPE, tasks }));
