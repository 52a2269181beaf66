import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { historiesOf } from '../../support/histories.js';
import { procedureSource } from '../../support/procedure-source.js';
import { replayRun } from '../../support/replay-histories.js';
import { serverWithProvider } from '../../support/server-with-provider.js';
import { startWorker, type TestWorker } from '../../support/test-worker.js';

const around = serverWithProvider();
let worker: TestWorker;

beforeEach(async () => {
  worker = await startWorker(around.server, { activities: { env: around.env } });
});
afterEach(() => worker.stop());

interface Sent {
  role: string;
  content: string;
}

const messagesOf = ({ body }: { body: JsonObject }): Sent[] =>
  (body['messages'] as unknown as Sent[]).filter(({ role }) => role !== 'system');
const charactersOf = (sent: Sent[]): number =>
  sent.reduce((sum, { content }) => sum + (content ?? '').length, 0);
const isSummed = ({ body }: { body: JsonObject }): boolean =>
  messagesOf({ body }).at(-1)?.content.startsWith('Sum up this conversation') === true;

const replayed = (run: TactusRun): Promise<string[]> => replayRun(around.server.client, run);

/** Reads so many pages in one turn; answers a request for a summary with one. */
function reader(pages: number): void {
  around.provider.reply((request) => {
    if (isSummed(request)) return { text: `The code is A7. ${'Read so far. '.repeat(5)}` };
    const read = around.provider.requests.filter((each) => !isSummed(each)).length - 1;
    if (read >= pages) return { text: 'done reading' };
    return { toolCalls: [{ id: `c${read}`, name: 'page', arguments: `{"n":${read}}` }] };
  });
}

describe('a conversation that grows long', () => {
  it('in one turn is summed up, with no call parted from its result, as often as it grows', async () => {
    reader(40);
    const run = await around.server.tactus.start(
      procedureSource(`
        page = Tool { description = "Reads", input = { n = field.integer{required = true} },
          function(args) return "page " .. args.n .. ": " .. ("word "):rep(200) end }
        reader = Agent { model = "openai/gpt-x", system_prompt = "Read.", tools = { page },
          message_history = { compact = { over = 4000, keep = 1000 } } }
        Procedure { function() return reader("Read all pages of the book").output end }`),
      {},
      { limits: { historyBytes: 20_000 } },
    );
    expect(await run.result()).toBe('done reading');
    const { requests } = around.provider;
    const summaries = requests.filter(isSummed);
    expect(summaries.length).toBeGreaterThan(2);
    for (const request of requests) {
      const sent = messagesOf(request);
      // 4,000 tokens, and what came since: a result, and the question for a summary.
      expect(charactersOf(sent)).toBeLessThan(4 * 4_000 + 3_000);
      expect(sent[0]?.content.startsWith('The conversation so far') || sent[0]?.content).not.toBe(false);
      const calls = sent.filter(({ role }) => role === 'tool').length;
      const asked = sent.filter((each) => 'tool_calls' in each).length;
      expect(asked).toBe(calls);
      expect(sent.some(({ content }) => content === 'Read all pages of the book')).toBe(true);
    }
    // Its model is asked with its tools, as before, and told to call none.
    expect(summaries[0]?.body).toMatchObject({ tool_choice: 'none' });
    expect(summaries[0]?.body['tools']).toHaveLength(1);
    const after = requests[requests.indexOf(summaries[0]!) + 1]!;
    expect(messagesOf(after)[0]?.content).toBe(
      `The conversation so far, summed up:\n\nThe code is A7. ${'Read so far. '.repeat(5)}`,
    );
    const { execution_log: log } = await run.log();
    expect(log.filter(({ type }) => type === 'compaction')).toHaveLength(summaries.length);
    // A summary is paid for as all else.
    const turn = log.find(({ type }) => type === 'agent_turn')?.result as { usage: { total_tokens: number } };
    const { usage } = await run.status();
    expect(turn.usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
    expect((await historiesOf(around.server.client, run.runId)).length).toBeGreaterThan(1);
    expect(await replayed(run)).toEqual([]);
  });

  it('over turns is summed up for its agent alone, by a model of its own', async () => {
    around.provider.reply((request) =>
      isSummed(request) ? { text: 'Ann likes tea.' } : { text: `noted ${'and again '.repeat(80)}` },
    );
    const run = await around.server.tactus.start(
      procedureSource(`
        writer = Agent { model = "openai/gpt-x", system_prompt = "Write.",
          message_history = { compact = { over = 1000, keep = 250, model = "gpt-small", prompt = "Sum up this conversation in a line" } } }
        other = Agent { model = "openai/gpt-x", message_history = { source = "shared" } }
        Procedure { function()
          for i = 1, 12 do writer("fact " .. i) end
          other("What was said?")
          MessageHistory.clear()
          writer("fact 13")
          return #MessageHistory.get()
        end }`),
    );
    expect(await run.result()).toBe(2);
    const { requests } = around.provider;
    const summaries = requests.filter(isSummed);
    expect(summaries.length).toBeGreaterThan(1);
    expect(new Set(summaries.map(({ body }) => body['model']))).toEqual(new Set(['gpt-small']));
    const asked = requests.filter((each) => !isSummed(each));
    const lastOfWriter = messagesOf(asked[11]!);
    expect(lastOfWriter[0]?.content).toBe('The conversation so far, summed up:\n\nAnn likes tea.');
    expect(lastOfWriter.length).toBeLessThan(10);
    // Whoever sees all sees all: the summary stands in place of it for the writer alone.
    expect(messagesOf(asked[12]!)).toHaveLength(25);
    // What the procedure says of the conversation counts.
    expect(messagesOf(asked[13]!).map(({ content }) => content)).toEqual(['fact 13']);
    expect(await replayed(run)).toEqual([]);
  });

  it('fails with its summary', async () => {
    around.provider.reply((request) => (isSummed(request) ? { text: ' ' } : { text: 'noted '.repeat(100) }));
    const run = await around.server.tactus.start(
      procedureSource(`
        writer = Agent { model = "openai/gpt-x", retries = 0, message_history = { compact = { over = 100 } } }
        Procedure { function() for i = 1, 3 do writer("fact " .. i) end end }`),
    );
    await expect(run.result()).rejects.toMatchObject({
      code: 'model_call_failed',
      message: expect.stringContaining('summed the conversation up in no word') as unknown,
    });
  });
});
