import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { keptBundle } from '../support/kept-bundle.js';
import { replayHistories } from '../support/replay-histories.js';
import { historyFromText } from './history-text.js';

/**
 * A run that 0.1.0 itself can't go on with: it was asked how it stands while a file was found missing, so the failure
 * stands in the first workflow task and the patch's marker in the second. A replay hears of the failure one task
 * earlier, where `patched()` knows of no marker yet, and leaves the pause out. Kept to see what the next version does
 * about it: its `patched()` must not follow from the end of a local activity.
 */
it('a run that was asked while a file was missing is stuck with 0.1.0 when another worker takes it over', async () => {
  const text = readFileSync(new URL('stuck/failed-file-while-asked.json', import.meta.url), 'utf8');
  const workflowBundle = { codePath: keptBundle('0.1.0') };
  const problems = await replayHistories([{ workflowId: 'r4-7', history: historyFromText(text) }], {
    workflowBundle,
  });
  expect(problems).toEqual([expect.stringContaining('Non-deprecated patch marker encountered')]);
});
