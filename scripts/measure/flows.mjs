/** Counts the files of the build in which a function runs for one model call, and for one approval, by V8's coverage. */
import { Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';

const dist = new URL('../../dist/', import.meta.url);
/** @param {string} module */
const load = (module) => import(new URL(module, dist).href);

const session = new Session();
session.connect();
/** @param {string} method @param {object} [params] @returns {Promise<any>} */
const post = (method, params = {}) =>
  new Promise((done, failed) =>
    session.post(method, params, (error, value) => (error ? failed(error) : done(value))),
  );
await post('Profiler.enable');
await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Files in which a function ran since this was asked last. @returns {Promise<Set<string>>} */
async function touched() {
  const { result } = await post('Profiler.takePreciseCoverage');
  return new Set(
    result
      .filter(({ url }) => url.startsWith(dist.href) && !url.includes('.generated.'))
      .filter(({ functions }) =>
        functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0),
      )
      .map(({ url }) => url.slice(dist.href.length)),
  );
}

const { Program } = await load('lua-bridge/index.js');
const { defaultLimits } = await load('contract/runs/limits.js');

/** From the answer to an effect to the question of the next one like it. @param {string} text @param {unknown} answer */
async function inLua(text, answer) {
  const program = new Program({
    source: { entry: 'main.tac', files: { 'main.tac': text } },
    ...{ input: {}, runId: 'run', startedAt: 0, seed: 's', limits: defaultLimits, carried: [] },
  });
  for (const at of [1, 2]) {
    program.turn();
    if (at === 2) return touched();
    program.settle(program.pending[0].position, { ok: true, value: answer }, at);
    await touched();
  }
  return new Set();
}

/** One call of a model in a worker's activity, of a provider that answers at once. */
async function inActivity() {
  const { MockActivityEnvironment } = await import('@temporalio/testing');
  const { createActivities } = await load('activities/index.js');
  const answer = {
    ...{ id: 'x', object: 'chat.completion', created: 1, model: 'gpt' },
    choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
  const headers = { 'content-type': 'application/json' };
  const { Response } = globalThis;
  const deps = {
    ...{ env: { OPENAI_API_KEY: 'k' }, filesRoot: '.', procedureFolders: [] },
    fetch: async () => new Response(JSON.stringify(answer), { headers }),
  };
  const activities = createActivities(deps, {}, [], {});
  const call = {
    ...{ agent: 'w', model: 'openai/gpt-5-mini', system: 's', messages: [{ role: 'user', content: 'a' }] },
    ...{ tools: [], outputSchema: null, settings: { timeoutMs: 5_000 } },
  };
  const environment = new MockActivityEnvironment();
  await environment.run(activities.modelCall, { call, idempotencyKey: 'run/1/0' });
  await touched();
  await environment.run(activities.modelCall, { call, idempotencyKey: 'run/1/1' });
  return touched();
}

/** One decision, read and settled. */
async function inLedger() {
  const { emptyLedger, openRequest, parseDecision, settleDecision } = await load('contract/people/ledger.js');
  const request = {
    ...{ id: 'r/0', run_id: 'r', kind: 'approval', message: 'm', context: null, options: [], default: false },
    ...{ deadline: null, created_at: '2026-01-01T00:00:00Z', position: '0', approvers: [], digest: 'd' },
  };
  const { ledger } = openRequest(emptyLedger('r'), request, 0);
  await touched();
  settleDecision(ledger, parseDecision({ request: 'r/0', value: true, by: 'ann' }), 1);
  return touched();
}

const says = { text: 'hi', toolCalls: [], finishReason: 'stop', model: 'openai/x' };
const modelLua = await inLua(
  `w = Agent { model = "openai/x", system_prompt = "s" } Procedure { function() w{ message = "a" } w{ message = "b" } return 1 end }`,
  { ...says, usage: { input_tokens: 1, output_tokens: 1 } },
);
const modelActivity = await inActivity();
const approvalLua = await inLua(
  `Procedure { function() Human.approve{ message = "a" } Human.approve{ message = "b" } return 1 end }`,
  { value: true, timed_out: false, by: null, comment: null },
);
const approvalLedger = await inLedger();
/** @param {string} what @param {Record<string, Set<string>>} parts */
function tell(what, parts) {
  const whole = Object.values(parts).reduce((all, part) => all.union(part), new Set());
  const each = Object.entries(parts).map(([name, part]) => `${name} ${part.size}`);
  console.log(`${what.padEnd(42)} ${whole.size} (${each.join(', ')})`);
}
tell('files that run for one model call', { 'in Lua': modelLua, 'in the activity': modelActivity });
tell('files that run for one approval', { 'in Lua': approvalLua, 'in the ledger': approvalLedger });
if (process.argv.includes('--files'))
  for (const file of [...modelLua, ...modelActivity].sort())
    console.log(`  ${fileURLToPath(new URL(file, dist))}`);
process.exit(0);
