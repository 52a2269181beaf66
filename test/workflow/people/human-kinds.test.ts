import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/contract/json/json.js';
import { failedTasks, historiesOf } from '../../support/histories.js';
import { pendingOf } from '../../support/pending-of.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithWorker } from '../../support/server-with-worker.js';
import { startTimeSkippingServer } from '../../support/test-server.js';

const server = serverWithWorker(startTimeSkippingServer);

const file = { name: 'a.pdf', path: '/srv/a.pdf', size: 5 };

interface KindCase {
  ask: string;
  kind: string;
  type: string;
  /** What is refused, and leaves the request open. */
  wrong: JsonValue | undefined;
  value: JsonValue;
  /** What Lua gets, where it isn't the value itself. */
  gets?: JsonValue;
  byDefault: JsonValue;
}

const cases: KindCase[] = [
  {
    ask: 'Human.select{message = "Where?", options = {"eu", "us"}, timeout = "20d", default = "us"}',
    ...{ kind: 'select', type: 'hitl_select', wrong: 'asia', value: 'eu', byDefault: 'us' },
  },
  {
    ask: 'Human.select{message = "Which?", options = {"a", "b", "c"}, mode = "multiple", max = 2, timeout = "20d"}',
    ...{ kind: 'select', type: 'hitl_select', wrong: ['a', 'b', 'c'], value: ['c', 'a'], byDefault: [] },
  },
  {
    ask: 'Human.multiple{timeout = "20d", items = {{id = "n", label = "N"}, {id = "ok", label = "OK", type = "approval", default = true}}}',
    ...{ kind: 'multiple', type: 'hitl_inputs', wrong: { n: 'x', ok: 'yes' }, value: { n: 'x', ok: false } },
    byDefault: { ok: true },
  },
  {
    ask: 'Human.upload{message = "File?", accept = ".pdf", timeout = "20d"} or "none"',
    ...{
      kind: 'upload',
      type: 'hitl_upload',
      wrong: { ...file, name: 'a.doc' },
      value: file,
      byDefault: 'none',
    },
  },
  {
    ask: 'Human.escalate{message = "Stuck", timeout = "20d"} == nil',
    ...{ kind: 'escalation', type: 'hitl_escalation', wrong: undefined, value: 'restarted', gets: true },
    byDefault: true,
  },
  {
    ask: 'Human.custom{component_type = "c", message = "Pick", timeout = "20d", default = {none = true}}',
    ...{ kind: 'input', type: 'hitl_custom', wrong: undefined, value: { at: [1, 2] } },
    byDefault: { none: true },
  },
  {
    ask: 'Human.input{message = "How many?", response_schema = {type = "integer", maximum = 9}, timeout = "20d", default = 1}',
    ...{ kind: 'input', type: 'hitl_input', wrong: 10, value: 7, byDefault: 1 },
  },
];

async function soundHistories(runId: string): Promise<void> {
  const histories = await historiesOf(server.client, runId);
  expect(failedTasks(histories)).toEqual([]);
  expect(await replayRun(server.client, { runId })).toEqual([]);
}

describe.each(cases)('$ask', ({ ask, kind, type, wrong, value, gets = value, byDefault }) => {
  it('gives what a person answers, once it is an answer', async () => {
    const run = await server.tactus.start(procedureOf(`return { answer = ${ask} }`));
    const [request] = await pendingOf(run);
    expect(request).toMatchObject({ kind });
    const decision = { request: request?.id ?? '', digest: request?.digest ?? '' };
    if (wrong !== undefined)
      expect(await run.decide({ ...decision, value: wrong })).toMatchObject({ outcome: 'invalid' });
    expect(await run.decide({ ...decision, value })).toMatchObject({ outcome: 'accepted' });
    expect(await run.result()).toEqual({ answer: gets });
    expect((await run.log()).execution_log).toMatchObject([{ type, result: { value, timed_out: false } }]);
    await soundHistories(run.runId);
  });

  it('gives the default when the time is over', async () => {
    const run = await server.tactus.start(procedureOf(`return { answer = ${ask} }`));
    expect(await run.result()).toEqual({ answer: byDefault });
    expect((await run.log()).execution_log).toMatchObject([{ type, result: { timed_out: true } }]);
    await soundHistories(run.runId);
  });
});

it('several questions without a message of their own are announced in the words of the reference', async () => {
  const ask = 'Human.multiple{{id = "a", label = "A"}, {id = "b", label = "B"}}';
  const run = await server.tactus.start(procedureOf(`return ${ask}`));
  const [request] = await pendingOf(run);
  await run.decide({ request: request?.id ?? '', value: { a: '1', b: '2' } });
  await run.result();
  const [entry] = (await run.log()).execution_log;
  const words = 'Multiple inputs requested (2 items)';
  expect([request?.message, entry?.name]).toEqual([words, words]);
});

it('a deferral of years takes no time here', async () => {
  const run = await server.tactus.start(
    procedureOf(`
      local at = os.date("!%Y-%m-%dT%H:%M:%SZ", os.time() + 5 * 365 * 86400)
      local before = os.time()
      local done = Procedure.defer{ key = "k", resume_at = at, reason = "later" }
      return { done.completed, (os.time() - before) // (365 * 86400) }`),
  );
  expect(await run.result()).toEqual([true, 5]);
  await soundHistories(run.runId);
});

it('a child run that takes weeks is waited for, and not for longer than was said', async () => {
  const source = procedureOf(
    `local h = Procedure.spawn("slow.tac")
     local ok = pcall(Procedure.wait, h, "1d")
     local still = Procedure.status(h).status
     return { ok, still, Procedure.wait(h, { timeout = "60d" }).slept }`,
    { 'slow.tac': 'Procedure { function() Sleep("30d") return { slept = 30 } end }' },
  );
  const run = await server.tactus.start(source);
  expect(await run.result()).toEqual([false, 'running', 30]);
  await soundHistories(run.runId);
});

it('an empty answer to a needed question is refused by Update and signal alike', async () => {
  const run = await server.tactus.start(
    procedureOf(
      'return Human.multiple{message = "Trip", items = {{id = "why", message = "Why?", required = true}}}',
    ),
  );
  const [request] = await pendingOf(run);
  const decision = { request: request?.id ?? '' };
  expect(await run.decide({ ...decision, value: { why: ' ' } })).toMatchObject({ outcome: 'invalid' });
  const handle = server.client.workflow.getHandle(run.runId);
  await handle.signal('decide', { ...decision, id: 'blank', value: { why: '' } });
  await expect
    .poll(() => handle.query('verdict', 'blank'))
    .toMatchObject({
      outcome: 'invalid',
      message: '"why": an answer is needed: this one is empty',
    });
  expect(await run.decide({ ...decision, value: { why: 'work' } })).toMatchObject({ outcome: 'accepted' });
  expect(await run.result()).toEqual({ why: 'work' });
  await soundHistories(run.runId);
});
