// GET /metrics: the text format of Prometheus.
'use strict';
const { monitorEventLoopDelay } = require('node:perf_hooks');

const RESOLUTION = 10; // ms between samples; a sample is the time between two timer ticks, of which this much is no delay

function metrics({ describe, training }) {
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION });
  loop.enable();
  const requests = new Map();
  let errors = 0;

  function count(request, reply) {
    // Counted by the route's pattern, not by the URL, so that the number of lines stays small.
    const key = `method="${request.method}",route="${request.routeOptions.url ?? 'none'}",status="${reply.statusCode}"`;
    requests.set(key, (requests.get(key) ?? 0) + 1);
    if (reply.statusCode >= 500) errors++;
  }

  function write() {
    const lines = [];
    const add = (name, type, help, samples) => {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
      for (const [labels, value] of samples) lines.push(`${name}${labels && `{${labels}}`} ${value}`);
    };
    const delay = (nanoseconds) => Math.max(0, nanoseconds / 1e9 - RESOLUTION / 1e3) || 0;
    add('http_requests_total', 'counter', 'Requests answered.', requests);
    add('http_errors_total', 'counter', 'Requests answered with a status of 500 or above.', [['', errors]]);
    add('event_loop_delay_seconds', 'gauge', 'Delay of the event loop since the last scrape.', [
      ...[50, 90, 99].map((p) => [`quantile="${p / 100}"`, delay(loop.percentile(p))]),
      ['quantile="1"', delay(loop.max)],
    ]);
    loop.reset();
    const model = describe();
    add('model_info', 'gauge', 'The model in service, by the hash of its file.', model ? [[`version="${model.version}"`, 1]] : []);
    add(
      'model_since_seconds',
      'gauge',
      'The time at which the model was put into service.',
      model ? [['', model.since.getTime() / 1e3]] : [],
    );
    add('training_running', 'gauge', 'Whether a model is being trained.', [['', training.state === 'running' ? 1 : 0]]);
    const { progress } = training;
    add(
      'training_relative_gap',
      'gauge',
      'Proved relative gap of the last training so far.',
      progress ? [['', progress.relativeGap]] : [],
    );
    add(
      'trainings_total',
      'counter',
      'Trainings that ended, by outcome.',
      Object.entries(training.outcomes).map(([outcome, n]) => [`outcome="${outcome}"`, n]),
    );
    add('process_resident_memory_bytes', 'gauge', 'Memory in use.', [['', process.memoryUsage.rss()]]);
    return `${lines.join('\n')}\n`;
  }

  return { count, write };
}

module.exports = { metrics };
