import { expect, it } from 'vitest';
import type { Checkpoint } from '../../../src/contract/checkpoints/checkpoint.js';
import { unpackLog } from '../../../src/log/pack.js';
import type { TactusRun } from '../../../src/client/tactus-run.js';
import { soundExecutions } from '../../support/sound-executions.js';
import { providerWithWorker } from '../../support/provider-with-worker.js';

const around = providerWithWorker();

const turns = 100;
const source = {
  entry: 'main.tac',
  files: {
    'main.tac': `
      helper = Agent { model = "openai/gpt-5-mini", system_prompt = "Help.", budget = { turns = 1000, tokens = 1000000 } }
      main = Procedure { function()
        local said = {}
        for i = 1, ${turns} do
          said[i] = helper("Question " .. i).output
          print("asked " .. i)
        end
        return { said = said, messages = #MessageHistory.get(), last = MessageHistory.get()[2 * ${turns}].content }
      end }`,
  },
};

const handed = async (run: TactusRun): Promise<Checkpoint[]> => unpackLog(await run.packedCheckpoints());

it('hands each turn of a conversation on as one entry, and can be forked inside of each', async () => {
  around.provider.reply(({ body }) => {
    const messages = body['messages'] as { content: string }[];
    return {
      text: `answer to ${messages.at(-1)?.content} after ${messages.length}`,
      usage: { input: 10, output: 1 },
    };
  });
  const run = await around.server.tactus.start(source, {}, { limits: { historyEvents: 60 } });
  const expected = Array.from({ length: turns }, (_, i) => `answer to Question ${i + 1} after ${2 * i + 2}`);
  const output = { said: expected, messages: 2 * turns, last: expected.at(-1) };
  expect(await run.result()).toEqual(output);
  expect(around.provider.requests).toHaveLength(turns);
  expect((await soundExecutions(around.server.client, run)).length).toBeGreaterThan(2);

  const log = await handed(run);
  const first = log.findIndex(({ type }) => type === 'model_call');
  expect(first).toBeGreaterThan(turns / 2);
  expect(log.slice(0, first).map(({ type, position, whole }) => [type, position, whole])).toEqual(
    Array.from({ length: first }, (_, i) => ['agent_turn', `${i}`, true]),
  );
  const view = await run.status();
  expect(view).toMatchObject({
    checkpoints: 2 * turns,
    usage: { input_tokens: 10 * turns, output_tokens: turns },
  });
  expect(view.budgets).toMatchObject([{ used: { turns, tokens: 11 * turns } }]);
  const { execution_log: entries } = await run.log({ all: true });
  expect(entries.map(({ type, position }) => `${type} ${position}`)).toEqual(
    Array.from({ length: turns }, (_, i) => [`model_call ${i}.0`, `agent_turn ${i}`]).flat(),
  );
  const { shown: lines } = await run.shownFrom(0);
  expect(lines.map((line) => (line.kind === 'print' ? line.text : ''))).toEqual(
    expected.map((_, i) => `asked ${i + 1}`),
  );

  for (const [at, asked] of [
    ['95.0', 5],
    ['7', turns - 7],
    ['30.0', turns - 30],
  ] as const) {
    around.provider.requests.length = 0;
    const forked = await around.server.tactus.fork(run.runId, { at });
    expect(await forked.result(), at).toEqual(output);
    expect(around.provider.requests, at).toHaveLength(asked);
    await soundExecutions(around.server.client, forked);
  }
  const messages = [
    { role: 'user', content: 'Question 4' },
    { role: 'assistant', content: 'else' },
  ];
  const set = { at: '3', set: { output: 'else', usage: {}, messages } };
  const other = (await (await around.server.tactus.fork(run.runId, set)).result()) as { said: string[] };
  expect(other.said.slice(2, 5)).toEqual([expected[2], 'else', 'answer to Question 5 after 10']);
}, 300_000);
