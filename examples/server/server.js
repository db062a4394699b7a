// node server.js: serves predictions. Settings come from the environment; README.md lists them.
'use strict';
const { availableParallelism } = require('node:os');

const { env } = process;
// Predictions are small, so the event loop's thread computes them alone. Training gets its own number of threads below.
env.FISTA_CLASSIFY_THREADS ??= '1';
const { build } = require('./app.js');

/** A whole number from the environment. */
function integer(name, otherwise, min = 0) {
  if (env[name] === undefined || env[name] === '') return otherwise;
  const value = Number(env[name]);
  if (!Number.isInteger(value) || value < min)
    throw new Error(`Expected an integer of ${min} or more for ${name} but received ${env[name]}`);
  return value;
}

async function main() {
  const app = await build({
    modelFile: env.MODEL ?? 'model.json',
    dataFolder: env.DATA,
    adminToken: env.ADMIN_TOKEN,
    // One core is left to the event loop.
    threads: integer('TRAIN_THREADS', Math.max(1, availableParallelism() - 1), 1),
    nice: integer('TRAIN_NICE', 10),
    bodyLimit: integer('BODY_LIMIT', undefined, 1),
    trainLimit: integer('TRAIN_LIMIT', undefined, 1),
    requestTimeout: integer('REQUEST_TIMEOUT', undefined, 1),
    logger: { level: env.LOG_LEVEL ?? 'info' },
  });

  let stopping = false;
  const stop = async (signal) => {
    if (stopping) return;
    stopping = true;
    app.log.info(`${signal}: answering what has been asked, then stopping`);
    setTimeout(() => {
      app.log.error('Requests are still open after 10 s: stopping without them');
      process.exit(1);
    }, 10_000).unref();
    await app.close();
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void stop(signal));
  process.on('SIGHUP', () => {
    app.reload().catch((error) => app.log.error(error, 'The old model stays: the new one cannot be read'));
  });

  await app.listen({ host: env.HOST ?? '127.0.0.1', port: integer('PORT', 3000) });
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
