/** What is proved of a row, for good: each is a fact about every exact optimum. `agreed` alone is about the last claim's own t. */
export const FACT = { proper: 1, zero: 2, atBound: 4, positive: 8, negative: 16, agreed: 32 } as const;
