import { randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { packAnswers, readLastAnswers } from '../../../../src/client/lists/last-answers.js';
import { openRunIndex } from '../../../../src/read-model/open-run-index.js';
import type { RunIndex } from '../../../../src/read-model/run-index.js';
import { lastAnswersOf } from '../../../support/told-run.js';

let index: RunIndex;
beforeEach(async () => {
  index = await openRunIndex(':memory:');
});
afterEach(() => index.close());

/** Nobody reads what it has made without it. It notes whose payloads it was given. */
function turning(owners: unknown[] = []): PayloadCodec {
  const turned = async (payloads: Payload[]): Promise<Payload[]> =>
    payloads.map((payload) => ({
      ...payload,
      data: Uint8Array.from(payload.data ?? [], (byte) => byte ^ 255),
    }));
  return {
    encode: (payloads, owner?: unknown) => {
      owners.push(owner);
      return turned(payloads);
    },
    decode: turned,
  };
}

const answers = lastAnswersOf('r', 9);
const place = { runId: 'r', execution: 'e1' };

async function keep(codecs: PayloadCodec[] = []): Promise<void> {
  const kept = await packAnswers('e1', answers, { codecs, namespace: 'n' });
  if (kept !== null) await index.write([{ kind: 'answered', run: kept }]);
}

it('gives back what was kept', async () => {
  await keep();
  expect(await readLastAnswers(index, place, { codecs: [] })).toEqual(answers);
  expect(await readLastAnswers(index, { ...place, execution: 'e0' }, { codecs: [] })).toBeNull();
});

it('keeps it as codecs make it, for the run that it is of', async () => {
  const owners: unknown[] = [];
  const codecs = [turning(owners)];
  await keep(codecs);
  expect(owners).toEqual([{ type: 'workflow', namespace: 'n', workflowId: 'r' }]);
  expect(await readLastAnswers(index, place, { codecs })).toEqual(answers);
  // Without its key, a worker has to say it.
  expect(await readLastAnswers(index, place, { codecs: [] })).toBeNull();
});

it('keeps nothing that is too large', async () => {
  const large = {
    ...answers,
    status: { ...answers.status, output: randomBytes(400_000).toString('base64') },
  };
  expect(await packAnswers('e1', large, { codecs: [], namespace: 'n' })).toBeNull();
});

it('knows nothing where the index is away', async () => {
  await keep();
  vi.spyOn(index, 'answers').mockRejectedValueOnce(new Error('away'));
  expect(await readLastAnswers(index, place, { codecs: [] })).toBeNull();
});
