import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment } from '../../../../src/contract/environment.js';
import type { ModelCall } from '../../../../src/contract/models/model-call.js';
import {
  startProviderStandIn,
  type Answer,
  type ProviderStandIn,
} from '../../../support/provider-stand-in.js';
import {
  canary,
  failureOf,
  idempotencyKey,
  logged,
  makeCall,
  runActivity,
  textOf,
  type RunOptions,
} from '../run-activity.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

let provider: ProviderStandIn;
beforeEach(async () => {
  provider = await startProviderStandIn();
});
afterEach(() => provider.close());

function ask(change: Partial<ModelCall> = {}, options: RunOptions & { env?: Environment } = {}) {
  const env = {
    OPENAI_API_KEY: canary,
    OPENAI_BASE_URL: `${provider.url}/v1`,
    ANTHROPIC_API_KEY: canary,
    ANTHROPIC_BASE_URL: provider.url,
    ...options.env,
  };
  return runActivity(
    'modelCall',
    { call: makeCall(change), idempotencyKey },
    { ...options, deps: { env, ...options.deps } },
  );
}

const models = ['openai/gpt-5-mini', 'anthropic/claude-haiku-4-5'];
const streamed = { deps: { onText: () => undefined } };

describe('the key', () => {
  const echoes: [string, (key: string) => Answer][] = [
    [
      'a refusal',
      (key) => ({ status: 401, body: { error: { message: `Incorrect API key provided: ${key}` } } }),
    ],
    [
      'another error',
      (key) => ({ status: 400, body: { error: { message: `Bad header Authorization: Bearer ${key}` } } }),
    ],
    ['the whole body', (key) => ({ json: { headers: { authorization: `Bearer ${key}` } } })],
    [
      'a page',
      (key) => ({ status: 502, headers: { 'content-type': 'text/html' }, body: `<p>${key}</p>`.repeat(100) }),
    ],
    ['no choices', (key) => ({ json: { choices: [], echo: key } })],
    ['headers', (key) => ({ status: 429, headers: { 'x-echo': key }, body: { error: { message: 'no' } } })],
    [
      'the answer',
      (key) => ({
        text: `your key is ${key}`,
        toolCalls: [{ name: 'a', arguments: JSON.stringify({ [key]: key }) }],
      }),
    ],
  ];
  // One that no pattern knows, one with the beginning of OpenAI's.
  describe.each([canary, 'correct horse battery staple/42+='])('%s', (key) => {
    const env = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key };
    it.each(echoes)('does not come back with %s', async (_, answer) => {
      logged.length = 0;
      for (const model of models)
        for (const options of [{}, streamed]) {
          provider.reply(answer(key));
          const outcome = await ask({ model }, { ...options, env }).then(JSON.stringify, textOf);
          for (const text of [outcome, ...logged])
            for (const form of [
              key,
              encodeURIComponent(key),
              Buffer.from(key).toString('base64'),
              key.slice(0, 12),
            ])
              expect(text).not.toContain(form);
        }
    });
  });

  it('from a file does not come back either', async () => {
    const folder = temporaryFolder('key');
    await writeFile(`${folder}/key`, `${canary}\n`);
    provider.reply(
      { text: `you sent ${canary}` },
      { status: 400, body: { error: { message: `you sent ${canary}` } } },
    );
    const env = {
      OPENAI_API_KEY: undefined,
      OPENAI_API_KEY_FILE: `${folder}/key`,
      ANTHROPIC_API_KEY: undefined,
    };
    expect((await ask({}, { env })).text).toBe('you sent [redacted]');
    expect(textOf(await failureOf(ask({}, { env })))).not.toContain(canary);
    expect(provider.requests[0]?.headers['authorization']).toBe(`Bearer ${canary}`);
  });

  it('that is no header at all is not quoted', async () => {
    const env = { OPENAI_API_KEY: `${canary}\nsecond-half-of-it` };
    const failure = await failureOf(ask({}, { env }));
    expect(textOf(failure)).not.toMatch(/sk-canary|second-half/);
  });
});
