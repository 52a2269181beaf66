import type { Client } from '@langchain/langgraph-sdk/client';
import { expect, it } from 'vitest';
import { langGraphTasks } from '../../../../../src/activities/tools/agents/langgraph-agent.js';

/** A thread whose node stops again and again, with one id for all of its interrupts. */
function loopingThread(): { client: () => Promise<Client>; runs: { run_id: string }[]; answers: unknown[] } {
  const begun = (n: number): object => ({
    run_id: `run-${n}`,
    created_at: `2026-01-0${n}`,
    status: 'success',
  });
  const runs = [begun(1)] as { run_id: string }[];
  const answers: unknown[] = [];
  const client = {
    runs: {
      list: () => Promise.resolve(runs),
      create: (_thread: string, _graph: string, { command }: { command: unknown }) => {
        answers.push(command);
        runs.push(begun(runs.length + 1) as { run_id: string });
        return Promise.resolve({});
      },
    },
    threads: {
      getState: () =>
        Promise.resolve({
          values: {},
          next: ['ask'],
          tasks: [{ interrupts: [{ id: 'same', value: 'And?' }] }],
        }),
    },
  };
  return { client: () => Promise.resolve(client as unknown as Client), runs, answers };
}

it('another stop is another question, though its interrupt has the same id', async () => {
  const { client, answers } = loopingThread();
  const tasks = langGraphTasks(client, { graph: 'g', pollMs: null });
  const { signal } = new AbortController();
  const nameOf = async (): Promise<string> => {
    const seen = await tasks.look('thread', signal);
    return seen.status === 'input_required' ? (Object.keys(seen.requests)[0] ?? '') : '';
  };
  const first = await nameOf();
  const given = { [first]: { action: 'accept', content: 'once' } };
  await tasks.answer('thread', given, signal);
  expect(await nameOf()).not.toBe(first);
  // Whoever comes with the same answer again has not seen the second question.
  await tasks.answer('thread', given, signal);
  expect(answers).toEqual([{ resume: 'once' }]);
});
