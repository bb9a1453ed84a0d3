// One busy process for the calibration, as workloads/burn.py, in JavaScript.
const { count } = require("./count.js");

const CHUNK = 10000;
const now = () => Number(process.hrtime.bigint()) / 1e9;

function burn(warmSeconds, seconds) {
  const begin = now() + warmSeconds;
  while (now() < begin) count(CHUNK);
  const before = process.cpuUsage();
  let loops = 0;
  while (now() < begin + seconds) {
    count(CHUNK);
    loops += CHUNK;
  }
  const { user, system } = process.cpuUsage(before);
  return `${loops} ${(user + system) / 1e6}`;
}

console.log("ready");
require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => console.log(burn(...line.split(" ").map(Number))));
