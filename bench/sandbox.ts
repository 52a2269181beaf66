/**
 * `npm run bench -- sandbox`: what two of the SDK's habits cost in the sandbox of workflows: the stack that it keeps of each promise, and the
 * time limit that it gives each call.
 */
import { createContext, Script } from 'node:vm';
import { inRotation, median, printTable, timed } from './measures/compare.ts';
import { measureReplay } from './measures/replay.ts';
import { openStage, plugin, pluginByHand } from './stage.ts';

const calls = 5_000;

function entries(options: { timeout?: number }): Promise<number> {
  const context = createContext({}, { microtaskMode: 'afterEvaluate' });
  const script = new Script('1');
  const all = timed(() => {
    for (let call = 0; call < calls; call++) script.runInContext(context, options);
    return Promise.resolve();
  });
  return all.then((ms) => (ms * 1_000) / calls);
}

const stage = await openStage();
try {
  const kept = await measureReplay(stage, { ours: pluginByHand });
  const leftOut = await measureReplay(stage, { byHand: plugin });
  printTable(
    ['stack traces left out', 'kept'],
    [
      { what: 'replay of a procedure of 1,000 steps', unit: 'ms', ours: leftOut.ours, native: kept.ours },
      { what: 'replay of 1,000 steps by hand', unit: 'ms', ours: leftOut.native, native: kept.native },
    ],
  );
  const measured = await inRotation(5, {
    none: () => entries({}),
    limited: () => entries({ timeout: 5_000 }),
  });
  printTable(
    ['without a time limit', 'with one'],
    [{ what: 'a call', unit: 'µs', ours: median(measured.none), native: median(measured.limited) }],
  );
} finally {
  await stage.close();
}
process.exit(0);
