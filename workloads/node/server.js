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
const { count } = require("./count.js");

const SMALL_FILE = require("path").join(__dirname, "..", "site", "file");
const given = { host: "127.0.0.1", port: 8000, processes: 1, backlog: 2048, "keep-alive": 1 };
for (let i = 2; i < process.argv.length; i += 2) {
  const name = process.argv[i].replace(/^--/, "");
  if (!(name in given)) throw new Error(`--${name}: choose of ${Object.keys(given).join(", ")}`);
  given[name] = name === "host" ? process.argv[i + 1] : Number(process.argv[i + 1]);
}
const MOST_LOOPS = 60e9; // a minute or two, as MOST_LOOPS in workloads/app/application.py
const HERE = ["127.0.0.1", "localhost", ""];
const now = () => Number(process.hrtime.bigint()) / 1e9;
const cpuUsed = () => Object.values(process.cpuUsage()).reduce((sum, us) => sum + us / 1e6, 0);

// Whether a page of some website asks; see workloads/app/origin.py.
function foreign({ host = "", origin = "", "sec-fetch-site": site = "" }) {
  return origin !== "" || site === "cross-site" || !HERE.includes(host.split(":")[0].toLowerCase());
}

function answer(request, response) {
  const [began, used] = [now(), cpuUsed()];
  let computed = 0;
  const [path, query] = request.url.split("?", 2);
  const asked = new URLSearchParams(query);
  const [loops, wait] = ["loops", "wait"].map((name) => asked.get(name) || "0");
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
  if (foreign(request.headers)) return send(403, "");
  if (path === "/ready") return send(200, process.env.WALL_TIME_NONCE || "ready");
  if (path === "/file") {
    return fs.readFile(SMALL_FILE, (error, data) =>
      error ? send(404, `${error.message}\n`) : send(200, data),
    );
  }
  if (path !== "/") return send(404, "There is only /, /file and /ready.\n");
  if (!/^\d{1,11}$/.test(loops) || Number(loops) > MOST_LOOPS) {
    return send(400, `loops=${loops.slice(0, 40)}: give a whole number up to ${MOST_LOOPS}.\n`);
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
