/** `npm run bench`: the same work as a procedure and as a workflow written by hand, on one worker and server. */
import { measureMemory } from './measures/memory.ts';
import { measureReplay } from './measures/replay.ts';
import { measureSteps } from './measures/steps.ts';
import { openStage } from './stage.ts';
import type { Comparison } from './measures/compare.ts';

const stage = await openStage();
try {
  const rows: Comparison[] = [
    ...(await measureSteps(stage)),
    await measureReplay(stage),
    await measureMemory(stage),
  ];
  console.log('| what | procedure | by hand | ratio |\n| --- | --- | --- | --- |');
  for (const { what, unit, ours, native } of rows)
    console.log(
      `| ${what} | ${ours.toFixed(1)} ${unit} | ${native.toFixed(1)} ${unit} | ${(ours / native).toFixed(2)} |`,
    );
} finally {
  await stage.close();
}
process.exit(0);
