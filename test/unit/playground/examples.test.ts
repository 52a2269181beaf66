import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkSource, sourceOf } from '../../../src/playground/procedures/check-source.js';
import { examples } from '../../../src/playground/procedures/examples.js';
import { newRecord } from '../../../src/playground/runs/new-record.js';
import { RunHost } from '../../../src/playground/runs/run-host.js';
import { scriptLines } from '../../../src/playground/models/scripted-model.js';
import type { JsonObject, JsonValue } from '../../../src/contract/json/json.js';
import type { Waiting } from '../../../src/playground/runs/perform.js';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 2) });
});
afterEach(() => {
  vi.useRealTimers();
});

function answerTo(wait: Waiting): JsonValue {
  if (wait.kind === 'event') return { amount: 12 };
  if (wait.kind !== 'person') return null;
  return wait.ask.kind === 'approval' ? true : (wait.ask.options[0] ?? 'yes');
}

/** What each of them comes to where people go along with everything. */
const outputs: Record<string, unknown> = {
  joke: { joke: 'Why did the cat sit on the keyboard? To keep an eye on the mouse.', liked: true },
  tool: { answer: 'The parcel is on its way.' },
  form: { refunded: 40, by: 'person' },
  timeout: { deployed: true },
  branches: { sights: [expect.any(String), expect.any(String), expect.any(String)] },
  choice: { channel: 'blog', title: 'yes' },
  saga: { booked: true, reason: '' },
  graph: { question: 'Why?', notes: ['seen on the web', 'seen in files'], answer: 'sent' },
  event: { shipped: true, amount: 12 },
  failure: { state: 'unknown' },
};

describe('the examples of the playground', () => {
  it('are these', () => {
    expect(examples.map(({ name }) => name)).toEqual(Object.keys(outputs));
  });

  it.each(examples)('$name has no problem, and runs as it is', async ({ name, text, input, script }) => {
    expect(checkSource(text)).toEqual([]);
    const record = newRecord(sourceOf(text), JSON.parse(input) as JsonObject);
    const host = new RunHost(
      record,
      () => scriptLines(script),
      () => undefined,
    );
    host.start();
    for (let i = 0; i < 40; i++) {
      await vi.advanceTimersByTimeAsync(2_000);
      for (const wait of host.view.waits)
        if (wait.kind === 'time') host.skip(wait.position);
        else if (wait.kind !== 'model') expect(host.answer(wait.position, answerTo(wait))).toBeNull();
    }
    expect(host.view).toMatchObject({ status: 'completed', error: null });
    expect(host.view.output).toEqual(outputs[name]);
  });
});
