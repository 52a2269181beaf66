import { expect, it, vi } from 'vitest';
import { Screen } from '../../../src/cli/screen.js';
import { WaitWatch } from '../../../src/cli/wait-watch.js';

it('tells of a call that does not come back, less often as time goes by', () => {
  const screen = new Screen({ json: false, quiet: false, color: false });
  const note = vi.spyOn(screen, 'note').mockImplementation(() => undefined);
  const watch = new WaitWatch(screen);
  const since = '2026-01-01T00:00:00.000Z';
  const waits = [
    { position: '0', kind: 'activity', name: 'helper', since } as const,
    { position: '1', kind: 'human', name: 'Go?', since } as const,
  ];
  for (let second = 0; second <= 3_000; second++) watch.look(waits, Date.parse(since) + second * 1_000);
  expect(note.mock.calls.map(([text]) => text)).toEqual(
    [15, 60, 300, 1_200, 2_100, 3_000].map(
      (seconds) => expect.stringContaining(`Still waiting for helper, for ${seconds} s now`) as string,
    ),
  );
});
