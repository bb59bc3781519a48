const lines = require("readline").createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello" || message.type === "new-game") {
    console.log('{"type":"ready"}');
  } else if (message.type === "turn") {
    console.log(JSON.stringify({ type: "move", pit: String(message.legal[0]) }));
  }
});
