/** The entries of a row, columns ascending. One class takes them for all purposes, so that adding an entry is compiled in place. */
export class EncodedRow {
  columns = new Uint32Array(64);
  values = new Float64Array(64);
  count = 0;

  add(column: number, value: number): void {
    if (this.count === this.columns.length) this.#grow();
    this.columns[this.count] = column;
    this.values[this.count++] = value;
  }

  #grow(): void {
    const { columns, values, count } = this;
    this.columns = new Uint32Array(2 * count);
    this.values = new Float64Array(2 * count);
    this.columns.set(columns);
    this.values.set(values);
  }

  /** The sum of the entries, each times its weight. */
  dot(weights: Float64Array): number {
    const { columns, values, count } = this;
    let sum = 0;
    for (let k = 0; k < count; k++) sum += weights[columns[k]!]! * values[k]!;
    return sum;
  }

  /** Multiplies the entries from the given one on. */
  scaleFrom(begin: number, factor: number): void {
    for (let k = begin; k < this.count; k++) this.values[k]! *= factor;
  }

  /** Sorts the entries from the given one on by column: Shell's sort, with the gaps 1, 4, 13, 40, … Most rows are short. */
  sortFrom(begin: number): void {
    const { columns, values, count } = this;
    let gap = 1;
    while (gap < (count - begin) / 9) gap = 3 * gap + 1;
    for (; gap > 0; gap = (gap - 1) / 3) {
      for (let k = begin + gap; k < count; k++) {
        const column = columns[k]!;
        const value = values[k]!;
        let at = k;
        for (; at - gap >= begin && columns[at - gap]! > column; at -= gap) {
          columns[at] = columns[at - gap]!;
          values[at] = values[at - gap]!;
        }
        columns[at] = column;
        values[at] = value;
      }
    }
  }

  clear(): void {
    this.count = 0;
  }
}
