/* Hands and eyes before a headless Chromium, over its own protocol.

     node browser.js CHROMIUM PROFILE < STEPS

   STEPS is a list of [method, parameters] of the protocol; of each it prints what comes back, as a list. */
"use strict";

const { spawn } = require("child_process");
const [, , chromium, profile] = process.argv;
const steps = JSON.parse(require("fs").readFileSync(0, "utf8"));

const options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", `--user-data-dir=${profile}`];
const browser = spawn(chromium, [...options, "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });

function address() {
  return new Promise((found, failed) => {
    let said = "";
    browser.stderr.on("data", (data) => {
      said += data;
      const match = said.match(/DevTools listening on ws:\/\/([^/\s]+)/);
      if (match) found(match[1]);
    });
    browser.on("exit", () => failed(new Error(said)));
  });
}

async function main() {
  const pages = await (await fetch(`http://${await address()}/json/list`)).json();
  const socket = new WebSocket(pages.find((page) => page.type === "page").webSocketDebuggerUrl);
  await new Promise((open) => (socket.onopen = open));
  const waiting = new Map(), events = new Map();
  socket.onmessage = (message) => {
    const data = JSON.parse(message.data);
    if (data.method) events.get(data.method)?.();
    waiting.get(data.id)?.(data);
  };
  let number = 0;
  const call = (method, params) =>
    new Promise((done, failed) => {
      waiting.set(++number, (data) => (data.error ? failed(new Error(`${method}: ${data.error.message}`)) : done(data.result)));
      socket.send(JSON.stringify({ id: number, method, params }));
    });
  await call("Page.enable", {});
  const results = [];
  for (const [method, params] of steps) {
    const loaded = method === "Page.navigate" && new Promise((done) => events.set("Page.loadEventFired", done));
    results.push(await call(method, params));
    await loaded;
  }
  await new Promise((done) => process.stdout.write(JSON.stringify(results), done));
}

main()
  .then(() => 0, (fault) => console.error(fault) || 1)
  .then((status) => browser.kill() && process.exit(status));
