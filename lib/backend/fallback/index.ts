/** The TypeScript twins of native/kernels: the specification, and what runs where no binary loads. */
import { projectCones } from './cones.js';
import { projectKnapsack } from './knapsack.js';

export { Esp } from './esp.js';
export { Interrupt } from './interrupt.js';
export { certifyLabels } from './labels.js';
export { copyPoints, decidePoints, Matrix } from './matrix.js';
export { Parser } from './parse.js';
export { Svm } from './svm.js';
export const kernels = { projectCones, projectKnapsack };
