/** `npm run bench`: the same work as a procedure and as a workflow written by hand, on one worker and server. */
import { measureMemory } from './measures/memory.ts';
import { measureReplay } from './measures/replay.ts';
import { measureSteps } from './measures/steps.ts';
import { openStage } from './stage.ts';
import { printTable, type Comparison } from './measures/compare.ts';

const stage = await openStage();
try {
  const rows: Comparison[] = [
    ...(await measureSteps(stage)),
    await measureReplay(stage),
    await measureMemory(stage),
  ];
  printTable(['procedure', 'by hand'], rows);
} finally {
  await stage.close();
}
process.exit(0);
