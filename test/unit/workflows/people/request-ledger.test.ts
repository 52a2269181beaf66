import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { changesOf, newestEngine } from '../../../../src/contract/engine.js';
import { RequestLedger } from '../../../../src/workflows/people/request-ledger.js';
import { aRequest, ledgerWith, openedAt, runId } from '../../contract/human-request.fixture.js';

let now: number;
const ledgerOf = (...requests: Parameters<typeof ledgerWith>): RequestLedger =>
  new RequestLedger({
    ledger: ledgerWith(...requests),
    now: () => now,
    isPassed: () => false,
    holds: changesOf(newestEngine),
  });

beforeEach(() => {
  now = openedAt;
});

it('a change puts another ledger in the place of the current one, and leaves that as it was', () => {
  const requests = ledgerOf(aRequest());
  const before = requests.current;
  const copy = structuredClone(before);
  const decision = { request: `${runId}/3`, value: true, by: 'alice' };
  expect(requests.foresee(decision)).toMatchObject({ outcome: 'accepted' });
  expect(requests.current).toBe(before);
  expect(requests.settle(decision)).toMatchObject({
    verdict: { outcome: 'accepted' },
    answer: { value: true, by: 'alice' },
  });
  expect(requests.current).not.toBe(before);
  expect(requests.current).toMatchObject({ open: [], closed: [{ how: 'decided', answer: { value: true } }] });
  requests.forgetAnswer(`${runId}/3`);
  expect(requests.current.closed).toMatchObject([{ how: 'decided', answer: null }]);
  expect(before).toEqual(copy);
});

it('a request is open until its time is over, also where the clock is behind its timer', () => {
  const deadline = new Date(openedAt + 1_000).toISOString();
  const requests = ledgerOf();
  expect(requests.open(aRequest({ deadline }))).toBeNull();
  expect(requests.nextTime(`${runId}/3`)).toBe(openedAt + 1_000);
  now = openedAt + 999;
  expect(requests.pass(`${runId}/3`)).toMatchObject([{ id: `${runId}/3`, answer: { timed_out: true } }]);
  expect(requests.current).toMatchObject({ open: [], closed: [{ how: 'timed_out' }] });
  expect(requests.nextTime(`${runId}/3`)).toBeNull();
});

it('a decision that waits for its verification is kept as the same object through other changes', () => {
  const requests = ledgerOf(aRequest(), aRequest({ position: '4' }));
  const first = { decision: { request: `${runId}/3`, value: true }, at: now };
  const second = { decision: { request: `${runId}/3`, value: true }, at: now };
  requests.addUnverified(first);
  requests.addUnverified(second);
  requests.cancel(`${runId}/4`);
  requests.keepVerdict(first.decision, 'not_allowed', 'no');
  requests.tidyDeliveries();
  expect(requests.current.unverified?.[0]).toBe(first);
  requests.dropUnverified(first);
  expect(requests.current.unverified).toEqual([second]);
  requests.dropUnverified(second);
  expect('unverified' in requests.current).toBe(false);
});

it('the ledger of a run is assigned in one file', () => {
  const root = 'src/workflows';
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('engine-1/'))
    .filter((file) => /\.ledger\s*=[^=>]/.test(readFileSync(join(root, file), 'utf8')));
  expect(files).toEqual(['people/request-ledger.ts']);
});
