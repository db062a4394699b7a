// node bench/load.js <port> <seconds> <connections> <rate or 0> < body: puts load on POST /predict on this machine, from a separate
// process. Prints { requests, seconds, bad, latencies } as JSON: latencies are in milliseconds, sorted, at most 20,000 of them.
'use strict';
const autocannon = require('autocannon');
const { readFileSync } = require('node:fs');

const [port, duration, connections, rate] = process.argv.slice(2).map(Number);
const latencies = [];
let bad = 0;
const run = autocannon(
  {
    url: `http://127.0.0.1:${port}/predict`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: readFileSync(0, 'utf8'),
    connections,
    duration,
    ...(rate > 0 && { overallRate: rate }),
  },
  (error, result) => {
    if (error) throw error;
    latencies.sort((a, b) => a - b);
    // Of more latencies, evenly spaced order statistics are kept, the maximum among them.
    const { length } = latencies;
    const kept =
      length <= 20_000
        ? latencies
        : Array.from({ length: 20_000 }, (_, k) => latencies[Math.ceil(((k + 1) / 20_000) * length) - 1]);
    process.stdout.write(
      JSON.stringify({ requests: length, seconds: result.duration, bad: bad + result.errors + result.timeouts, latencies: kept }),
    );
  },
);
// autocannon's own table has whole milliseconds only.
run.on('response', (client, status, bytes, milliseconds) => {
  latencies.push(milliseconds);
  if (status !== 200) bad++;
});
