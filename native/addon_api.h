// node-addon-api, set up once for every file that includes it.
#pragma once

// A worker thread that is being terminated can no longer throw: without this, an error in its last call would abort the process.
#define NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS

#include <napi.h>
