// Seeded generators of records and texts, written as newline-delimited JSON, so that several programs read the same.
'use strict';
const { closeSync, openSync, writeSync } = require('node:fs');
const { random } = require('./digits.js');

/** How the fields of generated records become numbers. */
const PLAN = {
  age: 'number',
  income: 'number',
  visits: 'number',
  score: 'number',
  city: 'category',
  plan: 'category',
  device: 'category',
  active: 'boolean',
  joined: { kind: 'date', parts: ['year', 'month', 'weekday'] },
  tags: 'categories',
};

const DAY = 86_400_000;

/** Numbers below `count`, by Zipf's law: the k-th is drawn in proportion to 1 / (k + 2.7)^exponent. */
function zipf(count, exponent, next) {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let k = 0; k < count; k++) sums[k] = sum += (k + 2.7) ** -exponent;
  return () => {
    const wanted = next() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Records of ten fields: four numbers, two of them with gaps, three categories, one of them with gaps, a boolean, a date and a list. */
function* generatedRecords(rows, seed = 1) {
  const next = random(seed);
  const [city, device, tag] = [zipf(1000, 1.1, next), zipf(20, 1, next), zipf(50, 1, next)];
  const plans = ['free', 'basic', 'plus', 'team', 'business'];
  const from = Date.UTC(2015, 0, 1);
  for (let i = 0; i < rows; i++) {
    yield {
      age: 18 + Math.floor(60 * next()),
      income: next() < 0.1 ? null : Math.round(1e5 * next() ** 2) / 4,
      visits: Math.floor(-20 * Math.log(1 - next())),
      score: next() < 0.03 ? null : next(),
      city: `city-${city()}`,
      plan: plans[Math.floor(plans.length * next() ** 2)],
      device: next() < 0.02 ? null : `device ${device()}`,
      active: next() < 0.7,
      joined: new Date(from + DAY * Math.floor(4000 * next())).toISOString().slice(0, 10),
      tags: [...new Set(Array.from({ length: Math.floor(5 * next()) }, () => `tag${tag()}`))],
    };
  }
}

const CONSONANTS = 'b c d f g h k l m n p r s t v w z st tr pl ch sh th br'.split(' ');
const VOWELS = 'a e i o u ai ea io ou'.split(' ');
const FOREIGN = ['é', 'ü', 'ñ', 'ø', 'ß', 'дом', 'мир', 'λόγος', 'пере', 'ção'];

/** A vocabulary of distinct words that grow longer as they get rarer, as in languages. A few are not ASCII. */
function generatedWords(count, next) {
  const words = new Set();
  const pick = (list) => list[Math.floor(list.length * next())];
  while (words.size < count) {
    const syllables = 1 + Math.floor((Math.log2(2 + words.size) / 6) * (0.5 + next()));
    let word = '';
    for (let k = 0; k < syllables; k++) word += pick(CONSONANTS) + pick(VOWELS);
    if (next() < 0.04) word += pick(FOREIGN);
    else if (next() < 0.4) word += pick(CONSONANTS);
    words.add(word);
  }
  return [...words];
}

/** Texts of about `bytes` bytes of UTF-8 together: sentences of 3 to 60 words by Zipf's law, with capitals, punctuation and numbers. */
function* generatedTexts(bytes, seed = 1) {
  const next = random(seed);
  const words = generatedWords(300_000, next);
  const word = zipf(words.length, 1.05, next);
  for (let written = 0; written < bytes;) {
    const length = 3 + Math.floor(57 * next() ** 2);
    const parts = [];
    for (let k = 0; k < length; k++) {
      let one = next() < 0.02 ? String(Math.floor(1e4 * next())) : words[word()];
      if (k === 0 || next() < 0.03) one = one[0].toUpperCase() + one.slice(1);
      if (k === length - 1) one += '.';
      else if (next() < 0.08) one += ',';
      parts.push(one);
    }
    const text = parts.join(' ');
    written += Buffer.byteLength(text);
    yield text;
  }
}

/** Writes values as newline-delimited JSON. Returns how many there were. */
function writeLines(file, values) {
  const out = openSync(file, 'w');
  let [lines, count] = [[], 0];
  const flush = () => {
    if (lines.length > 0) writeSync(out, `${lines.join('\n')}\n`);
    lines = [];
  };
  for (const value of values) {
    lines.push(JSON.stringify(value));
    if (++count % 10_000 === 0) flush();
  }
  flush();
  closeSync(out);
  return count;
}

module.exports = { PLAN, generatedRecords, generatedTexts, writeLines };
