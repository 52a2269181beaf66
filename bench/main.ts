/**
 * `npm run bench`: the same work as a procedure and as a workflow written by hand, on one worker and server, beside the ratios of the last
 * version that has some in figures.json. `npm run bench -- main --keep VERSION` keeps what it measures as the figures of a version.
 */
import { measureMemory } from './measures/memory.ts';
import { measureReplay } from './measures/replay.ts';
import { measureRestart } from './measures/restart.ts';
import { measureSteps } from './measures/steps.ts';
import { openStage } from './stage.ts';
import type { Comparison } from './measures/compare.ts';
import { earlierFigures, keepFigures, printBeside } from './measures/kept-figures.ts';

const [flag, version = ''] = process.argv.slice(2);
const stage = await openStage();
try {
  const rows: Comparison[] = [
    ...(await measureSteps(stage)),
    await measureReplay(stage),
    await measureRestart(stage),
    await measureMemory(stage),
  ];
  printBeside(['procedure', 'by hand'], rows, earlierFigures(version));
  if (flag === '--keep') keepFigures(version, rows);
} finally {
  await stage.close();
}
process.exit(0);
