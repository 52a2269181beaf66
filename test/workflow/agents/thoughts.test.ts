import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/contract/json/json.js';
import type { RunSettings } from '../../../src/contract/runs/run-settings.js';
import { historiesOf } from '../../support/histories.js';
import { procedureOf } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';
import { providersAt } from '../../unit/activities/models/providers-at.js';

const around = serverWithProvider();
let worker: TestWorker;
afterEach(() => worker.stop());

const thought = 'I look it up.';
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const chatUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const chat = (message: JsonObject): JsonValue => ({
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm', usage: chatUsage },
  choices: [{ index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', ...message } }],
});
const calling = [{ id: 'abcdefgh1', type: 'function', function: { name: 'lookup', arguments: '{}' } }];

interface Thinker {
  model: string;
  agent?: string;
  /** What it answers when it thinks, says something and calls a tool. */
  answer: JsonValue;
  /** How that goes back, in this order. */
  back: RegExp;
}

const thinkers: Thinker[] = [
  {
    model: 'anthropic/claude-x',
    answer: {
      ...{ id: 'm', type: 'message', role: 'assistant', model: 'claude-x', stop_reason: 'tool_use', usage },
      content: [
        { type: 'thinking', thinking: thought, signature: 'sig-1' },
        { type: 'redacted_thinking', data: 'sig-2' },
        { type: 'text', text: 'Let me see.' },
        { type: 'thinking', thinking: 'Now.', signature: 'sig-3' },
        { type: 'tool_use', id: 'toolu_1', name: 'lookup', input: {} },
      ],
    },
    back: /"thinking":"I look it up.","signature":"sig-1".*"data":"sig-2".*Let me see.*"signature":"sig-3".*tool_use/,
  },
  {
    model: 'openai/deepseek-x',
    answer: chat({ content: '', reasoning_content: thought, tool_calls: calling }),
    back: /"reasoning_content":"I look it up."/,
  },
  {
    model: 'mistral/magistral-x',
    answer: chat({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: thought }] },
        { type: 'text', text: 'Let me see.' },
      ],
      tool_calls: calling,
    }),
    back: /"thinking":\[\{"type":"text","text":"I look it up."\}\].*Let me see/,
  },
  {
    model: 'google/gemini-3-pro',
    answer: {
      candidates: [
        {
          ...{ index: 0, finishReason: 'STOP' },
          content: {
            role: 'model',
            parts: [
              { text: thought, thought: true },
              { functionCall: { name: 'lookup', args: {} }, thoughtSignature: 'sig-1' },
            ],
          },
        },
      ],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    },
    back: /"name":"lookup".*"thoughtSignature":"sig-1"/,
  },
  {
    model: 'openai/gpt-5',
    agent: 'model_type = "responses"',
    answer: {
      ...{ id: 'r', object: 'response', created_at: 1, model: 'gpt-5', status: 'completed', usage },
      output: [
        {
          ...{ type: 'reasoning', id: 'rs_1', encrypted_content: 'sig-1' },
          summary: [{ type: 'summary_text', text: thought }],
        },
        {
          ...{ type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'lookup', arguments: '{}' },
          status: 'completed',
        },
      ],
    },
    back: /"type":"reasoning","id":"rs_1","encrypted_content":"sig-1".*function_call/,
  },
  {
    model: 'bedrock/anthropic.claude-x',
    answer: {
      output: {
        message: {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: thought, signature: 'sig-1' } } },
            { toolUse: { toolUseId: 'tool_1', name: 'lookup', input: {} } },
          ],
        },
      },
      ...{ stopReason: 'tool_use', metrics: { latencyMs: 1 } },
      usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
    },
    back: /"reasoningText":\{"text":"I look it up.","signature":"sig-1"\}.*toolUse/,
  },
];

