import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/contract/json/json.js';
import { startProviderStandIn, type ProviderStandIn } from '../support/provider-stand-in.js';
import { caseFolder, type CaseFolder } from './case-folder.js';

/** Where the reference goes wrong with agents. The model is a stand-in that is told its answers in order. */

let provider: ProviderStandIn;
let folder: CaseFolder;

beforeAll(async () => {
  provider = await startProviderStandIn();
  folder = await caseFolder({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${provider.url}/v1` });
  provider.reply({ toolCalls: [{ name: 'lookup', arguments: '{"q":"x"}' }] }, { text: 'first' });
  const history = await folder.untilAsked('w-pB-agent-history.tac', 'history', 'go?');
  provider.reply({ toolCalls: [{ name: 'ask', arguments: '{"q":"it"}' }] });
  const tool = await folder.untilAsked('w-pC-agent-hitl-tool.tac', 'tool', 'agent asks it');
  await Promise.all([history.kill(), tool.kill()]);
  await folder.work();
});

afterAll(async () => {
  await folder?.close();
  await provider?.close();
});

/** The conversations that the model has been given since the last call, oldest first. */
function conversations(): JsonObject[][] {
  return provider.requests.splice(0).map(({ body }) => body['messages'] as JsonObject[]);
}

it('w-pB: the conversation goes on behind a question to a person, over a kill', async () => {
  // Two of this case, one of the next: nothing was asked twice.
  expect(conversations()).toHaveLength(3);
  provider.reply({ text: 'second' });
  await folder.json(['respond', 'history/1', 'y']);
  expect((await folder.follow(['resume', 'history'])).output).toEqual({
    ...{ a: 'first', b: 'second', ok: true },
    ...{ called: true, cnt: 1 },
  });
  expect(conversations()).toMatchObject([
    [
      { role: 'system', content: 'sys sx' },
      { role: 'user', content: 'one' },
      { role: 'assistant' },
      { role: 'tool', content: '{"answer":42}' },
      { role: 'assistant', content: 'first' },
      { role: 'user', content: 'two' },
    ],
  ]);
});

it("w-pC: an agent's tool waits for the person, over a kill", async () => {
  provider.reply({ text: 'first' }, { text: 'second' });
  const { pending } = await folder.json<{ pending: { id: string }[] }>(['pending', 'tool']);
  await folder.json(['respond', pending[0]?.id ?? '', 'y']);
  expect((await folder.follow(['resume', 'tool'])).output).toEqual({ a: 'first|second' });
  const [first, second] = conversations();
  expect(first?.at(-1)).toMatchObject({ role: 'tool', content: 'approved=true' });
  expect(second?.slice(-2)).toMatchObject([
    { role: 'assistant', content: 'first' },
    { role: 'user', content: 'two' },
  ]);
});

it('w-pD: templates are filled with real values', async () => {
  provider.reply({ text: 'first' }, { text: 'second' });
  const view = await folder.follow(['run', 'w-pD-templates.tac', '--param', 'name=Ann']);
  expect(view.output).toEqual({ a: 'first' });
  const [[system, user] = []] = conversations();
  expect(system?.['content']).toBe('sys Ann KV Ann Ann {output.z}');
  expect(user?.['content']).toBe('Hello Ann / Ann');
});
