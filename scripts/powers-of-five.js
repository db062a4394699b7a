// Writes native/kernels/powers_of_five.h: node scripts/powers-of-five.js
'use strict';
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');

const LOW = -64;
const HIGH = 63;

const bits = (n) => n.toString(2).length;

/** The upper 128 bits of 5^q: truncated for q >= 0, rounded up for q < 0. */
function upper(q) {
  const power = 5n ** BigInt(Math.abs(q));
  if (q >= 0) {
    const excess = bits(power) - 128;
    return excess >= 0 ? power >> BigInt(excess) : power << BigInt(-excess);
  }
  // 2^shift / 5^-q has more than 128 bits; the quotient is cut to 128.
  const shift = BigInt(2 * bits(power) + 128);
  const quotient = 2n ** shift / power + 1n;
  return quotient >> BigInt(bits(quotient) - 128);
}

/** The entry of the table. For -27 <= q < 0, where 5^-q has few bits, the quotient itself is rounded up at bit 128. */
function entry(q) {
  if (q >= 0 || q < -27) return upper(q);
  const power = 5n ** BigInt(-q);
  return 2n ** BigInt(bits(power) + 127) / power + 1n;
}

const lines = [];
for (let q = LOW; q <= HIGH; q++) {
  const value = entry(q);
  const hex = (n) => `0x${n.toString(16).padStart(16, '0')}`;
  lines.push(`    {${hex(value >> 64n)}, ${hex(value & 0xffffffffffffffffn)}},  // 5^${q}`);
}

writeFileSync(
  join(__dirname, '..', 'native', 'kernels', 'powers_of_five.h'),
  `// The upper 128 bits of powers of five, written by scripts/powers-of-five.js: those of 5^q cut off, those of 1/5^q rounded up.
#pragma once

#include <cstdint>

namespace fista {

constexpr int kLowestPower = ${LOW}, kHighestPower = ${HIGH};

// clang-format off
constexpr uint64_t kPowersOfFive[][2] = {
${lines.join('\n')}
};
// clang-format on

}  // namespace fista
`,
);
