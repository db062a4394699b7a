// Finds the data sets of the benchmarks: in --data, FISTA_CLASSIFY_DATA, ../shared/data, or test/fixtures, which has those in the
// repository.
'use strict';
const { createHash } = require('node:crypto');
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { gunzipSync } = require('node:zlib');

// The sha256 of the uncompressed text, as on the LIBSVM data page.
const LIBSVM = 'https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary';
const UCI = 'the UCI repository';
const DIGITS = 'MNIST (LeCun, Cortes, Burges), all ten digits, as IDX';
const MNIST = 'MNIST (LeCun, Cortes, Burges), the digits 0 and 1 in their order, as IDX';
const SETS = {
  a9a: { from: `${LIBSVM}/a9a`, sha256: '76b604b2c3f738783537bd3b32893eae66af54b8a41aee534fac1ecea45c1535' },
  a1a: { from: `${LIBSVM}/a1a`, sha256: '740f16ebaee4597b2f8f5286686d77fc297b1ceb2f67ed9510362b7cf6101166' },
  w1a: { from: `${LIBSVM}/w1a`, sha256: 'f17b66acbf9cea176fe1a0e1fe97fdaa7e916a6d7e26e19ae1061f9e0dcf99b0' },
  w8a: { from: `${LIBSVM}/w8a`, sha256: '05af7655871a35d5bc89c755791b5338a9969cb604c9df045c811c5e5a45426e' },
  mushrooms: { from: `${LIBSVM}/mushrooms`, sha256: '03115cabe65c7634b8e4f1a5581a35cf9c4d1eade64ecfe33620c0efb5891cb9' },
  svmguide1: { from: `${LIBSVM}/svmguide1`, sha256: '2b9ab55b6236f62cee6b7739b52f9e7cb033771f39b9c22c1f1790d80ef14d7f' },
  'german.numer_scale': {
    from: `${LIBSVM}/german.numer_scale`,
    sha256: '07c73a1f7937dc660aca5de5783c980697ab093dbd4705c580d298788a3554f5',
  },
  australian: { from: `${LIBSVM}/australian`, sha256: 'c43bdd0b66d83fb7a939baf0b7ad6d54311df79a7f182f513f6a72413078be75' },
  australian_scale: {
    from: `${LIBSVM}/australian_scale`,
    sha256: 'afdad9688b24bbc37b3f442434d5bf9fd06b18561198954eb55e9fa5eb2ae6e7',
  },
  heart_scale: { from: `${LIBSVM}/heart_scale`, sha256: '63917b08a72632bb3d5c0a704c40fe3ed35aca473c2ace511c8ad37a8b5df20a' },
  leukemia: {
    from: `${LIBSVM}/leu.bz2 and unpack it as leukemia`,
    sha256: '29583d669d2ed90507d828052dc20f6d329608d926abbb885c3a711918c852b7',
  },
  wdbc: {
    from: 'the UCI repository, Breast Cancer Wisconsin (Diagnostic), written as LIBSVM text',
    sha256: '64fe97d5470fba3b8f9590958712b900608c59b0f24c5c2de2cd3b1938a0c0a7',
  },
  spambase: {
    from: 'the UCI repository, Spambase, written as LIBSVM text',
    sha256: '3559e4910f61c97c9855848dc35fe2e7bc91e2c54a373bbaf68d9929deb30f9a',
  },
  'farm-ads': {
    from: 'the UCI repository, Farm Ads (farm-ads-vect), written as LIBSVM text',
    sha256: '37581bf67dde093b466d917dc4ff53bd09191bf70c1c5239da4e4b5494918bfe',
  },
  rt_polarity: {
    from: 'the sentence polarity data of Pang and Lee (2005), the words that occur in two sentences or more as 0/1, written as LIBSVM text',
    sha256: '26945f24040f5445ff47b5eaddb83ccfa11768acfd5e90bf4b1a3716eaa7bd9c',
  },
  sms_spam: {
    from: "the UCI repository, SMS Spam Collection, by scikit-learn's TfidfVectorizer with its defaults, written as LIBSVM text",
    sha256: '3a71737b0e5f24964c4032d974133f25716873c4052f95b58c675672cbf43378',
  },
  'SMSSpamCollection.tsv': {
    from: `${UCI}, SMS Spam Collection, as SMSSpamCollection.tsv`,
    sha256: 'edc1f2ca36319ca36c6f80fede2f6ae5f81335289352485f3924df077ec20266',
  },
  'adult.csv': {
    from: `${UCI}, Adult (adult.data), as adult.csv`,
    sha256: 'df25a4e32ed6f1bd4b3910d21a7bd661a09061eced7cb45555a519d9667cc87b',
  },
  'adult.test.csv': {
    from: `${UCI}, Adult (adult.test), as adult.test.csv`,
    sha256: 'a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05',
  },
  'a9a.t': { from: `${LIBSVM}/a9a.t`, sha256: '0c3135eb9b9d83a4fa007d6e1a3b719f029db78884dafd5a46a4d7eeb4c2b018' },
  'svmguide1.t': { from: `${LIBSVM}/svmguide1.t`, sha256: 'f9c2fd4c725172aeb4476fc1e2327d537f7fbc2f53f49dfd073f80efbe1ba8f7' },
  letter: {
    from: `${UCI}, Letter Recognition, written as LIBSVM text`,
    sha256: '99041d4db4cdbec382e9dd38885e4d3294d27e99bea307daf095315a4406d482',
  },
  pendigits: {
    from: `${UCI}, Pen-Based Recognition of Handwritten Digits (training rows), written as LIBSVM text`,
    sha256: '6e8a2f318a24d97d26a9c381642621dc955fed73ec44c4d417bd7afbb47ed67c',
  },
  'pendigits.t': {
    from: `${UCI}, Pen-Based Recognition of Handwritten Digits (test rows), written as LIBSVM text`,
    sha256: '5ddb2f034e1c5ca8a47b8a7e78510f8a9d68015cf40a5031534c693fba9773d3',
  },
  satimage: {
    from: `${UCI}, Statlog (Landsat Satellite) (training rows), written as LIBSVM text`,
    sha256: '68ae998e5a7c5a32aec6e517da25371a15b6f8abc62c4067b4ff5a7384f0c2d9',
  },
  'satimage.t': {
    from: `${UCI}, Statlog (Landsat Satellite) (test rows), written as LIBSVM text`,
    sha256: 'd1b5685c6f77b21448319298fff4f927e52eb7c738e08b1224df36e26d5ba70e',
  },
  optdigits: {
    from: `${UCI}, Optical Recognition of Handwritten Digits (training rows), written as LIBSVM text`,
    sha256: 'b43269275183d843e94ba63a444a1ec4b5b43a5e9b74adc07f3f66ed3b28ab3a',
  },
  'optdigits.t': {
    from: `${UCI}, Optical Recognition of Handwritten Digits (test rows), written as LIBSVM text`,
    sha256: 'b82d89c2691202b8add34b5bf633e936062defcf92753a8db0ff078f68214ee0',
  },
  news20: {
    from: 'https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass/news20.bz2 and unpack it as news20',
    sha256: '1d6eb77c42e1c78e86f36af834268de933da3607f38e3703aef15f7a9f11e506',
  },
  'train-images-idx3-ubyte': { from: DIGITS, sha256: 'ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db' },
  'train-labels-idx1-ubyte': { from: DIGITS, sha256: '65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5' },
  't10k-images-idx3-ubyte': { from: DIGITS, sha256: '0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7' },
  't10k-labels-idx1-ubyte': { from: DIGITS, sha256: 'ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2' },
  'mnist01-test-images-idx3-ubyte': {
    from: `${MNIST} (test set)`,
    sha256: 'ab2d98bd6cc310374ba0c91593030014043a66031b5e5fea29ca2e844fbf6905',
  },
  'mnist01-test-labels-idx1-ubyte': {
    from: `${MNIST} (test set)`,
    sha256: '0fd740eac9f45ca4f4e28c0d149bc49ffb64d7447936d786de33fad4e7629dd0',
  },
  'mnist01-train-images-idx3-ubyte': {
    from: `${MNIST} (train set)`,
    sha256: '482e60888de7fa7ee006fef795764c059594ad61bc5376d601e04ae92a1b2081',
  },
  'mnist01-train-labels-idx1-ubyte': {
    from: `${MNIST} (train set)`,
    sha256: '74725c932888a926132f07f349b7fba6a5d33dff14d8f28b77f14351c19a9840',
  },
};

