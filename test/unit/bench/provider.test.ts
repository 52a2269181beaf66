import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hearAlone } from '../../../bench/agents/alone.ts';
import { startChild } from '../../../bench/agents/child.ts';
import { token, type Streamed } from '../../../bench/agents/heard.ts';

describe('the provider that all ways are measured with', () => {
  const provider = startChild('agents/provider.ts', [], new URL('../../../bench', import.meta.url).pathname);
  let url = '';
  beforeAll(async () => {
    url = await provider.line();
  });
  afterAll(() => provider.close());

  const ask = async (...messages: object[]): Promise<object> => {
    const body = JSON.stringify({ model: 'gpt-x', messages });
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
    const { choices } = (await answer.json()) as { choices: { message: object }[] };
    return choices[0]?.message ?? {};
  };

  it('reads the pages that the last question asks for, and then writes', async () => {
    const [question, read] = [
      { role: 'user', content: 'Read 2 pages of 7 words. Write 3 tokens' },
      { role: 'tool', content: 'Page' },
    ];
    const call = (n: number): object =>
      expect.objectContaining({
        function: { name: 'read_page', arguments: `{"n":${n},"words":7}` },
      }) as object;
    expect(await ask(question)).toMatchObject({ tool_calls: [call(0)] });
    expect(await ask(question, read, question, read)).toMatchObject({ tool_calls: [call(1)] });
    expect(await ask(question, read, read)).toEqual({ role: 'assistant', content: token.repeat(3) });
  });

  it('streams as many tokens as it is asked for, no faster than that, and says when it did', async () => {
    const heard = await hearAlone(`${url}/v1`, 'Write 21 tokens, 200 a second');
    expect(heard.characters).toBe(21 * token.length);
    const { first, last } = (await (await fetch(`${url}/streamed`)).json()) as Streamed;
    expect(last - first).toBeGreaterThan(90);
    expect(heard.last).toBeGreaterThanOrEqual(last);
  });
});
