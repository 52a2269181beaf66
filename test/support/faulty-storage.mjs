import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from './seeded-random.ts';

const writes = ['append', 'supersede', 'saveProcedureMetadata', 'updateProcedureStatus'];
/** A write that failed for whoever made it may arrive so much later, in ms. */
const lateMs = 3_000;

/**
 * A storage as over a bad network: three of ten writes fail, a third of these after they were made, and a third are made later on, behind
 * those that come after them. The others take up to 60 ms longer. `killAt`: its process kills itself in the midst of so manieth a write,
 * before or after that is made.
 */
export function faultyStorage(storage, { seed, killAt = Infinity }) {
  const random = seededRandom(seed);
  let count = 0;
  const die = () => process.kill(process.pid, 'SIGKILL');
  const write =
    (name) =>
    async (...args) => {
      const make = () => storage[name](...args);
      const [chance, part] = [random(), random()];
      const isLast = ++count === killAt;
      if (isLast && part < 0.5) die();
      if (isLast) void delay(1).then(die);
      if (chance < 0.1) throw new Error('the connection was refused');
      await delay(part * 60);
      if (chance < 0.2) {
        void delay(part * lateMs)
          .then(make)
          .catch(() => undefined);
        throw new Error('no answer came in time');
      }
      const done = await make();
      if (chance < 0.3) throw new Error('the connection was lost');
      return done;
    };
  return new Proxy(storage, {
    get: (target, name) => {
      if (writes.includes(name)) return write(name);
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
