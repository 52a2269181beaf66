import { expect, it } from 'vitest';
import { SourceViews, type SourceLimits } from '../../../src/server/procedures/drawing/source-views.js';
import { procedureOf } from '../../support/procedure-source.js';

const limits: SourceLimits = { bytes: 1_000_000, ms: 60_000, heapMb: 512, threads: 1, waiting: 1, kept: 2 };
const asking = (n: number) => procedureOf(`${'if input.a then Human.approve("x") end\n'.repeat(n)}return {}`);

it('draws and describes beside the thread that answers', async () => {
  const views = new SourceViews(limits);
  let isDrawn = false;
  const drawn = views.graph(asking(3_000)).finally(() => (isDrawn = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isDrawn).toBe(false);
  const graph = await drawn;
  expect(graph?.nodes.length).toBeGreaterThan(6_000);
  expect(graph?.mermaid).toMatch(/^flowchart TD/);
  expect(await views.describe(procedureOf('return {}'))).toMatchObject({
    name: expect.any(String) as string,
  });
  expect(await views.graph(procedureOf('this is no Lua'))).toBe(null);
});

it('looks at the same source once', async () => {
  const views = new SourceViews(limits);
  const [one, two] = await Promise.all([views.graph(asking(1)), views.graph(asking(1))]);
  expect(one).toBe(two);
  await views.graph(asking(2));
  await views.graph(asking(3));
  expect(await views.graph(asking(1))).not.toBe(one);
});

it('gives up what is too large, takes too long or too much, or has too many before it', async () => {
  const refused = async (change: Partial<SourceLimits>, n = 20_000) => {
    const error: unknown = await new SourceViews({ ...limits, ...change }).graph(asking(n)).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return error as { code: string; message: string };
  };
  expect(await refused({ bytes: 1_000 })).toMatchObject({ code: 'payload_too_large' });
  expect(await refused({ ms: 5 })).toMatchObject({ code: 'instruction_limit' });
  expect(await refused({ heapMb: 16 })).toMatchObject({
    ...{ code: 'instruction_limit', message: expect.stringContaining('16 MB') as string },
  });
  const views = new SourceViews(limits);
  const [first, second] = [views.graph(asking(10)), views.graph(asking(11))];
  await expect(views.graph(asking(12))).rejects.toMatchObject({ code: 'rate_limited' });
  expect((await first)?.nodes.length).toBeLessThan((await second)?.nodes.length ?? 0);
  expect((await views.graph(asking(12)))?.entry).toBe('main.tac');
});
