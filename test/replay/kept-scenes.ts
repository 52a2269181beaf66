import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TactusRun } from '../../src/client/tactus-run.js';
import { signalNames } from '../../src/contract/names.js';
import { historiesOf } from '../support/histories.js';
import { pendingOf } from '../support/pending-of.js';
import { procedureOf } from '../support/procedure-source.js';
import { modelsPythonOr } from '../support/python.js';
import { startPythonWorker } from '../support/python-worker.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import type { TestServer } from '../support/test-server.js';
import { waitUntil } from '../support/wait-until.js';

/** Where a history is made. */
export interface KeptScene {
  server: TestServer;
  run: TactusRun;
  startWorker: () => Promise<void>;
  stopWorker: () => Promise<void>;
}

/** A run that is none of the kept one's own. */
export async function startElsewhere({ server }: KeptScene): Promise<void> {
  await server.tactus.start(
    procedureOf('return { ok = Human.approve("Elsewhere?") }'),
    {},
    { runId: 'elsewhere' },
  );
}

export async function stopTheWorker({ stopWorker }: KeptScene): Promise<void> {
  await stopWorker();
}

export async function cancelUnseen({ run, startWorker }: KeptScene): Promise<void> {
  await run.cancel();
  await startWorker();
}

export async function cancelWithEverythingOpen({ run, server }: KeptScene): Promise<void> {
  await waitUntil(async () => (await run.status()).waits.length === 8);
  await pendingOf(server.tactus.attach(`${run.runId}/0`));
  await run.cancel();
}

/** Decisions that wait together for a worker, and decisions that meet: early, doubled, wrong, and none at all. */
export async function decideInBursts({ run, startWorker, stopWorker }: KeptScene): Promise<void> {
  const signal = (position: string, value: unknown, id?: string): Promise<void> =>
    run.handle.signal(signalNames.decide, {
      request: `${run.runId}/${position}`,
      value,
      ...(id ? { id } : {}),
    });
  await pendingOf(run, 6);
  await stopWorker();
  await signal('0.5.0', 'perhaps');
  await signal('0.3.0', true, 'first');
  await signal('0.3.0', false, 'second');
  await run.handle.signal(signalNames.decide, 'no decision');
  await run.handle.signal('nobody_listens', 1);
  await signal('0.0.0', false);
  await signal('0.5.0', true);
  await signal('8', true, 'early, for the last');
  await signal('0.0.2', 'early, for the next');
  await startWorker();
  await waitUntil(async () => (await run.status()).pending.every(({ position }) => position !== '0.3.0'));
  const updates = ['0.1.0', '0.2.0', '0.4.0', '4'].map((position, i) =>
    run.decide({ request: `${run.runId}/${position}`, value: i % 2 === 0, id: `update ${position}` }),
  );
  await Promise.all([...updates, signal('0.2.0', true, 'too late, or not'), signal('0.4.0', false)]);
}

/** What people do of whom a procedure asks more than one answer: before it asks, together, and in each other's place. */
export async function decideEarly({ run }: KeptScene): Promise<void> {
  const id = (position: number): string => `${run.runId}/${position}`;
  const says = (position: number, more: object): Promise<void> =>
    run.handle.signal(signalNames.decide, { request: id(position), ...more });
  await says(1, { value: 'early', early: true });
  await says(4, { value: true, by: 'ann', early: true });
  await says(4, { value: true });
  const asked = (position: number) =>
    waitUntil(async () => (await run.status()).pending.some((request) => request.id === id(position)));
  await asked(2);
  await says(2, { action: 'delegate', to: 'eve', by: 'bob' });
  await run.decide({ request: id(2), value: true, by: 'ann' });
  await run.decide({ request: id(2), value: true, by: 'eve' });
  await asked(3);
  await says(3, { action: 'withdraw', by: 'zoe' });
  await asked(4);
  await run.decide({ request: id(4), value: true, by: 'ann' });
}

/** A child run goes without a word when the run has continued as new. */
export async function terminateGone({ run, server }: KeptScene): Promise<void> {
  await waitUntil(async () => (await historiesOf(server.client, run.runId)).length > 1);
  await server.tactus.attach(`${run.runId}/2`).handle.terminate('by hand');
}

export async function decideWhileFilesAreRead({ run }: KeptScene): Promise<void> {
  await delay(700);
  await run.handle.signal(signalNames.decide, { request: `${run.runId}/0.0.0`, value: true });
}

/** Whenever people are asked, the worker is away while all answers come, the last one first, and timers fire. */
export async function decideWhileNobodyWorks({ run, startWorker, stopWorker }: KeptScene): Promise<void> {
  const isOpen = async (): Promise<boolean> => (await run.handle.describe()).status.name === 'RUNNING';
  while (await isOpen()) {
    await pendingOf(run, 2, 2_000).catch(() => undefined); // fewer are left
    const { pending } = await run.status();
    await stopWorker();
    for (const { id } of [...pending].reverse())
      await run.handle.signal(signalNames.decide, { request: id, value: !id.includes('.3.') });
    await delay(300);
    await startWorker();
  }
}

/** Events before they are waited for, together while no worker is there, and one after the other. */
export async function sendEvents({ run, startWorker, stopWorker }: KeptScene): Promise<void> {
  await run.send('n', 1);
  await waitUntil(async () => (await run.log()).execution_log.length === 1);
  await stopWorker();
  await run.send('paid', { n: 1, order: 'B' });
  await run.send('n', 2);
  await run.send('paid', { n: 2, order: 'A' });
  await startWorker();
  for (const n of [3, 4, 5, 6]) {
    await waitUntil(async () => (await run.status()).waits.some(({ name }) => name === 'n'));
    await run.send('n', n);
  }
}

/** What is said before an agent is at work, and what breaks an answer off. */
export async function steerAgents({ run }: KeptScene): Promise<void> {
  await waitUntil(async () => (await run.status()).status !== 'completed');
  await run.steer({ message: 'Be brief', agent: 'reader', by: 'ann' });
  await run.steer({ message: 'Be kind', agent: 'writer' });
  await waitUntil(async () =>
    (await run.status()).waits.some(({ kind, name }) => kind === 'activity' && name === 'writer'),
  );
  await run.steer({ message: 'Go on', interrupt: true });
}

/** Words for agents, while budgets ask people. */
export async function steerWhileAsked({ run }: KeptScene): Promise<void> {
  for (let i = 0; i < 4; i++) {
    await run.steer({ message: `Word ${i}`, agent: i % 2 === 0 ? 'writer' : 'critic' });
    await delay(400);
  }
}

/** A worker in Python, with the models and tools of its tests, for as long as the run goes on. */
export async function workInPython({ server, run }: KeptScene): Promise<void> {
  const found = await modelsPythonOr('histories with a worker in Python');
  if (found === null) throw new Error('Histories with a worker in Python are kept where there is one');
  const python = found.with({ MARKS: temporaryFolder('kept-till') });
  const cwd = fileURLToPath(new URL('../python', import.meta.url));
  const worker = await startPythonWorker(python, server, ['--module', 'till'], { cwd });
  await run.result();
  await worker.end();
}
