// The service: build(options) returns a Fastify instance that is ready to listen.
'use strict';
const { createHash, timingSafeEqual } = require('node:crypto');
const fastify = require('fastify');
const { CurrentModel } = require('./current-model.js');
const { answer, refuse } = require('./errors.js');
const { metrics } = require('./metrics.js');
const { predictions } = require('./predictions.js');
const { predictSchema, trainSchema } = require('./schemas.js');
const { Training } = require('./training.js');

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

  const service = new CurrentModel(modelFile, app.log);
  app.decorate('reload', () => service.reload());
  const training = new Training({ dataFolder, threads, nice, service, log: app.log });
  const { count, write } = metrics({ describe: () => service.current, training });
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
    const { current } = service;
    if (current === undefined) throw refuse(503, 'ERR_NO_MODEL', 'There is no model yet: train one, or reload the model file');
    return { version: current.version, predictions: predictions(current, request.body) };
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

  app.post('/reload', { onRequest: admin }, async () => service.reload());
  app.get('/health', async (request, reply) => {
    const status = closing ? 'closing' : service.current === undefined ? 'no model' : 'ok';
    return reply.code(status === 'ok' ? 200 : 503).send({ status, model: service.describe(), training: training.state });
  });
  app.get('/metrics', async (request, reply) => reply.type('text/plain; version=0.0.4; charset=utf-8').send(write()));

  try {
    await service.reload();
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    app.log.warn(`There is no ${modelFile} yet: predictions are refused until a model is trained or reloaded`);
  }
  return app;
}

module.exports = { build };
