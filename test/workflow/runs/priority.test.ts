import { expect, it } from 'vitest';
import { readRetry } from '../../../src/client/changes/retry.js';
import type { RunPriority } from '../../../src/client/runs/priority.js';
import { historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startDevServer } from '../../support/test-server.js';

/** Whose tasks go first is the server's work: here, that it is told, and told again whenever a run goes on. */
const around = serverWithWorker(startDevServer);
const tenant: RunPriority = { priorityKey: 2, fairnessKey: 'tenant-a', fairnessWeight: 3 };

/** What the server has of each execution of a run. */
async function prioritiesOf(runId: string): Promise<unknown[]> {
  const histories = await historiesOf(around.client, runId);
  return histories.map(({ events }) => {
    const { priority } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
    return {
      priorityKey: priority?.priorityKey,
      fairnessKey: priority?.fairnessKey,
      fairnessWeight: priority?.fairnessWeight,
    };
  });
}

it('goes with a run to its next executions, its child runs and its forks', async () => {
  const source = {
    entry: 'parent.tac',
    files: {
      'parent.tac': `Procedure { function()
        local given = Procedure.run("child.tac", {})
        for _ = 1, 20 do Sleep(0.01) end
        Human.approve("Go?")
        return given
      end }`,
      'child.tac': 'Procedure { function() return File.exists("a") end }',
    },
  };
  const limits = { historyEvents: 15 };
  const run = await around.tactus.start(source, {}, { runId: 'parent', priority: tenant, limits });
  await pendingOf(run);
  const executions = await prioritiesOf('parent');
  expect(executions.length).toBeGreaterThan(1);
  expect(new Set(executions.map((each) => JSON.stringify(each)))).toEqual(new Set([JSON.stringify(tenant)]));
  expect(await prioritiesOf('parent/0')).toEqual([tenant]);
  await around.tactus.fork('parent', { at: '0', runId: 'fork', mayRepeat: true });
  expect((await prioritiesOf('fork'))[0]).toEqual(tenant);
  expect((await around.client.workflow.getHandle('fork').describe()).priority).toMatchObject(tenant);
});

it('stays with a run that failed and is tried again', async () => {
  const failing = await around.tactus.start(
    procedureOf('return File.read("not-there")'),
    {},
    { runId: 'failing', priority: { fairnessKey: 'tenant-b' } },
  );
  await expect(failing.result()).rejects.toMatchObject({ code: 'file_failed' });
  await around.tactus.startFork(await readRetry(failing));
  const only = { priorityKey: 0, fairnessKey: 'tenant-b', fairnessWeight: 0 };
  expect((await around.client.workflow.getHandle('failing').describe()).priority).toMatchObject({
    fairnessKey: 'tenant-b',
  });
  expect(await prioritiesOf('failing')).toContainEqual(only);
});

it('stays with each turn of a thread that says no other', async () => {
  const thread = procedureOf('');
  thread.files[thread.entry] = `main = Graph {
    channels = { heard = Graph.last, said = Graph.last },
    entrypoint = "hear",
    nodes = { hear = function(state) return { writes = { said = state.heard } } end },
  }`;
  const turn = async (heard: string, priority?: RunPriority): Promise<void> => {
    const given = priority === undefined ? {} : { priority };
    await (await around.tactus.start(thread, { heard }, { runId: 'thread', ...given })).result();
  };
  await turn('a', tenant);
  await turn('b');
  const other = { ...tenant, fairnessKey: 'tenant-c' };
  await turn('c', other);
  expect(await prioritiesOf('thread')).toEqual(expect.arrayContaining([tenant, other]));
  const executions = await prioritiesOf('thread');
  expect(executions).toHaveLength(3);
  expect(executions.filter((each) => JSON.stringify(each) === JSON.stringify(tenant))).toHaveLength(2);
});

it('is refused where it is none, with nothing started', async () => {
  const start = (priority: RunPriority): Promise<unknown> =>
    around.tactus.start(procedureOf('return 1'), {}, { runId: 'refused', priority });
  for (const wrong of [
    { priorityKey: 0 },
    { priorityKey: 1.5 },
    { fairnessKey: '' },
    { fairnessKey: 'ä'.repeat(33) },
    { fairnessWeight: 0 },
    { fairnessWeight: 1_001 },
    { fairnessWeight: NaN },
  ])
    await expect(start(wrong), JSON.stringify(wrong)).rejects.toMatchObject({ code: 'usage' });
  await expect(around.client.workflow.getHandle('refused').describe()).rejects.toThrow(/not found/);
  const schedule = around.tactus.schedules.create(
    'nightly',
    procedureOf('return 1'),
    {},
    { cron: '0 3 * * *' },
    { priority: tenant },
  );
  await expect(schedule).rejects.toMatchObject({ code: 'usage' });
});
