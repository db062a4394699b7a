/** Odd and random, so that nobody can make texts whose terms all get the same place. Nothing else depends on it. */
const FACTOR = Math.floor(Math.random() * 2 ** 32) | 1;

/** Bags for more terms than this are not kept: emptying them would take long, text after text. */
const KEPT = 1024;
const FIRST = 32;

/** The distinct terms of a text, in the order in which they were first added, and the number of each. */
export class Bag {
  terms = new Uint32Array(FIRST);
  counts = new Int32Array(FIRST);
  size = 0;
  /** By place, the entry of a term plus 1, or 0. Twice as many places as entries, a power of two. */
  #places = new Uint32Array(2 * FIRST);
  /** The high bits of a product are its place. */
  #shift = 31 - Math.log2(FIRST);

  empty(): void {
    this.size = 0;
    if (this.terms.length > KEPT) this.#resize(FIRST);
    else this.#places.fill(0);
  }

  add(term: number, by: number): void {
    const places = this.#places;
    const mask = places.length - 1;
    let place = Math.imul(term, FACTOR) >>> this.#shift;
    for (let entry = places[place]!; entry !== 0; entry = places[place]!) {
      if (this.terms[entry - 1] === term) {
        this.counts[entry - 1]! += by;
        return;
      }
      place = (place + 1) & mask;
    }
    this.terms[this.size] = term;
    this.counts[this.size] = by;
    places[place] = ++this.size;
    if (this.size === this.terms.length) this.#resize(2 * this.size);
  }

  /** Makes room for so many terms, no fewer than there are. */
  #resize(length: number): void {
    const { terms, counts, size } = this;
    this.terms = new Uint32Array(length);
    this.counts = new Int32Array(length);
    this.#places = new Uint32Array(2 * length);
    this.#shift = 31 - Math.log2(length);
    this.size = 0;
    for (let k = 0; k < size; k++) this.add(terms[k]!, counts[k]!);
  }
}
