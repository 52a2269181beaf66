import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocks } from '../support/code-blocks.js';
import { procedureOf } from '../support/procedure-source.js';
import { pythonOr, type Python } from '../support/python.js';
import { startPythonWorker } from '../support/python-worker.js';
import { serverWithWorker } from '../support/server-with-worker.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startDevServer } from '../support/test-server.js';

const found = await pythonOr('the page on Python');

describe.skipIf(found === null)('the page on Python', () => {
  const server = serverWithWorker(startDevServer);
  const python = found as Python;

  it('has programs that run, one after the other', async () => {
    const folder = temporaryFolder('python-docs');
    const [procedure = ''] = codeBlocks('docs/python.md', 'lua');
    writeFileSync(join(folder, 'review.tac'), procedure);
    const env = { TEMPORAL_ADDRESS: server.env.address };
    const said: string[] = [];
    for (const [i, program] of codeBlocks('docs/python.md', 'python').slice(0, 3).entries()) {
      const file = join(folder, `program-${i}.py`);
      writeFileSync(file, program);
      // The last two import the reference.
      const begin = `import sys; sys.path.append(${JSON.stringify(import.meta.dirname)}); import reference, runpy`;
      const args =
        i === 0 ? [file] : ['-c', `${begin}; runpy.run_path("program-${i}.py", run_name="__main__")`];
      said.push(await python.run(args, { cwd: folder, env }));
    }
    const [client = '', storage, handler] = said;
    expect(client).toMatch(
      /waiting_for_human\nPublish\? accepted\n(.*\n)*completed\n\{'published': True, 'topic': 'tea'\}\n$/,
    );
    expect(storage).toBe("COMPLETED [(0, 'hitl_approval', True)]\n");
    expect(handler).toBe('WAITING_FOR_HUMAN deploy:7:pos0\n');
  });

  it('has a worker that has functions as models', async () => {
    const folder = temporaryFolder('python-docs-worker');
    const [shop = '', program = ''] = codeBlocks('docs/python.md', 'python').slice(3);
    const [asking = ''] = codeBlocks('docs/python.md', 'lua').slice(1);
    mkdirSync(join(folder, 'models'));
    writeFileSync(join(folder, 'shop.py'), shop);
    writeFileSync(join(folder, 'worker.py'), program.replace('localhost:7233', server.env.address));
    const worker = python.start(['worker.py'], { cwd: folder });
    try {
      const run = await server.tactus.start(procedureOf(asking), {});
      expect(await run.result()).toBe(21);
    } finally {
      worker.kill('SIGINT');
    }
  });

  it('has functions that are tools', async () => {
    const folder = temporaryFolder('python-docs-tools');
    writeFileSync(join(folder, 'till.py'), codeBlocks('docs/python.md', 'python')[5] ?? '');
    writeFileSync(join(folder, 'shop.py'), codeBlocks('docs/python.md', 'python')[3] ?? '');
    const declared = codeBlocks('docs/python.md', 'lua')[2] ?? '';
    const modules = ['--module', 'till', '--module', 'shop'];
    const worker = await startPythonWorker(python, server, modules, { cwd: folder });
    try {
      const body = `${declared}
        local ok, why = pcall(charge, { card = "a", cents = 0 })
        return { charge { card = "a", cents = 5 }, tostring(why) }`;
      expect(await (await server.tactus.start(procedureOf(body), {})).result()).toEqual([
        { charged: 5 },
        expect.stringContaining('there is nothing to be charged'),
      ]);
    } finally {
      await worker.end();
    }
  });
});

describe.skipIf(found === null)('the wheel', () => {
  it('has the version of the npm package, its types, and no need of Tactus', async () => {
    const python = found as Python;
    const root = resolve(import.meta.dirname, '../..');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const program = `
import json, sys
from importlib.metadata import distribution
from importlib.resources import files
import tactus_temporal.client
print(json.dumps({
    "version": distribution("tactus-temporal").version,
    "typed": files("tactus_temporal").joinpath("py.typed").is_file(),
    "tactus": "tactus" in sys.modules,
    "requires": distribution("tactus-temporal").requires,
}))`;
    expect(JSON.parse(await python.run(['-c', program]))).toEqual({
      version,
      typed: true,
      tactus: false,
      requires: [
        'temporalio>=1.18,<2',
        'torch>=2.9 ; extra == "pytorch"',
        'scikit-learn>=1.6 ; extra == "sklearn"',
        'skops>=0.13 ; extra == "sklearn"',
        'joblib>=1.4 ; extra == "sklearn"',
        'tactus>=0.53,<0.54 ; extra == "tactus"',
        'transformers>=5 ; extra == "transformers"',
        'torch>=2.9 ; extra == "transformers"',
      ],
    });
  });
});
