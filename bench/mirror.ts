/**
 * `npm run bench -- mirror`: what a checkpoint costs that is mirrored into files, of a run that has 20,000 against one
 * that has 100; and a step of a run with a large state, mirrored against not.
 */
import { printTable } from './measures/compare.ts';
import { measureMirroredSteps } from './measures/mirrored-steps.ts';
import { measureMirrorWrites } from './measures/mirror-writes.ts';
import { openStage } from './stage.ts';

printTable(['after 20,000', 'after 100'], await measureMirrorWrites());
const stage = await openStage();
try {
  console.log();
  printTable(['mirrored', 'not'], await measureMirroredSteps(stage));
} finally {
  await stage.close();
}
process.exit(0);
