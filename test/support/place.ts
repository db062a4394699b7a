/**
 * Where the tasks of asynchronous calls are performed. Those of small problems stay on the calling thread. A test file that needs all
 * tasks on another thread, as for large problems, replaces the count:
 *
 *   vi.mock(import('../../lib/solver/drivers.js'), async (original) => placed(await original()));
 */
export const place = { elsewhere: true };

export function placed<Drivers extends { countTasksHere: (size: number) => number }>(drivers: Drivers): Drivers {
  return { ...drivers, countTasksHere: (size: number) => (place.elsewhere ? 0 : drivers.countTasksHere(size)) };
}
