/** fista-classify/mpi: training by several processes, each on its own rows (docs/scale.md). */
import { connect } from './communicator.js';
import { register, type Communicator } from './ranks.js';

export type { Communicator, Traffic } from './ranks.js';

/**
 * The processes that mpirun started, connected at the first call; later calls return the same object. It is the option `ranks` of
 * `LinearSvm.fit`, `LinearSvm.fitAsync` and `crossValidate`. Without mpirun there is one process, and nothing changes.
 */
export function mpi(): Communicator {
  return register(connect());
}
