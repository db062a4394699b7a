// encode.js <lines> <out>: holds the texts or records of a file of newline-delimited JSON, and encodes them when asked by a line:
//   tfidf [words]   Encoder.fitEncode with a text field          hash     the same with 2^18 hashed columns
//   transform       encode by the encoder of the last answer     records  Encoder.fitEncode with the plan of bench/records.js
// A word `write` at the end has the matrix written to <out>, as writeCsr does. Answers { seconds, cpu, peak, rows, cols, entries, bytes }:
// peak is the resident memory in bytes at its highest, beyond what was resident before, or, if these are more, the bytes of arrays that were
// made; bytes are those of the matrix.
'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const { createInterface } = require('node:readline');
const { version } = require('../../package.json');
const { Encoder, text } = require('../..');
const { PLAN } = require('../records.js');
const { writeCsr } = require('./csr.js');

const [file, out] = process.argv.slice(2);
const records = [];
let rest = '';
for (const block of blocksOf(readFileSync(file))) {
  const lines = (rest + block).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const value = JSON.parse(line);
    records.push(typeof value === 'string' ? { text: value } : value);
  }
}

/** Texts of up to 16 MB, none of which ends within a character. */
function* blocksOf(bytes) {
  const decoder = new TextDecoder();
  for (let at = 0; at < bytes.length; at += 2 ** 24) yield decoder.decode(bytes.subarray(at, at + 2 ** 24), { stream: true });
}

/** Resident memory now, and at its highest since it was last set back, in bytes; NaN where the system does not say. */
function resident(name) {
  try {
    const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync('/proc/self/status', 'utf8'));
    return 1024 * Number(kilobytes);
  } catch {
    return NaN;
  }
}

function setBack() {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // Not Linux: resident says NaN.
  }
}

let encoder;

function encode(what, words) {
  if (what === 'transform') return encoder.encode(records);
  const plans = {
    tfidf: { text: text({ words }) },
    hash: { text: text({ hash: 2 ** 18, values: 'counts', words }) },
    records: PLAN,
  };
  const made = Encoder.fitEncode(records, plans[what]);
  ({ encoder } = made);
  return made.points;
}

/** Collects garbage until no more memory is given back: V8 does that later, and what it still holds would count as there before. */
async function settle() {
  for (let [k, last] = [0, Infinity]; k < 20 && resident('VmRSS') < last - 2 ** 20; k++) {
    last = resident('VmRSS');
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function measured(line) {
  const [what, ...more] = line.split(' ');
  const words = [1, Number(more.find((word) => /^\d+$/.test(word)) ?? 1)];
  await settle();
  setBack();
  const [before, arrays] = [resident('VmRSS'), process.memoryUsage().arrayBuffers];
  const used = process.cpuUsage();
  const began = performance.now();
  const points = encode(what, words);
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(used);
  // Free memory of the heap that is used again hides some of what is new in VmHWM; arrays are counted whatever it does.
  const peak = Math.max(resident('VmHWM') - before, process.memoryUsage().arrayBuffers - arrays);
  if (more.includes('write')) writeCsr(out, points);
  const { rows, cols, data, indptr, indices, values } = points;
  const bytes = data ? data.byteLength : indptr.byteLength + indices.byteLength + (values?.byteLength ?? 0);
  return { seconds, cpu: (user + system) / 1e6, peak, rows, cols, entries: indices?.length ?? data.length, bytes };
}

console.log(JSON.stringify({ version }));
createInterface({ input: process.stdin }).on('line', async (line) => console.log(JSON.stringify(await measured(line))));
