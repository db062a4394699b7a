// The service: build(options) returns a Fastify instance that is ready to listen.
'use strict';
const { createHash, randomBytes, timingSafeEqual } = require('node:crypto');
const { readFile, rename, rm, writeFile } = require('node:fs/promises');
const fastify = require('fastify');
const { LinearSvm } = require('fista-classify');
const { metrics } = require('./metrics.js');
const { Training } = require('./training.js');
const { predictSchema, trainSchema, toPoints } = require('./schemas.js');

const MEGABYTE = 2 ** 20;

async function build({
  modelFile,
  dataFolder,
  adminToken,
  threads = 1,
  nice = 0,
  bodyLimit = MEGABYTE, // a body is parsed on the event loop, at about 100 MB/s
  trainLimit = 8 * MEGABYTE, // larger data must come from a file
  requestTimeout = 30_000, // ms to receive a whole request; by default Fastify waits for ever
  logger = false,
}) {
  const app = fastify({
    logger,
    logController: new fastify.LogController({ disableRequestLogging: true }), // GET /metrics counts them
    bodyLimit,
    requestTimeout,
    // Node checks for timeouts at this interval. It swaps the two timeouts if headersTimeout is above requestTimeout.
    http: { headersTimeout: requestTimeout, connectionsCheckingInterval: 1000 },
    forceCloseConnections: 'idle',
    // The body is checked as it was sent: null does not become 0, and unknown properties are refused.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allowUnionTypes: true } },
  });

  app.removeContentTypeParser('text/plain'); // only JSON is accepted

  // ---- The model. A request reads this reference once, so that it is answered by one model.
  let current;
  let turn = Promise.resolve();

  /** Puts a model into service. */
  function serve(model, text) {
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
    current = { model, version: hash, since: new Date() };
    app.log.info({ version: hash, columns: model.weights.length }, 'A model is in service');
    return describe();
  }

  function describe() {
    if (current === undefined) return null;
    const { model, version, since } = current;
    return { version, since: since.toISOString(), columns: model.weights.length, labels: model.labels };
  }

  async function read() {
    const text = await readFile(modelFile, 'utf8');
    let json;
    try {
      json = JSON.parse(text);
    } catch (error) {
      throw Object.assign(new SyntaxError(`Expected JSON for the model file but received ${error.message}`), { code: 'ERR_MODEL' });
    }
    return serve(LinearSvm.fromJSON(json), text);
  }

  // Changes of the model take turns: the last request wins, and the file and the model in service stay the same.
  const inTurn = (work) => {
    const next = turn.then(work);
    turn = next.catch(() => {});
    return next;
  };
  const reload = () => inTurn(read);
  app.decorate('reload', reload);

  /** Writes a newly trained model to the model file, and puts it into service. */
  const publish = (model, signal) =>
    inTurn(async () => {
      const text = `${JSON.stringify(model)}\n`;
      await replaceFile(modelFile, text, signal);
      return serve(model, text);
    });

  const training = new Training({ dataFolder, threads, nice, publish, log: app.log });
  const { count, write } = metrics({ describe: () => current, training });
  app.addHook('onResponse', async (request, reply) => count(request, reply));
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
    training.abort();
    await training.ended;
  });

  app.addHook('onSend', async (request, reply) => {
    if (closing) reply.header('connection', 'close'); // otherwise the server would wait for the client to disconnect
  });

  // ---- Errors: those of a request are reported to the client, those of the server go to the log.
  app.setErrorHandler((error, request, reply) => {
    const { status, code, message } = answer(error);
    if (status === 500) request.log.error(error);
    return reply.code(status).send({ statusCode: status, code, message });
  });
  app.setNotFoundHandler((request, reply) =>
    reply
      .code(404)
      .send({ statusCode: 404, code: 'ERR_ROUTE', message: `There is no ${request.method} ${request.url.slice(0, 100)}` }),
  );

  const admin = async (request) => {
    if (adminToken === undefined) return;
    const digest = (text) => createHash('sha256').update(text).digest();
    const given = digest(request.headers.authorization ?? '');
    if (!timingSafeEqual(given, digest(`Bearer ${adminToken}`))) {
      throw refuse(401, 'ERR_TOKEN', 'Expected the header "authorization: Bearer ⟨ADMIN_TOKEN⟩"');
    }
  };

  // ---- Routes
  app.post('/predict', { schema: { body: predictSchema } }, async (request) => {
    if (current === undefined) throw refuse(503, 'ERR_NO_MODEL', 'There is no model yet: train one, or reload the model file');
    const { model, version } = current;
    const decisions = model.decision(toPoints(request.body.rows, model.weights.length));
    const [negative, positive] = model.labels;
    return {
      version,
      labels: Array.from(decisions, (value) => (value > 0 ? positive : negative)),
      decisions: Array.from(decisions),
    };
  });

  app.post('/train', { schema: { body: trainSchema }, bodyLimit: trainLimit, onRequest: admin }, async (request, reply) => {
    await training.start(request.body);
    return reply.code(202).header('location', '/train').send(training.describe());
  });
  app.get('/train', async () => training.describe());
  app.delete('/train', { onRequest: admin }, async (request, reply) => {
    if (!training.abort()) throw refuse(409, 'ERR_IDLE', 'There is no training to abort');
    await training.ended;
    return reply.send(training.describe());
  });

  app.post('/reload', { onRequest: admin }, async () => reload());
  app.get('/health', async (request, reply) => {
    const status = closing ? 'closing' : current === undefined ? 'no model' : 'ok';
    return reply.code(status === 'ok' ? 200 : 503).send({ status, model: describe(), training: training.state });
  });
  app.get('/metrics', async (request, reply) => reply.type('text/plain; version=0.0.4; charset=utf-8').send(write()));

  try {
    await reload();
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    app.log.warn(`There is no ${modelFile} yet: predictions are refused until a model is trained or reloaded`);
  }
  return app;
}

/** Replaces a file in one step: it holds the old text or the new one, never a part. */
async function replaceFile(file, text, signal) {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text, { flag: 'wx', flush: true });
    signal.throwIfAborted();
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** An error with an HTTP status. */
function refuse(statusCode, code, message) {
  return Object.assign(new Error(message), { statusCode, code });
}

/** Messages with a remedy, which Fastify's own lack. */
const REASONS = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Expected the header "content-type: application/json"',
  FST_ERR_CTP_BODY_TOO_LARGE: 'Expected a smaller body: send fewer rows at a time, or train from a file',
};

/** The status, code and message for an error. Errors of fista-classify have a code, and a message for users. */
function answer(error) {
  const { code = 'ERR_INTERNAL', statusCode } = error;
  const message = REASONS[code] ?? error.message;
  if (statusCode !== undefined && statusCode < 500) return { status: statusCode, code, message };
  if (statusCode === 503) return { status: 503, code, message };
  if (code === 'ERR_MODEL') return { status: 422, code, message };
  if (/^ERR_(POINTS|LABELS|OPTION)$/.test(code)) return { status: 400, code, message: message.replaceAll(/\bpoints\b/g, 'rows') };
  if (/^E[A-Z]+$/.test(code)) return { status: 500, code, message: `The model file cannot be read: ${code}` };
  return { status: 500, code: 'ERR_INTERNAL', message: 'An internal error; see the log' };
}

module.exports = { build };
