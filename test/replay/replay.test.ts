import { beforeAll, describe, expect, it } from 'vitest';
import type { CheckpointType } from '../../src/contract/checkpoints/checkpoint.js';
import { workflowBundlePath } from '../../src/worker/bundles/workflow-bundle.js';
import type { History } from '../support/histories.js';
import { keptBundle, keptVersions } from '../support/kept-bundle.js';
import { replayHistories } from '../support/replay-histories.js';
import { sampled } from '../support/sampled.js';
import { historyFromText } from './history-text.js';
import { keptHistories, readHistory, readText } from './kept-histories.js';
import { isFrom, kindsOf } from './kinds-of-version.js';
import { keptProcedures } from './kept-procedures.js';
import { showByReplay } from './shown-by-replay.js';

const kept = keptHistories();

/** Whose own workflow code is asked as well; all of it replays with what is built now. */
const shown = sampled(keptVersions(), 2, (version) => version === keptVersions().at(-1));

/** What stands in the logs of a version: what each kind of effect leaves, and the turns that model calls are part of. */
const typesIn = (version: string): CheckpointType[] => [
  'agent_turn',
  ...kindsOf(version).flatMap(({ types }) => [...types]),
];

describe('kept histories', () => {
  it('are there for every example, every procedure of the fault tests, and every way of a run', () => {
    for (const { entry, since = '0.1.0' } of keptProcedures) {
      if (!keptVersions().some((version) => isFrom(since, version))) continue;
      const name = entry.replace('.tac', '');
      expect(
        kept.some(({ workflowId, execution }) => workflowId === name && execution === 0),
        name,
      ).toBe(true);
    }
  });

  it('would not replay if other commands came of them', async () => {
    const [first] = kept.filter(({ workflowId }) => workflowId === 'order-answer');
    const text = first === undefined ? '' : readText(first);
    const history = historyFromText(text.replaceAll('"modelCall"', '"predict"'));
    expect(await replayHistories([{ workflowId: 'order-answer', history }])).toHaveLength(1);
  });
});

describe.each(keptVersions())('kept histories of %s', (version) => {
  const names = new Map<string, string>();
  let histories: { workflowId: string; history: History }[];
  let now: Awaited<ReturnType<typeof showByReplay>>;

  beforeAll(async () => {
    histories = kept
      .filter((each) => each.version === version)
      .map((each) => {
        const history = readHistory(each);
        const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
        names.set(started?.originalExecutionRunId ?? '', each.name);
        return { workflowId: each.workflowId, history };
      });
    now = await showByReplay(histories, workflowBundlePath());
  });

  it('replay with the workflow code as it is built now', () => {
    expect(now.problems).toEqual([]);
  });

  it.runIf(shown.includes(version))(
    'show the same log, state and statuses as with the workflow code of their version',
    async () => {
      const { problems, shown } = await showByReplay(histories, keptBundle(version));
      expect(problems).toEqual([]);
      expect([...shown.keys()].map((id) => names.get(id)).sort()).toEqual([...names.values()].sort());
      for (const [id, before] of shown) expect(now.shown.get(id), names.get(id)).toEqual(before);
    },
  );

  it('show every kind of effect, and those that can fail failed too', () => {
    const checkpoints = [...now.shown.values()].flatMap((shown) => shown.checkpoints);
    const typesOf = (isDone: boolean): CheckpointType[] =>
      checkpoints.flatMap(({ type, outcome }) => (outcome.ok === isDone ? [type] : []));
    expect(typesOf(true)).toEqual(expect.arrayContaining(typesIn(version)));
    expect(typesOf(false)).toEqual(
      expect.arrayContaining(['agent_turn', 'file', 'http', 'model_call', 'model_predict', 'procedure_call']),
    );
  });
});
