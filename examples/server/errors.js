// Errors as answers: { statusCode, code, message }.
'use strict';

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

module.exports = { answer, refuse };
