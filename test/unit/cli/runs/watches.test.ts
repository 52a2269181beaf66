import { expect, it, vi } from 'vitest';
import { Screen } from '../../../../src/cli/terminal/screen.js';
import { unheardTexts, UnservedWatch, WaitWatch } from '../../../../src/cli/runs/run-text.js';
import type { RunView } from '../../../../src/contract/runs/run-view.js';

it('tells of a call that does not come back, less often as time goes by', () => {
  const screen = new Screen({ json: false, quiet: false, color: false });
  const note = vi.spyOn(screen, 'note').mockImplementation(() => undefined);
  const watch = new WaitWatch(screen);
  const since = '2026-01-01T00:00:00.000Z';
  const waits = [
    { position: '0', kind: 'activity', name: 'helper', since } as const,
    { position: '1', kind: 'human', name: 'Go?', since } as const,
  ];
  for (let second = 0; second <= 3_000; second++) watch.look({ waits }, Date.parse(since) + second * 1_000);
  expect(note.mock.calls.map(([text]) => text)).toEqual(
    [15, 60, 300, 1_200, 2_100, 3_000].map(
      (seconds) => expect.stringContaining(`Still waiting for helper, for ${seconds} s now`) as string,
    ),
  );
});

it('tells once of a pause, and of nothing that is held', () => {
  const screen = new Screen({ json: false, quiet: false, color: false });
  const warn = vi.spyOn(screen, 'warn').mockImplementation(() => undefined);
  const note = vi.spyOn(screen, 'note').mockImplementation(() => undefined);
  const watch = new WaitWatch(screen);
  const since = '2026-01-01T00:00:00.000Z';
  const paused = { by: 'ann', reason: 'the provider is down', since, deadlines: 'go_on' } as const;
  const waits = [{ position: '0', kind: 'activity', name: 'helper', since, held: true } as const];
  for (let i = 0; i < 3; i++) watch.look({ waits, paused });
  expect(warn.mock.calls).toEqual([[`The run is paused by ann since ${since}: the provider is down.`]]);
  watch.look({ waits: [] });
  watch.look({ waits, paused });
  expect(warn).toHaveBeenCalledTimes(2);
  expect(note).not.toHaveBeenCalled();
});

it('tells once of a call whose task queue nobody serves', () => {
  const screen = new Screen({ json: false, quiet: false, color: false });
  const warn = vi.spyOn(screen, 'warn').mockImplementation(() => undefined);
  const watch = new UnservedWatch(screen);
  const call = { id: 'run 3', task_queue: 'models-openai', since: '2026-01-01T00:00:00.000Z' };
  for (let i = 0; i < 3; i++) watch.look([call]);
  watch.look([{ ...call, id: 'run 4', task_queue: 'tactus-python' }]);
  expect(warn.mock.calls).toHaveLength(2);
  expect(warn.mock.calls[0]?.[0]).toContain('No worker serves the task queue models-openai');
  expect(warn.mock.calls[1]?.[0]).toContain('start one by tactus-temporal worker --python');
});

it('tells what no agent has heard', () => {
  const unheard = [{ message: 'In French', agent: 'writer', by: 'ann' }, { message: 'Short' }];
  const open = { unheard, closed_at: null } as unknown as RunView;
  expect(unheardTexts(open)).toEqual([
    'said to writer by ann, not heard yet: In French',
    'said to whoever asks a model next, not heard yet: Short',
  ]);
  expect(unheardTexts({ ...open, closed_at: '2026-01-01' })[0]).toContain('never heard: In French');
});
