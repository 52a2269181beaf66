import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { newRecord } from '../../../src/playground/runs/new-record.js';
import type { Waiting } from '../../../src/playground/runs/perform.js';
import { RunHost } from '../../../src/playground/runs/run-host.js';
import type { RunRecord } from '../../../src/playground/runs/run-record.js';
import { numberOf, randomProcedure } from '../../support/random-procedure.js';
import { isWhole } from '../../support/sampled.js';
import { seededRandom } from '../../support/seeded-random.js';

const firstSeed = isWhole ? 0 : Number(process.env['SAMPLE_SEED'] ?? 1) % 100_000;
const seeds = Array.from({ length: isWhole ? 300 : 40 }, (_, i) => firstSeed + i);
/** Steps of half a second each. */
const mostSteps = 600;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 2) });
});
afterEach(() => {
  vi.useRealTimers();
});

function answerTo(wait: Waiting): JsonValue {
  const chance = numberOf(wait.position, 4);
  if (wait.kind !== 'person') return chance;
  const { kind, options } = wait.ask;
  if (kind === 'approval') return chance > 0;
  if (options.length === 0) return 'words';
  const option = options[chance % options.length] ?? null;
  return kind === 'review' ? { decision: option } : option;
}

it.each(seeds)(
  'a run that is killed at any moment continues from its record, and ends (%i)',
  async (seed) => {
    const random = seededRandom(seed);
    let record: RunRecord = newRecord(randomProcedure(seed), {});
    let kept = JSON.stringify(record);
    const begin = (): RunHost => {
      record = JSON.parse(kept) as RunRecord;
      const own = record;
      const host = new RunHost(
        own,
        () => [],
        () => (kept = JSON.stringify(own)),
      );
      host.start();
      return host;
    };
    const recorded = new Map<string, string>();
    const look = (): void => {
      for (const { position, outcome } of (JSON.parse(kept) as RunRecord).log) {
        const now = JSON.stringify(outcome);
        expect([position, recorded.get(position) ?? now]).toEqual([position, now]);
        recorded.set(position, now);
      }
    };
    let host = begin();
    for (let step = 0; step < mostSteps && /running|waiting/.test(host.view.status); step++) {
      await vi.advanceTimersByTimeAsync(500);
      look();
      for (const wait of host.view.waits) {
        const isAnswered = (wait.kind === 'person' || wait.kind === 'event') && random() < 0.3;
        if (isAnswered && host.view.waits.some(({ position }) => position === wait.position))
          expect(host.answer(wait.position, answerTo(wait))).toBeNull();
      }
      if (random() < 0.15 && /running|waiting/.test(host.view.status)) {
        host.kill();
        host = begin();
      }
    }
    const { status, output, error } = host.view;
    expect([status, error?.code ?? 'none']).toEqual([
      expect.stringMatching(/completed|failed/) as string,
      expect.not.stringMatching(/non_determinism|internal/) as string,
    ]);
    const calls = host.view.modelCalls;

    const again = begin();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(again.view).toMatchObject({ status, output, modelCalls: calls });
  },
);
