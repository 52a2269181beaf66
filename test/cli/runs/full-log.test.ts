import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { startProviderStandIn, type ProviderStandIn } from '../../support/provider-stand-in.js';

let provider: ProviderStandIn;
let folder: CliFolder;

beforeAll(async () => {
  provider = await startProviderStandIn();
  provider.reply(
    { toolCalls: [{ name: 'lookup', arguments: '{"order":"A-7"}' }] },
    { text: 'It comes on Monday.\nPromised.', usage: { input: 30, output: 9 } },
  );
  folder = cliFolder({ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${provider.url}/v1` });
  folder.write(
    'shop.tac',
    `lookup = Tool {
  description = "Finds an order",
  input = { order = field.string{required = true} },
  function(args) return { order = args.order, due = "Monday" } end,
}
clerk = Agent {
  model = "openai/gpt-x",
  system_prompt = "You work for {input.shop}.",
  temperature = 0.2,
  tools = { lookup },
}
Procedure {
  input = { shop = field.string{} },
  function(input)
    Human.approve("May the clerk answer?")
    return clerk("Where is A-7?").output
  end,
}
`,
  );
  const ended = await folder.runHere(['run', 'shop.tac', '--param', 'shop=tea', '--id', 'one', '--json']);
  expect(ended.code, ended.stderr).toBe(3);
  await folder.runHere(['respond', 'one/0', 'yes']);
  expect((await folder.runHere(['resume', 'one'])).code).toBe(0);
});
afterAll(async () => {
  await folder?.close();
  await provider?.close();
});

interface Entry {
  position: string;
  type: string;
  request: Record<string, unknown> | null;
}

it('log --full has the input, and all that each checkpoint sent', async () => {
  const log = (await folder.runHere(['log', 'one', '--full', '--json'])).json();
  expect(log['input']).toEqual({ shop: 'tea' });
  const entries = log['execution_log'] as unknown as Entry[];
  const calls = entries.filter(({ type }) => type === 'model_call');
  expect(calls.map(({ position }) => position)).toEqual(['1.0', '1.2']);
  expect(calls[1]?.request).toMatchObject({
    agent: 'clerk',
    model: 'openai/gpt-x',
    system: 'You work for tea.',
    messages: [
      { role: 'user', content: 'Where is A-7?' },
      { role: 'assistant', toolCalls: [{ name: 'lookup', arguments: { order: 'A-7' } }] },
      { role: 'tool', name: 'lookup', content: '{"order":"A-7","due":"Monday"}' },
    ],
    tools: [{ name: 'lookup', description: 'Finds an order' }],
    settings: { temperature: 0.2 },
  });
  // What the provider was sent is what is shown.
  const sent = provider.requests[1]?.body['messages'] as { content: string }[];
  expect(sent[0]?.content).toBe('You work for tea.');
  expect(entries.find(({ type }) => type === 'hitl_approval')?.request).toMatchObject({
    message: 'May the clerk answer?',
  });
});

it('log RUN POSITION shows one of them to people', async () => {
  const shown = await folder.runHere(['log', 'one', '1.2']);
  expect(shown.code, shown.stderr).toBe(0);
  expect(shown.stdout.replace(/\d+ ms/, 'N ms')).toBe(
    `1.2  model_call  clerk  N ms  shop.tac:16
  model     openai/gpt-x
  settings  {"temperature":0.2}
  tool      lookup: Finds an order {"type":"object","properties":{"order":{"type":"string"}},"required":["order"],"additionalProperties":false}
  system    You work for tea.
  user      Where is A-7?
  calls     lookup {"order":"A-7"}
  gave      lookup {"order":"A-7","due":"Monday"}
  answer    It comes on Monday.
            Promised.
            openai/gpt-x · 30 tokens in, 9 out · stop
`,
  );
  const none = await folder.runHere(['log', 'one', '9']);
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('no checkpoint 9') as string });
  const both = await folder.runHere(['log', 'one', '--full', '--mermaid']);
  expect(both.code).toBe(2);
});

it('a run that began with show_content: false shows none of it', async () => {
  folder.write('quiet.tac', 'Procedure { function() return File.exists("secret.txt") end }\n');
  folder.write('quiet.tac.yml', 'show_content: false\n');
  expect((await folder.runHere(['run', 'quiet.tac', '--id', 'quiet'])).code).toBe(0);
  const log = await folder.runHere(['log', 'quiet', '--json']);
  expect(log.json()['execution_log']).toMatchObject([{ type: 'file', input: null, result: null }]);
  expect(log.stdout).not.toContain('secret');
  const full = await folder.runHere(['log', 'quiet', '--full']);
  expect(full).toMatchObject({ code: 2, stderr: expect.stringContaining('show_content: false') as string });
});
