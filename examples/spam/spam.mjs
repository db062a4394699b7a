// Spam or not, from the text of a message: node spam.mjs [messages.tsv]. A line is a label, a tab and the message, as in the SMS Spam
// Collection of the UCI repository.
import { readFileSync } from 'node:fs';
import { LinearSvm, loadModel, saveModel, text, trainTestSplit } from 'fista-classify';

const file = process.argv[2] ?? new URL('messages.tsv', import.meta.url);
const messages = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line.includes('\t'))
  .map((line) => {
    const [label, ...rest] = line.split('\t');
    return { label, message: rest.join('\t') };
  });

const { train, test } = trainTestSplit(messages, 'label', { seed: 1 });
const encoder = { message: text({ words: [1, 2] }) }; // words, and pairs of them
const model = await LinearSvm.fitAsync(train.points, 'label', { encoder, gamma: 'auto', classWeight: 'balanced' });

const { accuracy, confusion } = model.score(test.points, 'label');
console.log(`${train.points.length} messages, ${model.encoder.cols} words and pairs`);
console.log(`accuracy on ${test.points.length} others: ${accuracy.toFixed(3)}`);
console.log(`ham taken for spam: ${confusion[0][1]}, spam missed: ${confusion[1][0]}`);

// What is served is what was trained: the file has the vocabulary, too.
await saveModel('spam.json', model);
const served = await loadModel('spam.json');
for (const message of ['Claim your free prize now', 'I will call you when I am home']) {
  const { label, fields } = served.explain({ message });
  const speaking = fields[0].columns.filter(({ share }) => share > 0 === (label === 'spam')).slice(0, 3);
  const words = speaking.map(({ name, share }) => `${name.slice('message: '.length)} (${share.toFixed(2)})`);
  console.log(`${label}: "${message}" because of ${words.join(', ')}`);
}
