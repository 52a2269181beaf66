import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { createModelHost } from '../../../../src/activities/predictions/served/ask-host.js';
import type { HostAnswer } from '../../../../src/activities/predictions/served/host/model-kind.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { waitUntil } from '../../../support/wait-until.js';

const root = fileURLToPath(new URL('../../../fixtures/models', import.meta.url));
const host = createModelHost();
afterAll(() => {
  host.close();
});

const ask = (
  path: string,
  input: JsonValue,
  memoryBytes = 2e9,
  signal = AbortSignal.timeout(30_000),
): Promise<HostAnswer> =>
  host.ask(
    { type: 'onnx', place: join(root, path), root, path, settings: {}, inputs: [input], memoryBytes },
    signal,
  );

describe('models in memory', () => {
  it('stay as long as there is room for them, and give way in the order in which they were asked', async () => {
    const [forest, network, flowers] = [
      Array(13).fill(1),
      Array(30).fill(1),
      Array(4).fill(1),
    ] as JsonValue[];
    const names = ['wine-forest.onnx', 'cancer-network.onnx', 'iris-logistic.onnx'] as const;
    const sizes = names.map((name) => statSync(join(root, name)).size);
    // Room for the largest and one more.
    const most = (sizes[0] ?? 0) + (sizes[1] ?? 0);
    const seen: [loaded: string | null, dropped: string[]][] = [];
    for (const [path, input] of [
      ['wine-forest.onnx', forest],
      ['cancer-network.onnx', network],
      ['wine-forest.onnx', forest],
      ['iris-logistic.onnx', flowers],
      ['wine-forest.onnx', forest],
      ['cancer-network.onnx', network],
    ] as [string, JsonValue][]) {
      const { ok, held } = await ask(path, input, most);
      expect(ok).toBe(true);
      seen.push([held.loaded?.path ?? null, held.dropped]);
    }
    expect(seen).toEqual([
      ['wine-forest.onnx', []],
      ['cancer-network.onnx', []],
      [null, []],
      ['iris-logistic.onnx', ['cancer-network.onnx']],
      [null, []],
      ['cancer-network.onnx', ['iris-logistic.onnx']],
    ]);
  });

  it('are none that are larger than all there may be', async () => {
    expect(await ask('other-wide.onnx', 1, 1_000)).toMatchObject({
      ok: false,
      message: expect.stringContaining('raise model_memory') as unknown,
    });
  });

  it('have the hash of their file, and of several files that of what sha256sum says', async () => {
    const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
    expect(await ask('logit.onnx', [1, 2, 3])).toMatchObject({
      version: `sha256:${sha256(readFileSync(join(root, 'logit.onnx')))}`,
    });
    const names = ['config.json', 'onnx/model.onnx', 'tokenizer.json', 'tokenizer_config.json'];
    const lines = names.map((name) => `${sha256(readFileSync(join(root, 'mood', name)))}  ${name}\n`);
    const request = { type: 'bert', place: join(root, 'mood'), root, path: 'mood', settings: {} } as const;
    const said = await host.ask({ ...request, inputs: ['a'], memoryBytes: 2e9 }, AbortSignal.timeout(30_000));
    expect(said).toMatchObject({ ok: true, version: `sha256:${sha256(lines.join(''))}` });
  });
});

describe('the process that runs models', () => {
  it('is ended for one that is given up, and those who wait are asked in the next', async () => {
    const giveUp = new AbortController();
    const endless = ask('endless.onnx', [1], 2e9, giveUp.signal);
    const waiting = ['logit.onnx', 'logits.onnx'].map((path) => ask(path, [1, 2, 3]));
    setTimeout(() => {
      giveUp.abort(new Error('given up'));
    }, 300);
    await expect(endless).rejects.toThrow('given up');
    expect(await Promise.all(waiting)).toMatchObject([
      { ok: true, outputs: [6], held: { loaded: { path: 'logit.onnx' } } },
      { ok: true, outputs: [[1, 2, 3]], held: { loaded: { path: 'logits.onnx' } } },
    ]);
  });

  it('keeps no worker from ending, and ends with it', async () => {
    const module = new URL('../../../../dist/activities/predictions/served/ask-host.js', import.meta.url)
      .href;
    const request = {
      type: 'onnx',
      place: join(root, 'logit.onnx'),
      root,
      path: 'x',
      settings: {},
      memoryBytes: 2e9,
    };
    const script = `import { readFileSync } from 'node:fs';
      import { createModelHost } from ${JSON.stringify(module)};
      const keep = setInterval(() => undefined, 1000);
      const request = ${JSON.stringify({ ...request, inputs: [[1, 2, 3]] })};
      const { outputs } = await createModelHost().ask(request, AbortSignal.timeout(20000));
      const children = readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').split(' ');
      console.log(JSON.stringify({ outputs, children: children.filter((pid) => pid !== '') }));
      clearInterval(keep);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env: {},
      timeout: 30_000,
    });
    const { outputs, children } = JSON.parse(stdout) as { outputs: number[]; children: string[] };
    expect(outputs).toEqual([6]);
    expect(children).toHaveLength(1);
    await waitUntil(() => Promise.resolve(!existsSync(`/proc/${children[0]}`)));
  });
});