const sourceOf = ({ model, agent = 'temperature = 0' }: Thinker, more = ''): string => `
  lookup = Tool { description = "Looks it up", input = {}, function() return "late" end }
  helper = Agent { model = "${model}", tools = { lookup }, system_prompt = "Be brief.", ${agent} ${more} }
  helper("Where is it?")
  Sleep(1)
  return helper("And now?").output`;

async function start(source: string, settings: RunSettings = {}) {
  const env = { ...around.env, ...providersAt(around.provider.url) };
  worker = await startWorker(around.server, { activities: { env } });
  return around.server.tactus.start(procedureOf(source), {}, { settings, limits: { historyEvents: 8 } });
}

/** It thinks once, and says something plain then. */
function thinksOnce(answer: JsonValue): void {
  let asked = 0;
  around.provider.reply(() => (asked++ === 0 ? { json: answer } : { text: 'It is late' }));
}

const sent = (): string[] => around.provider.requests.map(({ body }) => JSON.stringify(body));

describe.each(thinkers)('what $model thought', (thinker) => {
  it('goes back to it, in its turn and after it, past continue-as-new and in a fork, and is in no log', async () => {
    thinksOnce(thinker.answer);
    const run = await start(sourceOf(thinker));
    expect(await run.result()).toBe('It is late');
    const [first, ...others] = sent();
    expect(first).not.toContain('sig-1');
    expect(others).toHaveLength(2);
    for (const each of others) expect(each).toMatch(thinker.back);

    const histories = await historiesOf(around.server.client, run.runId);
    expect(histories.length).toBeGreaterThan(1);
    expect(await replayRun(around.server.client, run)).toEqual([]);
    const log = await run.log();
    expect(JSON.stringify(log)).not.toMatch(/sig-1|I look it up/);

    const last = log.execution_log.filter(({ type }) => type === 'agent_turn').at(-1);
    const forked = await around.server.tactus.fork(run.runId, { at: last?.position ?? '' });
    expect(await forked.result()).toBe('It is late');
    expect(sent()).toHaveLength(4);
    expect(sent()[3]).toMatch(thinker.back);
  });
});

const [claude] = thinkers as [Thinker];

it('is in the log where its content is asked for', async () => {
  thinksOnce(claude.answer);
  const run = await start(sourceOf(claude), { showContent: true });
  await run.result();
  expect(JSON.stringify(await run.log())).toContain('sig-1');
});

it('goes to no other model, which is told to think only where it can', async () => {
  let asked = 0;
  around.provider.reply(() => {
    asked++;
    if (asked === 1) return { json: chat({ content: '', reasoning_content: thought, tool_calls: calling }) };
    return asked === 2 ? { status: 401, body: { error: { message: 'no' } } } : { text: 'It is late' };
  });
  const two = { ...claude, model: 'openai/deepseek-x' };
  const source = sourceOf(two, ', reasoning_effort = "high"').replace(
    'model = "openai/deepseek-x"',
    'model = { "openai/deepseek-x", "anthropic/claude-sonnet-4-5" }, retry = { attempts = 1 }',
  );
  const run = await start(source);
  expect(await run.result()).toBe('It is late');
  const toClaude = around.provider.requests.filter(({ path }) => path.endsWith('/messages'));
  expect(JSON.stringify(toClaude)).not.toContain(thought);
  // It goes on from a call that it didn't think for itself.
  expect(toClaude[0]?.body).not.toHaveProperty('thinking');
});

it('is compacted with the conversation', async () => {
  let asked = 0;
  const long = 'word '.repeat(400);
  around.provider.reply(({ body }) => {
    asked++;
    if (asked === 1) return { json: claude.answer };
    return { text: JSON.stringify(body).includes('Sum') ? 'a summary' : long };
  });
  const run = await start(
    sourceOf(claude, ', message_history = { compact = { over = 200, keep = 50, prompt = "Sum it up" } }'),
  );
  await run.result();
  const last = sent().at(-1) ?? '';
  expect(last).toContain('a summary');
  expect(last).not.toContain('sig-1');
});
