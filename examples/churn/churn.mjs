// Who leaves, from a table with categories, dates and gaps: node churn.mjs [customers.csv field]. The last column of customers.csv, which
// is made up, says whether a customer left.
import { fileURLToPath } from 'node:url';
import { crossValidate, LinearSvm, readCsv, trainTestSplit } from 'fista-classify';

const [file = fileURLToPath(new URL('customers.csv', import.meta.url)), field = 'churn'] = process.argv.slice(2);
const customers = await readCsv(file, { as: 'records' });
const { train, test } = trainTestSplit(customers, field, { seed: 1 });

// gamma by cross-validation on the training rows. Each fold learns medians, categories and scales from its own rows.
const { gamma, best } = await crossValidate(train.points, field, { scoring: 'rocAuc' });
console.log(`gamma ${gamma.toPrecision(2)}, area under the ROC curve ${best.mean.toFixed(2)} in cross-validation`);

const model = await LinearSvm.fitAsync(train.points, field, { gamma, probability: 'sigmoid' });
for (const [name, { kind }] of Object.entries(model.encoder.plan)) console.log(`  ${name}: ${kind}`);
const { accuracy, rocAuc } = model.score(test.points, field);
console.log(
  `on ${test.points.rows} other customers: accuracy ${accuracy.toFixed(2)}, area under the ROC curve ${rocAuc.toFixed(2)}`,
);

// The customer most likely to leave, and why.
const probability = model.probability(test.points).filter((_, k) => k % 2 === 1);
const customer = test.points.record(probability.indexOf(Math.max(...probability)));
console.log(`most likely to leave: ${customer.customer}, with a probability of ${Math.max(...probability).toFixed(2)}`);
const { base, value, fields } = model.explain(customer);
for (const { name, share } of fields)
  console.log(`  ${name.padEnd(9)} ${String(customer[name]).padEnd(11)} ${share.toFixed(2).padStart(6)}`);
console.log(`  ${'base'.padEnd(21)} ${base.toFixed(2).padStart(6)}\n  ${'sum'.padEnd(21)} ${value.toFixed(2).padStart(6)}`);
