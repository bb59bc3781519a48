// Answers with the first legal pit, from a worker, and leaves much to be collected.
const { Worker } = require("worker_threads");
const os = require("os");

if (os.cpus().length === 0 || os.totalmem() <= 0) process.exit(3);
require("child_process").execFileSync("echo", ["hi"]);
const worker = new Worker(
  `require("worker_threads").parentPort.on("message", (message) => {
     const held = [];
     for (let i = 0; i < 64; i++) held.push(Buffer.alloc(65536));
     require("worker_threads").parentPort.postMessage(message.legal[0]);
   });`,
  { eval: true },
);
worker.on("message", (pit) => process.stdout.write(JSON.stringify({ type: "move", pit }) + "\n"));
require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "quit") process.exit(0);
    if (message.type === "turn") worker.postMessage(message);
    else if (message.type !== "game-over") process.stdout.write('{"type":"ready"}\n');
  });
