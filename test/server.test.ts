import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backend, LinearSvm } from '../lib/index.js';
import { ROOT } from './support/child.js';
import { random } from './support/random.js';
import { clouds } from './support/svm-data.js';

// examples/server in a separate process, over HTTP.

const { installExample } = createRequire(__filename)('../bench/example.js') as {
  installExample: (name: string) => { folder: string; remove: () => void } | undefined;
};
const installed = installExample('server');
if (!installed) process.stdout.write('Left out: examples/server. Its dependencies are not installed.\n');

const TOKEN = 'a token';

interface Answer {
  status: number;
  body: Record<string, unknown> & { code?: string; message?: string };
}

class Server {
  log = '';
  private constructor(
    readonly child: ChildProcess,
    readonly folder: string,
    readonly port: number,
  ) {}

  /** Starts a server in the folder of the example, with its own files. */
  static async start(folder: string, env: NodeJS.ProcessEnv = {}): Promise<Server> {
    const child = spawn(process.execPath, ['server.js'], {
      cwd: folder,
      env: { ...process.env, PORT: '0', DATA: folder, ADMIN_TOKEN: TOKEN, LOG_LEVEL: 'info', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let log = '';
    child.stderr.on('data', (data: Buffer) => (log += data.toString()));
    const port = await new Promise<number>((found, failed) => {
      child.once('exit', (code) => failed(new Error(`The server ended with ${code}: ${log}`)));
      child.stdout.on('data', (data: Buffer) => {
        log += data.toString();
        const match = /listening at http:\/\/127\.0\.0\.1:(\d+)/.exec(log);
        if (match) found(Number(match[1]));
      });
    });
    const server = new Server(child, folder, port);
    child.stdout.on('data', (data: Buffer) => (server.log += data.toString()));
    return server;
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : { text }) as Answer['body'] };
  }

  /** Polls GET /train until it is in one of these states. */
  async trained(...states: string[]): Promise<Answer['body']> {
    for (;;) {
      const { body } = await this.call('GET', '/train');
      if (states.includes(body.state as string)) return body;
      await wait(10);
    }
  }

  async stop(): Promise<number | null> {
    if (this.child.exitCode !== null) return this.child.exitCode;
    this.child.kill('SIGTERM');
    const [code] = (await once(this.child, 'exit')) as [number | null];
    return code;
  }
}

interface Prediction {
  label: unknown;
  decision: number;
  probabilities?: Record<string, number>;
  certified?: boolean;
}

const predictionsOf = ({ body }: Answer) => body.predictions as Prediction[];

function libsvm(rows: number[][], labels: number[]): string {
  return rows.map((row, i) => `${labels[i]} ${row.map((value, j) => `${j + 1}:${value}`).join(' ')}\n`).join('');
}

/** The nice values of the training threads, once one of them is not 0. */
async function niceness(pid: number): Promise<number[]> {
  for (;;) {
    const stats = readdirSync(`/proc/${pid}/task`).map((id) => readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8'));
    const trainers = stats.filter((stat) => stat.includes('(fista-async)'));
    const found = trainers.map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]));
    if (found.some((nice) => nice !== 0)) return found;
    await wait(10);
  }
}

/** An environment for curl, which hangs with a sanitizer preloaded. */
const plain = { ...process.env, LD_PRELOAD: undefined };

