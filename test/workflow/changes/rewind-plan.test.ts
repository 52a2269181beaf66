import { expect, it } from 'vitest';
import { rewindRun } from '../../../src/client/changes/rewind.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { effectTypes } from '../../../src/contract/effects/effects.js';
import type { ProcedureSource } from '../../../src/contract/procedures/source.js';
import { answerRequests } from '../../support/answer-requests.js';
import { expectReplays } from '../../support/histories-below.js';
import { sampled } from '../../support/sampled.js';
import { waitUntil } from '../../support/wait-until.js';
import {
  edited,
  effectsOf,
  inOrder,
  namesOf,
  place,
  procedures,
  requestsOf,
  serverWithShop,
} from './changed-procedures.js';

const around = serverWithShop();

/** The same, which waits for an event before its end. */
const waiting = ({ entry, files }: ProcedureSource): ProcedureSource => {
  const text = files['main.tac'] ?? '';
  const added = text.replace(
    /return (said|\{[^\n]*\})\n {4}end \}$/,
    'local result = $1\n      Event.wait("end")\n      return result\n    end }',
  );
  expect(added).not.toBe(text);
  return { entry, files: { ...files, 'main.tac': added } };
};
const otherPrompt = ({ entry, files }: ProcedureSource): ProcedureSource => ({
  entry,
  files: { ...files, 'main.tac': (files['main.tac'] ?? '').replace('You write.', 'You write well.') },
});
const same = (source: ProcedureSource): ProcedureSource => source;

const isAtEnd = async (run: TactusRun): Promise<boolean> =>
  (await run.status()).waits.some(({ name }) => name === 'end');

async function comeTo(run: TactusRun, isOpen: boolean): Promise<void> {
  const people = answerRequests(around.server.tactus, run.runId, () => true);
  await (isOpen ? waitUntil(() => isAtEnd(run)) : run.result());
  await people.stop();
}

const cases = Object.entries(procedures).flatMap(([name, source]) => [
  { name, how: 'ended', by: 'the same source', source, edit: same, isOpen: false },
  { name, how: 'ended', by: 'an edited one', source, edit: edited, isOpen: false },
  { name, how: 'open', by: 'the same source', source: waiting(source), edit: same, isOpen: true },
  { name, how: 'open', by: 'an edited one', source: waiting(source), edit: otherPrompt, isOpen: true },
]);

it.each(cases)(
  '$name, $how: going back to any position does again what the plan says, and nothing else ($by)',
  async ({ source, edit, isOpen }) => {
    const run = await around.server.tactus.start(source, { shop: around.shop.url });
    await comeTo(run, isOpen);
    const { execution_log: log } = await run.log();
    const positions = sampled(
      log.map(({ position }) => position),
      5,
    );
    let moved = 0;
    for (const at of positions) {
      const { execution_log: before } = await run.log();
      // What an edit adds has moved what comes after it.
      if (!before.some(({ position }) => position === at)) continue;
      moved++;
      const sent = around.sent();
      const { plan, checkpoints } = await rewindRun(around.server.tactus, run, {
        at,
        source: edit(source),
        mayRepeat: true,
      });
      expect(plan.diverges, at).toBeNull();
      await comeTo(run, isOpen);
      const kept = new Set(before.slice(0, checkpoints).map(({ position }) => position));
      const adopted = new Set(
        plan.children.filter(({ becomes }) => becomes === 'adopted').map(({ run_id: id }) => id),
      );
      const did = (await effectsOf(run)).filter(
        (each) => !kept.has(place(each)) && !adopted.has(`${run.runId}/${place(each)}`),
      );
      const again = plan.again.filter(({ type }) => effectTypes.has(type));
      const known = new Set(again.map(({ position }) => position));
      expect(namesOf(again.filter(({ name }) => name !== 'end')), at).toEqual(inOrder(did));
      expect(
        did.filter((each) => !known.has(place(each))),
        at,
      ).toEqual([]);
      expect(around.sent() - sent, at).toBe(requestsOf(again));
      expect((await run.status()).changes, at).toHaveLength(moved);
    }
    expect(moved).toBeGreaterThan(0);
    if (isOpen) await run.send('end', null);
    await run.result();
    await expectReplays(around.server.tactus, run.runId);
  },
);
