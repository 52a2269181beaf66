import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { replayHistories } from '../support/replay-histories.js';
import { historyFromText } from './history-text.js';
import { keptProcedures } from './kept-procedures.js';

const folder = fileURLToPath(new URL('histories/', import.meta.url));

/** `plan-and-publish/1` for `0.1.0/plan-and-publish.1-0.json`: ids of child runs follow from it. */
function workflowIdOf(name: string): string {
  return name
    .slice(name.lastIndexOf('/') + 1)
    .replace(/-\d+\.json$/, '')
    .replaceAll('.', '/');
}

describe('kept histories', () => {
  let names: string[];

  beforeAll(async () => {
    names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json')).sort();
  });

  it('are there for every example and every procedure of the fault tests', () => {
    for (const { entry } of keptProcedures) {
      const name = entry.replace('.tac', '');
      expect(
        names.some((each) => each.endsWith(`/${name}-0.json`)),
        name,
      ).toBe(true);
    }
  });

  it('replay with the workflow code as it is built now', async () => {
    const histories = await Promise.all(
      names.map(async (name) => {
        const history = historyFromText(await readFile(`${folder}${name}`, 'utf8'));
        return { workflowId: workflowIdOf(name), history };
      }),
    );
    expect(await replayHistories(histories)).toEqual([]);
  });

  it('would not replay if other commands came of them', async () => {
    const name = names.find((each) => each.endsWith('/order-answer-0.json'));
    const text = await readFile(`${folder}${name}`, 'utf8');
    const history = historyFromText(text.replaceAll('"modelCall"', '"predict"'));
    expect(await replayHistories([{ workflowId: 'order-answer', history }])).toHaveLength(1);
  });
});
