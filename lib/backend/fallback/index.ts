/** The TypeScript twins of native/kernels: the specification, and what runs where no binary loads. */
export { projectCones } from './cones.js';
export { Esp } from './esp.js';
export { Interrupt } from './interrupt.js';
export { projectKnapsack } from './knapsack.js';
export { copyPoints, decidePoints, Matrix } from './matrix.js';
export { Parser } from './parse.js';
export { Svm } from './svm.js';
