/**
 * `npm run bench -- scale [--part PART] [--sizes SMALL,LARGE]`: how cost grows. Each row has what a unit costs at a small size and at a large one, and how many times
 * as much that is. Parts are `waiting` runs, `effects` of a long run, `children`, `branches`, a `conversation`, and `lists` of storages; sizes go with one part.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { asRow, growthHead, type Growth, type Sizes } from './measures/growth.ts';
import { measureLongConversation } from './measures/long-conversation.ts';
import { measureLongRun } from './measures/long-run.ts';
import { measureListGrowth } from './measures/own-storages.ts';
import { measureBranches, measureChildren } from './measures/side-by-side.ts';
import { measureWaiting } from './measures/waiting-runs.ts';
import { openStage, type Stage } from './stage.ts';

interface Part {
  sizes: Sizes;
  measure: (sizes: Sizes) => AsyncIterable<Growth> | Promise<Growth[]>;
}

/** Each has a server of its own, which has nothing of the others to look through. */
const staged =
  (measure: (stage: Stage, sizes: Sizes) => Promise<Growth[]>) =>
  async (sizes: Sizes): Promise<Growth[]> => {
    const stage = await openStage();
    return measure(stage, sizes).finally(() => stage.close());
  };

const parts: Record<string, Part> = {
  effects: { sizes: [1_000, 20_000], measure: staged(measureLongRun) },
  children: { sizes: [100, 2_300], measure: staged(measureChildren) },
  branches: { sizes: [50, 1_000], measure: staged(measureBranches) },
  conversation: { sizes: [50, 500], measure: staged(measureLongConversation) },
  lists: { sizes: [1_000, 100_000], measure: measureListGrowth },
  waiting: { sizes: [1_000, 10_000], measure: staged(measureWaiting) },
};

const { values } = parseArgs({ options: { part: { type: 'string' }, sizes: { type: 'string' } } });
const chosen = Object.entries(parts).filter(([name]) => name === (values.part ?? name));
const [small, large] = (values.sizes ?? '').split(',').map(Number);
const given: Sizes | null = small !== undefined && large !== undefined ? [small, large] : null;
if (chosen.length === 0 || (values.sizes !== undefined && (given === null || chosen.length > 1)))
  throw new Error(`--part is one of ${Object.keys(parts).join(', ')}; --sizes 100,1000 goes with one part`);

let hasFailed = false;
console.log(growthHead);
for (const [name, { sizes, measure }] of chosen)
  try {
    for await (const row of await measure(given ?? sizes))
      console.log(asRow(row, given ?? sizes, loadavg()[0] ?? 0));
  } catch (error) {
    hasFailed = true;
    console.log(`| ${name} failed: ${error instanceof Error ? error.message : String(error)} | | | | | |`);
  }
process.exit(hasFailed ? 1 : 0);