/** Returns a function of a set's name: the text as a Buffer, or undefined after printing what to download. */
function finder(named) {
  const root = join(__dirname, '..');
  const folders = [
    named,
    process.env.FISTA_CLASSIFY_DATA,
    join(root, '..', 'shared', 'data'),
    join(root, 'test', 'fixtures'),
  ].filter(Boolean);
  return (name) => {
    const { from, sha256 } = SETS[name];
    const names = [name, `${name}.libsvm`, `${name}.gz`, `${name}.libsvm.gz`];
    const file = folders.flatMap((folder) => names.map((n) => join(folder, n))).find((path) => existsSync(path));
    if (file === undefined) {
      console.log(
        `Left out: the data set ${name} is not in ${folders.join(' or ')}.\nDownload ${from} into a folder and name it with --data ` +
          `or FISTA_CLASSIFY_DATA. Its sha256 is ${sha256}.\n`,
      );
      return undefined;
    }
    const bytes = readFileSync(file);
    const text = file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    const found = createHash('sha256').update(text).digest('hex');
    if (found !== sha256) console.log(`Note: ${file} is not the expected file: its sha256 is ${found}, not ${sha256}.\n`);
    return text;
  };
}

/** Parses LIBSVM text to { indptr, indices, values, rows, cols, labels }, with columns from 0, at least `cols` of them. */
function parseLibsvm(text, cols = 0) {
  const indptr = [0];
  const indices = [];
  const values = [];
  const labels = [];
  for (const line of text.toString().split('\n')) {
    if (line === '') continue;
    const [label, ...entries] = line.trim().split(/\s+/);
    labels.push(Number(label));
    for (const entry of entries) {
      const [index, value] = entry.split(':');
      indices.push(Number(index) - 1);
      values.push(Number(value));
      cols = Math.max(cols, Number(index));
    }
    indptr.push(indices.length);
  }
  return {
    indptr: Uint32Array.from(indptr),
    indices: Uint32Array.from(indices),
    values: Float64Array.from(values),
    rows: labels.length,
    cols,
    labels: Float64Array.from(labels),
  };
}

/** Sparse points as dense f64. */
function toDense({ indptr, indices, values, rows, cols }) {
  const data = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) for (let k = indptr[i]; k < indptr[i + 1]; k++) data[i * cols + indices[k]] = values[k];
  return { data, rows, cols };
}

module.exports = { finder, parseLibsvm, toDense };