describe.skipIf(!installed)('examples/server', () => {
  const { folder, remove } = installed ?? { folder: '', remove: () => undefined };
  const { rows: wide, labels } = clouds(1, 200, 3, 4);
  const rows = wide.map((row) => row.map((value) => value / 64)); // small, so that weights are large enough to overflow
  const model = LinearSvm.fit(rows, labels);
  const other = LinearSvm.fit(rows, labels, { positive: -1 });
  const file = join(folder, 'model.json');
  let server: Server;

  beforeAll(async () => {
    writeFileSync(file, JSON.stringify(model));
    writeFileSync(join(folder, 'clouds.libsvm'), libsvm(rows, labels));
    writeFileSync(join(folder, 'broken.libsvm'), '1 1:1\n-1 2:x\n');
    const large = clouds(2, 20_000, 20, 0.1);
    writeFileSync(join(folder, 'large.libsvm'), libsvm(large.rows, large.labels));
    server = await Server.start(folder);
  });
  afterAll(async () => {
    await server?.stop();
    remove();
  });

  it('POST /predict gives the labels and decision values of the model, dense and sparse', async () => {
    const dense = await server.call('POST', '/predict', { rows: rows.slice(0, 5) });
    expect(dense.status).toBe(200);
    const decisions = model.decision(rows.slice(0, 5));
    expect(dense.body).toEqual({
      version: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
      predictions: model.predict(rows.slice(0, 5)).map((label, i) => ({ label, decision: decisions[i] })),
    });
    const sparse = await server.call('POST', '/predict', {
      rows: [{ indices: [0, 2], values: [2, -1] }, { indices: [] }, { indices: [1] }],
    });
    const twin = model.decision([
      [2, 0, -1],
      [0, 0, 0],
      [0, 1, 0],
    ]);
    expect(predictionsOf(sparse).map(({ label }) => label)).toEqual(Array.from(twin, (value) => (value > 0 ? 1 : -1)));
    predictionsOf(sparse).forEach(({ decision }, i) => expect(decision).toBeCloseTo(twin[i]!, 12));
  });

  const deep = (n: number) => '['.repeat(n) + ']'.repeat(n);
  const BAD: [string, unknown, number, RegExp, Record<string, string>?][] = [
    [
      'a row that is too short',
      { rows: [[1, 2]] },
      400,
      /ERR_POINTS Expected 3 columns for rows, one for each weight of the model, but received 2/,
    ],
    [
      'rows of two lengths',
      { rows: [[1, 2, 3], [1]] },
      400,
      /ERR_POINTS Expected 3 numbers for rows\[1\], as in rows\[0\], but received 1/,
    ],
    ['null, which is what NaN becomes', { rows: [[1, NaN, 3]] }, 400, /FST_ERR_VALIDATION body\/rows\/0\/1 must be number/],
    ['an infinite number', '{"rows":[[1,1e999,3]]}', 400, /body\/rows\/0\/1 must be number/],
    ['a number that overflows', { rows: [[1e308, 1e308, 1e308]] }, 400, /ERR_POINTS Expected smaller numbers for row 0/],
    ['text for a number', { rows: [['1', 2, 3]] }, 400, /must be number/],
    ['no rows', { rows: [] }, 400, /must NOT have fewer than 1 items/],
    ['no body', undefined, 400, /body must be object|body/],
    ['another member', { rows: [[1, 2, 3]], row: 1 }, 400, /must NOT have additional properties/],
    [
      'a column beyond the model',
      { rows: [{ indices: [3] }] },
      400,
      /ERR_POINTS Expected a column below 3 for rows\[0\]\.indices\[0\] but received 3/,
    ],
    [
      'columns out of order',
      { rows: [{ indices: [2, 1] }] },
      400,
      /ERR_POINTS Expected ascending column indices in row 0 but received 1 after 2/,
    ],
    [
      'fewer values than indices',
      { rows: [{ indices: [0, 1], values: [1] }] },
      400,
      /ERR_POINTS Expected 2 numbers for rows\[0\]\.values/,
    ],
    ['dense and sparse rows', { rows: [[1, 2, 3], { indices: [0] }] }, 400, /ERR_POINTS Expected rows of one kind/],
    ['what is not JSON', '{"rows":[[1,2,', 400, /FST_ERR_CTP_INVALID_JSON_BODY/],
    ['an empty body', '', 400, /FST_ERR_CTP_EMPTY_JSON_BODY/],
    ['a __proto__', '{"rows":[[1,2,3]],"__proto__":{"polluted":1}}', 400, /FST_ERR_CTP_INVALID_JSON_BODY/],
    ['a constructor.prototype', '{"rows":[[1,2,3]],"constructor":{"prototype":{"polluted":1}}}', 400, /./],
    ['brackets without end', '['.repeat(500_000), 400, /FST_ERR_CTP_INVALID_JSON_BODY/],
    ['deep nesting', `{"rows":${deep(300_000)}}`, 400, /must be number|must be array/],
    ['a huge body', ' '.repeat(2 ** 20 + 1), 413, /FST_ERR_CTP_BODY_TOO_LARGE Expected a smaller body/],
    [
      'another content type',
      'rows',
      415,
      /Expected the header "content-type: application\/json"/,
      { 'content-type': 'text/plain' },
    ],
    ['an array for an object', [[1, 2, 3]], 400, /body must be object/],
  ];

  it.each(BAD)('POST /predict refuses with the reason: %s', async (_, body, status, reason, headers) => {
    const answer = await server.call('POST', '/predict', body, headers);
    expect(answer.status).toBe(status);
    expect(`${answer.body.code} ${answer.body.message}`).toMatch(reason);
    expect(answer.body).not.toHaveProperty('stack');
    expect((await server.call('GET', '/health')).status).toBe(200);
  });

  it('keeps serving after a client disconnects, sends no HTTP, or sends less than its content-length', async () => {
    for (const text of [
      '\0\x01\xff garbage\r\n\r\n',
      'POST /predict HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"rows"',
    ]) {
      const socket = connect(server.port, '127.0.0.1');
      socket.write(text);
      await once(socket, 'data'); // the server has refused it, or asked for more
      socket.destroy();
    }
    expect((await server.call('POST', '/predict', { rows: [[1, 2, 3]] })).status).toBe(200);
  });

  it('answers 408 to a request that arrives byte by byte for longer than REQUEST_TIMEOUT', async () => {
    const slow = await Server.start(folder, { REQUEST_TIMEOUT: '500' });
    try {
      for (const begin of [
        'POST /predict HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n',
        'GET /',
      ]) {
        const socket = connect(slow.port, '127.0.0.1');
        let answer = '';
        socket.on('data', (data: Buffer) => (answer += data.toString()));
        socket.on('error', () => undefined); // a byte sent after the server closed the connection resets it
        socket.write(begin);
        const drops = setInterval(() => socket.write(' '), 50);
        await new Promise((done) => socket.on('close', done));
        clearInterval(drops);
        expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      }
    } finally {
      expect(await slow.stop()).toBe(0); // the server kept running
    }
  });

  it('answers 404 to an unknown route, with the reason', async () => {
    expect(await server.call('GET', '/nothing')).toEqual({
      status: 404,
      body: { statusCode: 404, code: 'ERR_ROUTE', message: 'There is no GET /nothing' },
    });
  });

  it.each([
    ['POST', '/train'],
    ['DELETE', '/train'],
    ['POST', '/reload'],
  ])('%s %s answers 401 without the token', async (method, path) => {
    for (const authorization of ['', 'Bearer another', TOKEN]) {
      expect((await server.call(method, path, undefined, { authorization })).status).toBe(401);
    }
  });

  it('POST /reload serves the new model file, or refuses a bad one with the reason and keeps the old model', async () => {
    const version = async () => ((await server.call('GET', '/health')).body.model as { version: string }).version;
    const before = await version();
    for (const [text, status, reason] of [
      ['{"format":"fista-classify/linear-svm","version":1,"la', 422, /ERR_MODEL Expected JSON for the model file/],
      [
        JSON.stringify({ ...model.toJSON(), version: 3 }),
        422,
        /ERR_MODEL Expected version 1 or 2 for json\.version but received 3/,
      ],
      [JSON.stringify({ ...model.toJSON(), weights: [1, null] }), 422, /ERR_MODEL Expected a finite number for json\.weights\[1\]/],
      ['', 422, /ERR_MODEL/],
    ] as const) {
      writeFileSync(file, text);
      const answer = await server.call('POST', '/reload');
      expect(answer.status).toBe(status);
      expect(`${answer.body.code} ${answer.body.message}`).toMatch(reason);
      expect(await version()).toBe(before);
      expect((await server.call('POST', '/predict', { rows: [[1, 2, 3]] })).status).toBe(200);
    }
    writeFileSync(file, JSON.stringify(other));
    const answer = await server.call('POST', '/reload');
    expect(answer.status).toBe(200);
    expect(answer.body.version).not.toBe(before);
    expect(answer.body.labels).toEqual([1, -1]);
  });

  it('POST /reload and SIGHUP drop no requests, and each answer comes from one model', async () => {
    const answers: Promise<Answer>[] = [];
    const seen = new Map<unknown, string>();
    for (let k = 0; k < 40; k++) {
      writeFileSync(`${file}.new`, JSON.stringify(k % 2 ? model : other));
      renameSync(`${file}.new`, file);
      for (let n = 0; n < 5; n++) answers.push(server.call('POST', '/predict', { rows: rows.slice(0, 50) }));
      if (k % 4 === 0 && process.platform !== 'win32') server.child.kill('SIGHUP');
      else answers.push(server.call('POST', '/reload').then((answer) => ({ ...answer, body: { ...answer.body, reloaded: true } })));
      if (k % 8 < 2) {
        // Sometimes in sequence, so that each model certainly answers a request.
        await server.call('POST', '/reload');
        answers.push(Promise.resolve(await server.call('POST', '/predict', { rows: rows.slice(0, 50) })));
      }
    }
    for (const { status, body } of await Promise.all(answers)) {
      expect(status).toBe(200);
      if (body.reloaded) continue;
      // Answers of one version are the same.
      const predictions = JSON.stringify(body.predictions);
      expect(seen.get(body.version) ?? predictions).toBe(predictions);
      seen.set(body.version, predictions);
    }
    expect(seen.size).toBe(2);
  });

  it.skipIf(process.platform === 'win32')('SIGHUP with a bad file keeps the old model and logs the reason', async () => {
    writeFileSync(file, 'no model');
    server.child.kill('SIGHUP');
    while (!server.log.includes('The old model stays')) await wait(10);
    expect((await server.call('POST', '/predict', { rows: [[1, 2, 3]] })).status).toBe(200);
  });

  it('POST /train trains on the rows of the request, writes the model file and serves it', async () => {
    const answer = await server.call('POST', '/train', { rows, labels, options: { gap: 1e-6 }, gate: { tolerance: 0.1 } });
    expect(answer.status).toBe(202);
    const { info, model: served } = (await server.trained('done')) as {
      info: { status: string; threads: number };
      model: { version: string };
    };
    expect(info.status).toBe('gap');
    const predicted = await server.call('POST', '/predict', { rows: rows.slice(0, 3) });
    expect(predicted.body.version).toBe(served.version);
    const kept = LinearSvm.fromJSON(JSON.parse(readFileSync(file, 'utf8')));
    expect(predictionsOf(predicted).map(({ decision }) => decision)).toEqual(Array.from(kept.decision(rows.slice(0, 3))));
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('POST /train trains on sparse rows, and on a file in the data folder', async () => {
    const sparse = [{ indices: [0] }, { indices: [1], values: [2] }, { indices: [0, 1] }, { indices: [] }];
    const gate = { compare: false }; // the model in service has other columns
    const answer = await server.call('POST', '/train', { rows: sparse, columns: 4, labels: ['a', 'b', 'a', 'b'], gate });
    expect(answer.status).toBe(202);
    expect((await server.trained('done')).model).toMatchObject({ columns: 4, labels: ['a', 'b'] });
    expect((await server.call('POST', '/train', { file: 'clouds.libsvm', gate })).status).toBe(202);
    expect((await server.trained('done')).model).toMatchObject({ columns: 3, labels: [-1, 1] });
  });

  it.each([
    ['one label', { rows: [[1], [2]], labels: [1, 1] }, /ERR_LABELS Expected two distinct labels but every label is 1/],
    ['too few labels', { rows: [[1], [2]], labels: [1] }, /ERR_LABELS Expected 2 labels/],
    ['rows of two lengths', { rows: [[1], [2, 3]], labels: [1, 2] }, /ERR_POINTS Expected 1 number for rows\[1\]/],
    [
      'a column that memory would not hold',
      { rows: [{ indices: [2147483646] }, { indices: [0] }], labels: [1, 2] },
      /ERR_POINTS Expected a column below 1000000 for rows\[0\]\.indices\[0\] but received 2147483646/,
    ],
    ['neither rows nor a file', {}, /must match exactly one schema/],
    ['rows and a file', { rows: [[1], [2]], labels: [1, 2], file: 'a' }, /must match exactly one schema/],
    ['a path', { file: '../model.json' }, /must match pattern/],
    [
      'another word for gamma',
      { file: 'clouds.libsvm', options: { gamma: 'best' } },
      /options\/gamma must match pattern "\^auto\$"/,
    ],
    [
      'another kind of probability',
      { file: 'clouds.libsvm', options: { probability: true } },
      /options\/probability must be equal to/,
    ],
    ['an unknown metric', { file: 'clouds.libsvm', gate: { metric: 'profit' } }, /gate\/metric must be equal to one of/],
    ['a tolerance below 0', { file: 'clouds.libsvm', gate: { tolerance: -0.1 } }, /gate\/tolerance must be >= 0/],
    ['a minimum that no model reaches', { file: 'clouds.libsvm', gate: { min: 95 } }, /gate\/min must be <= 1/],
    ['all rows held out', { file: 'clouds.libsvm', gate: { testShare: 1 } }, /gate\/testShare must be < 1/],
    ['gate: true', { file: 'clouds.libsvm', gate: true }, /gate must NOT be valid/],
    [
      'a maximum for a score',
      { file: 'clouds.libsvm', gate: { max: 0.5 } },
      /ERR_GATE Expected gate\.min, as a larger accuracy is better, but received gate\.max/,
    ],
    [
      'a loss without probabilities',
      { file: 'clouds.libsvm', gate: { metric: 'logLoss' } },
      /ERR_GATE Expected options\.probability for gate\.metric "logLoss" but received none/,
    ],
    [
      'the file to train on for that of held-out rows',
      { file: 'clouds.libsvm', gate: { file: 'clouds.libsvm' } },
      /ERR_GATE Expected a file other than the one to train on for gate\.file but received clouds\.libsvm/,
    ],
    [
      'a file of held-out rows and a share',
      { file: 'large.libsvm', gate: { file: 'clouds.libsvm', testShare: 0.1 } },
      /ERR_GATE Expected one of gate\.file and gate\.testShare but received both/,
    ],
    [
      'a missing file of held-out rows',
      { rows: [[1], [2]], labels: [1, 2], gate: { file: 'missing.libsvm' } },
      /ERR_GATE The file missing\.libsvm of the gate cannot be read: ENOENT/,
    ],
    [
      'a file of held-out rows with more columns',
      { rows: [[1], [2]], labels: [1, 2], gate: { file: 'clouds.libsvm' } },
      /ERR_GATE The file clouds\.libsvm of the gate cannot be read: Expected .* at clouds\.libsvm:1:/,
    ],
    [
      'too few rows to hold some out',
      { rows: [[1], [2], [3]], labels: [1, 2, 2] },
      /ERR_LABELS Expected at least 2 rows of class 1, for either side, but received 1; rows are held out for the gate, unless "gate" is false/,
    ],
    ['an unknown option', { file: 'clouds.libsvm', options: { threads: 64 } }, /must NOT have additional properties/],
  ])('POST /train refuses with the reason, and leaves GET /train unchanged: %s', async (_, body, reason) => {
    const before = (await server.call('GET', '/train')).body;
    expect(before).toMatchObject({ state: 'done', info: { rows: expect.any(Number) as number } });
    const answer = await server.call('POST', '/train', body);
    expect((await server.call('GET', '/train')).body).toEqual(before);
    expect(answer.status).toBe(400);
    expect(`${answer.body.code} ${answer.body.message}`).toMatch(reason);
    expect((await server.call('GET', '/health')).status).toBe(200);
  });

  it.each([
    ['does not exist', 'missing.libsvm', /^The file missing\.libsvm cannot be read: ENOENT$/],
    ['cannot be parsed', 'broken.libsvm', /^Expected index:value with a finite number at broken\.libsvm:2:/],
  ])('GET /train reports that the file %s, and the old model stays', async (_, name, reason) => {
    const before = (await server.call('GET', '/health')).body.model;
    expect((await server.call('POST', '/train', { file: name })).status).toBe(202);
    const failed = (await server.trained('failed')) as { error: { message: string }; last: { model: unknown; info: object } };
    expect(failed.error.message).toMatch(reason);
    expect(JSON.stringify(failed)).not.toContain(folder);
    // The last successful training is still reported.
    expect(failed.last).toMatchObject({ model: before, info: { status: expect.any(String) as string } });
    expect((await server.call('GET', '/health')).body.model).toEqual(before);
  });

  it('POST /train trains one model at a time with progress while requests are served, and DELETE /train aborts it', async () => {
    const before = (await server.call('GET', '/health')).body.model;
    expect((await server.call('DELETE', '/train')).status).toBe(409);
    const endless = { file: 'large.libsvm', options: { method: 'fista', gamma: 1e6, gap: 1e-300, maxIterations: 1e9 } };
    expect((await server.call('POST', '/train', endless)).status).toBe(202);
    const second = await server.call('POST', '/train', endless);
    expect(second.status).toBe(409);
    expect(second.body.code).toBe('ERR_BUSY');
    for (;;) {
      const { progress, state } = (await server.call('GET', '/train')).body as {
        state: string;
        progress: { iteration: number } | null;
      };
      expect(state).toBe('running');
      if (progress && progress.iteration > 0) break;
      await wait(10);
    }
    expect((await server.call('POST', '/predict', { rows: [[1, 2, 3]] })).status).toBe(200);
    if (process.platform === 'linux' && backend.name === 'native') {
      expect(await niceness(server.child.pid!)).toEqual([Math.max(10, getPriority())]); // the tests themselves may run at a low priority
    }
    const metrics = (await server.call('GET', '/metrics')).body.text as string;
    expect(metrics).toContain('\ntraining_running 1\n');
    const aborted = await server.call('DELETE', '/train');
    expect([aborted.status, aborted.body.state]).toEqual([200, 'aborted']);
    expect((await server.call('GET', '/health')).body.model).toEqual(before);
  });

  it('GET /metrics counts requests and errors, and reports event-loop delay and model', async () => {
    const read = async () => (await server.call('GET', '/metrics')).body.text as string;
    const count = (text: string) =>
      Number(/http_requests_total\{method="POST",route="\/predict",status="200"\} (\d+)/.exec(text)![1]);
    const before = count(await read());
    await server.call('POST', '/predict', { rows: [[1, 2, 3]] });
    const text = await read();
    expect(count(text)).toBe(before + 1);
    const { version } = (await server.call('GET', '/health')).body.model as { version: string };
    expect(text).toContain(`model_info{version="${version}"} 1`);
    expect(text).toMatch(/^http_errors_total 0$/m);
    for (const line of text.trim().split('\n')) expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? -?[\d.e+-]+)$/);
    for (const quantile of ['0.5', '0.99', '1']) {
      const value = Number(new RegExp(`event_loop_delay_seconds\\{quantile="${quantile}"\\} (\\S+)`).exec(text)![1]);
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThan(60);
    }
  });

  // Windows has no signals: kill ends the process.
  it.skipIf(process.platform === 'win32')('SIGTERM answers open requests, ends training, and exits with 0', async () => {
    const mine = await Server.start(folder, { MODEL: 'none.json' });
    expect((await mine.call('GET', '/health')).status).toBe(503);
    expect((await mine.call('POST', '/predict', { rows: [[1]] })).body).toMatchObject({ code: 'ERR_NO_MODEL' });
    await mine.call('POST', '/train', { rows: [[1], [2]], labels: [1, 2], gate: false });
    await mine.trained('done');
    await mine.call('POST', '/train', {
      file: 'large.libsvm',
      options: { method: 'fista', gamma: 1e6, gap: 1e-300, maxIterations: 1e9 },
    });
    // A request whose body is incomplete when the signal arrives.
    const open = httpRequest({
      port: mine.port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/predict',
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked', expect: '100-continue' },
    });
    open.flushHeaders();
    await once(open, 'continue'); // the server has the request
    open.write('{"rows":');
    const ended = once(mine.child, 'exit');
    mine.child.kill('SIGTERM');
    while (!mine.log.includes('answering what has been asked')) await wait(5);
    open.end('[[1]]}');
    const [response] = (await once(open, 'response')) as [import('node:http').IncomingMessage];
    expect(response.statusCode).toBe(200);
    expect(response.headers.connection).toBe('close');
    response.resume();
    expect(await ended).toEqual([0, null]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  describe('with three labels, probabilities and a gate', () => {
    const next = random(5);
    const three = Array.from({ length: 240 }, (_, i) => [3 * Number(i % 3 === 1) + next(), 3 * Number(i % 3 === 2) + next()]);
    const names = three.map((_, i) => ['ant', 'bee', 'cat'][i % 3]!);
    const shuffled = names
      .map((name) => ({ name, key: next() }))
      .sort((a, b) => a.key - b.key)
      .map(({ name }) => name);
    const gated = join(folder, 'gated.json');
    let mine: Server;
    beforeAll(async () => {
      const trusted = three.slice(0, 30).map(([x, y], i) => `${names[i]} 1:${x} 2:${y}\n`);
      writeFileSync(join(folder, 'trusted.libsvm'), trusted.join(''));
      mine = await Server.start(folder, { MODEL: 'gated.json' });
    });
    afterAll(async () => void (await mine?.stop()));

    /** Trains, and returns what GET /train then answers. */
    async function train(body: object): Promise<Answer['body'] & { gate: Record<string, unknown> }> {
      const answer = await mine.call('POST', '/train', body);
      expect([answer.status, answer.body.message]).toEqual([202, undefined]);
      return (await mine.trained('done', 'refused', 'failed')) as Answer['body'] & { gate: Record<string, unknown> };
    }
    const version = async () => ((await mine.call('GET', '/health')).body.model as { version: string } | null)?.version;

    it('POST /train refuses a first model below gate.min, and keeps none in service', async () => {
      const refused = await train({ rows: three, labels: shuffled, gate: { min: 0.9 } });
      expect(refused).toMatchObject({
        state: 'refused',
        model: null,
        gate: { metric: 'accuracy', rows: 60, min: 0.9, passed: false },
      });
      expect(refused.gate.reason).toMatch(/^accuracy [\d.]+ on 60 rows held out is below gate\.min, 0\.9$/);
      expect(await version()).toBeUndefined();
      expect(existsSync(gated)).toBe(false);
    });

    it("POST /train takes gamma: 'auto' and probability, and POST /predict answers with probabilities and certificates", async () => {
      const options = { gamma: 'auto', probability: 'sigmoid' };
      const done = await train({ rows: three, labels: names, options, gate: { min: 0.9 } });
      expect(done).toMatchObject({ state: 'done', model: { labels: ['ant', 'bee', 'cat'], columns: 2 } });
      expect(done.info).toHaveProperty('validation'); // gamma was chosen
      expect(done.gate).toEqual({ metric: 'accuracy', rows: 60, score: expect.any(Number) as number, min: 0.9, passed: true });
      const kept = LinearSvm.fromJSON<string>(JSON.parse(readFileSync(gated, 'utf8')));
      const answer = predictionsOf(await mine.call('POST', '/predict', { rows: three, certify: true }));
      expect(answer.map(({ label }) => label)).toEqual(kept.predict(three));
      expect(answer.map(({ certified }) => certified)).toEqual(kept.certify(three));
      expect(answer.some(({ certified }) => certified)).toBe(true);
      const [plainly] = predictionsOf(await mine.call('POST', '/predict', { rows: three.slice(0, 1) }));
      expect(plainly).toEqual({ ...answer[0], certified: undefined }); // not asked for
      expect(answer.flatMap(({ probabilities }) => ['ant', 'bee', 'cat'].map((name) => probabilities![name]))).toEqual(
        Array.from(kept.probability(three)),
      );
      expect(answer.flatMap(({ decision }) => Object.values<number>(decision as unknown as Record<string, number>))).toEqual(
        Array.from(kept.decision(three)),
      );
    });

    it('a worse model is refused with both scores, and the old one stays in service and in its file, also after a kill', async () => {
      const [before, text] = [await version(), readFileSync(gated, 'utf8')];
      // On rows held out from the shuffled data, both models would be wrong.
      const refused = await train({ rows: three, labels: shuffled, gate: { file: 'trusted.libsvm' } });
      expect(refused).toMatchObject({ state: 'refused', model: { version: before }, last: { model: { version: before } } });
      const { score, inService, reason } = refused.gate as { score: number; inService: number; reason: string };
      expect(refused.gate).toMatchObject({ metric: 'accuracy', rows: 30, tolerance: 0.01, version: before, passed: false });
      expect(reason).toMatch(
        /^accuracy [\d.]+ on 30 rows held out is worse by more than 0\.01 than that of the model in service, [\d.]+$/,
      );
      expect([score, inService].every((number) => number >= 0 && number <= 1)).toBe(true);
      expect(inService).toBeGreaterThan(score + 0.01);
      expect((await mine.call('GET', '/metrics')).body.text).toContain('trainings_total{outcome="refused"} 2');
      expect(readFileSync(gated, 'utf8')).toBe(text);
      const ended = once(mine.child, 'exit');
      mine.child.kill('SIGKILL');
      await ended;
      mine = await Server.start(folder, { MODEL: 'gated.json' });
      expect(await version()).toBe(before);
      const [first] = predictionsOf(await mine.call('POST', '/predict', { rows: three.slice(0, 1), certify: true }));
      expect(first).toMatchObject({
        probabilities: { ant: expect.any(Number) as number },
        certified: expect.any(Boolean) as boolean,
      });
    });

    it('compares the average precision of one label, whatever the order of the labels', async () => {
      const { rows, labels } = clouds(3, 80, 2, 1);
      const swapped = LinearSvm.fit(rows, labels, { positive: -1 });
      writeFileSync(join(folder, 'swapped.json'), JSON.stringify(swapped));
      writeFileSync(join(folder, 'held.libsvm'), libsvm(rows.slice(0, 30), labels.slice(0, 30)));
      const other = await Server.start(folder, { MODEL: 'swapped.json' });
      try {
        const gate = { metric: 'averagePrecision', tolerance: 1, file: 'held.libsvm' };
        await other.call('POST', '/train', { rows, labels, gate });
        const done = (await other.trained('done')) as { gate: { inService: number } };
        const { classes } = swapped.score(rows.slice(0, 30), labels.slice(0, 30));
        expect(classes.find(({ label }) => label === 1)!.averagePrecision).toBe(done.gate.inService);
      } finally {
        await other.stop();
      }
    });

    it('a worse model is refused by rows held out from its own data, in any metric', async () => {
      const before = await version();
      const some = names.flatMap((name, i) => (name === 'ant' || (name === 'bee' && i < 60) ? [i] : []));
      const refused = await train({
        rows: some.map((i) => three[i]),
        labels: some.map((i) => names[i]),
        options: { gamma: 1e-9 }, // so small that every row gets the more frequent label
        gate: { metric: 'balancedAccuracy', tolerance: 0.2 },
      });
      expect(refused).toMatchObject({ state: 'refused', gate: { metric: 'balancedAccuracy', rows: 25, score: 0.5, inService: 1 } });
      expect(await version()).toBe(before);
    });

    it('a model that is as good replaces the old one, by a loss too', async () => {
      const before = await version();
      const gate = { metric: 'logLoss', tolerance: 0.2, max: 1, seed: 1, testShare: 0.5 };
      const done = await train({ rows: three, labels: names, options: { probability: 'isotonic', multiclass: 'rest' }, gate });
      expect(done.gate).toMatchObject({ metric: 'logLoss', rows: 120, max: 1, tolerance: 0.2, version: before, passed: true });
      expect([done.gate.score, done.gate.inService]).toEqual([expect.any(Number), expect.any(Number)]);
      expect(done.state).toBe('done');
      expect(await version()).not.toBe(before);
      const refused = await train({
        rows: three,
        labels: shuffled,
        options: { probability: 'sigmoid' },
        gate: { metric: 'brier', max: 0.01 },
      });
      expect(refused.gate.reason).toMatch(/^brier [\d.]+ on 60 rows held out is above gate\.max, 0\.01$/);
    });

    it('a model that cannot be compared is refused, unless compare or gate is false', async () => {
      const before = await version();
      const other = { rows: three.map(([x]) => [x]), labels: names };
      const columns = await train(other);
      expect(columns).toMatchObject({ state: 'refused', gate: { inService: null, passed: false } });
      expect(columns.gate.reason).toMatch(
        /^The model in service cannot be compared: Expected 2 columns .* "compare": false leaves it out/,
      );
      const labels = await train({ rows: three, labels: names.map((name) => `${name}s`) });
      expect(labels.gate.reason).toMatch(/^The model in service cannot be compared: Expected "ant", "bee" or "cat" for labels/);
      expect(await version()).toBe(before);
      expect(await train({ ...other, gate: { compare: false } })).toMatchObject({ state: 'done', model: { columns: 1 } });
      // This one has no probabilities, and so no log loss.
      const gate = { metric: 'logLoss' };
      const loss = await train({ ...other, options: { probability: 'sigmoid' }, gate });
      expect(loss.gate.reason).toMatch(/^The model in service cannot be compared: it has no such score on these rows;/);
      const free = await train({ rows: three, labels: shuffled, gate: false });
      expect(free).toMatchObject({ state: 'done', info: { rows: 240 } });
      expect(free).not.toHaveProperty('gate');
    });
  });

  it('POST /predict answers 413 where rows times labels are too many', async () => {
    const many = Array.from({ length: 1000 }, (_, k) => k);
    const json = LinearSvm.fit(
      many.map((k) => [k]),
      many.map((k) => k % 500),
      { multiclass: 'rest', maxIterations: 1 },
    ).toJSON();
    writeFileSync(join(folder, 'many.json'), JSON.stringify(json));
    const mine = await Server.start(folder, { MODEL: 'many.json' });
    try {
      const answer = await mine.call('POST', '/predict', { rows: Array.from({ length: 4001 }, () => [1]) });
      expect([answer.status, answer.body.message]).toEqual([
        413,
        'Expected at most 4000 rows at a time, as there are 500 labels, but received 4001',
      ]);
      expect((await mine.call('POST', '/predict', { rows: [[1]] })).status).toBe(200);
    } finally {
      await mine.stop();
    }
  });

  it.each([
    ['a model file that is not a model', { MODEL: 'clouds.libsvm' }, /Expected JSON for the model file/],
    ['a port that is not a number', { PORT: 'http' }, /Expected an integer of 0 or more for PORT but received http/],
  ])('refuses to start with %s, and says why', async (_, env, reason) => {
    await expect(Server.start(folder, env)).rejects.toThrow(reason);
  });

  it.skipIf(spawnSync('curl', ['--version'], { env: plain }).error !== undefined)(
    'gives the answers that its README.md shows',
    async () => {
      const text = readFileSync(join(ROOT, 'examples/server/README.md'), 'utf8');
      const block = [...text.matchAll(/```sh\n([^]*?)```/g)][1]![1]!;
      const shown = JSON.parse(/^# (\{"version".*\})$/m.exec(block)![1]!.replaceAll('…', '0')) as Answer['body'];
      // The commands as written, to a server without a model.
      const fresh = await Server.start(folder, { MODEL: 'pasted.json', ADMIN_TOKEN: undefined });
      try {
        const script = block.replaceAll('localhost:3000', `127.0.0.1:${fresh.port}`);
        const { stdout, stderr } = await promisify(execFile)('/bin/sh', ['-c', script], { env: plain });
        expect(stderr).toBe('');
        const answer = JSON.parse(stdout.slice(stdout.lastIndexOf('{"version"'))) as Answer['body'];
        const told = (body: Answer['body']) =>
          predictionsOf({ status: 200, body }).map(({ label, certified }) => [label, certified]);
        expect(told(answer)).toEqual(told(shown));
      } finally {
        await fresh.stop();
      }
      const pasted = readFileSync(join(folder, 'pasted.json'), 'utf8');
      writeFileSync(file, pasted);
      expect((await server.call('POST', '/reload')).status).toBe(200);
      const refusal = JSON.parse(/```json\n(.*)\n```/.exec(text)![1]!) as Answer['body'];
      expect((await server.call('POST', '/predict', { rows: [[1, 2, 3]] })).body).toEqual(refusal);
    },
  );

  it('depends only on fastify and the package', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'examples/server/package.json'), 'utf8')) as { dependencies: object };
    const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: object;
      devDependencies: { fastify: string };
    };
    expect(manifest.dependencies).toEqual({ fastify: root.devDependencies.fastify, 'fista-classify': 'file:../..' });
    expect(root.dependencies).not.toHaveProperty('fastify');
  });
});
