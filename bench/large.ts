/**
 * `npm run bench -- large`: a procedure of 2,000 lines against one of 20: starting it, replaying it, and looking at it
 * without running it.
 */
import { measureLargeStart } from './measures/large-start.ts';
import { measureLooking } from './measures/looking.ts';
import { printTable } from './measures/compare.ts';
import { openStage } from './stage.ts';

const stage = await openStage();
try {
  printTable(['2,000 lines', '20 lines'], await measureLargeStart(stage));
} finally {
  await stage.close();
}
const { againstParsing, perLine } = await measureLooking();
console.log();
printTable(['here', 'luaparse alone'], againstParsing);
console.log();
printTable(['2,000 lines', '200 lines'], perLine);
process.exit(0);
