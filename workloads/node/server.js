// The application of the labs in node.js: GET /?loops=<int>&wait=<seconds>, /file and /ready.
//
//     node server.js --port 8000 --processes 4
//
// One process is one event loop: it computes one request at a time, and waits for any number.
// With more processes node's own cluster module starts them and deals out the connections, one
// to each in turn.
const cluster = require("cluster");
const fs = require("fs");
const http = require("http");
const path = require("path");
const { count } = require("./count.js");

const SMALL_FILE = path.join(__dirname, "..", "site", "file");
const given = { host: "127.0.0.1", port: 8000, processes: 1, backlog: 2048, "keep-alive": 1 };
for (let i = 2; i < process.argv.length; i += 2) {
  const name = process.argv[i].replace(/^--/, "");
  if (!(name in given)) throw new Error(`--${name}: choose of ${Object.keys(given).join(", ")}`);
  given[name] = name === "host" ? process.argv[i + 1] : Number(process.argv[i + 1]);
}
const now = () => Number(process.hrtime.bigint()) / 1e9;
const cpuUsed = () => Object.values(process.cpuUsage()).reduce((sum, us) => sum + us / 1e6, 0);

function answer(request, response) {
  const [began, used] = [now(), cpuUsed()];
  let computed = 0;
  const url = new URL(request.url, "http://localhost");
  const [loops, wait] = ["loops", "wait"].map((name) => url.searchParams.get(name) || "0");
  const send = (status, body) => {
    response.writeHead(status, {
      "Content-Type": "text/plain",
      "Content-Length": Buffer.byteLength(body),
      "X-Process": process.pid,
      // As of the application in Python: begin and end in seconds, CPU time, the wait asked for.
      "X-Service": [began, now(), computed, Number(wait)].map((s) => s.toFixed(6)).join(" "),
      ...(given["keep-alive"] ? {} : { Connection: "close" }),
    });
    response.end(body);
  };
  if (url.pathname === "/ready") return send(200, process.env.WALL_TIME_NONCE || "ready");
  if (url.pathname === "/file") {
    return fs.readFile(SMALL_FILE, (error, data) =>
      error ? send(404, `${error.message}\n`) : send(200, data),
    );
  }
  if (url.pathname !== "/") return send(404, "There is only /, /file and /ready.\n");
  if (!/^\d{1,11}$/.test(loops)) {
    return send(400, `loops=${loops.slice(0, 40)}: give a whole number up to 99999999999.\n`);
  }
  if (!(Number(wait) >= 0 && Number(wait) <= 60)) {
    return send(400, `wait=${wait.slice(0, 40)}: give seconds from 0 to 60.\n`);
  }
  count(Number(loops));
  computed = cpuUsed() - used; // of the whole process; whatever else it does meanwhile is little
  if (Number(wait) > 0) setTimeout(() => send(200, "done\n"), Number(wait) * 1000);
  else send(200, "done\n");
}

if (given.processes > 1 && (cluster.isPrimary || cluster.isMaster)) {
  for (let i = 0; i < given.processes; i++) cluster.fork();
  cluster.on("exit", (worker, code, signal) => {
    if (!signal) process.exit(code || 1); // it ended by itself, and so would the next
    cluster.fork(); // another for each that is killed
  });
} else {
  const server = http.createServer(answer);
  server.keepAliveTimeout = 75000;
  server.listen({ host: given.host, port: given.port, backlog: given.backlog }, () =>
    console.log(`serving in process ${process.pid}`),
  );
}
