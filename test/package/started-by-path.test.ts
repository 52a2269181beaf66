import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runNpm } from '../../scripts/setup/run-npm.mjs';
import { cliFolder, type CliFolder } from '../support/cli-folder.js';
import { mcpClient } from '../support/mcp-client.js';

/** What the package starts or reads by its path, in the bundle: threads, processes, the page, templates, scripts. */

const lib = resolve('lib');
let folder: CliFolder;

beforeAll(() => {
  folder = cliFolder({}, [process.execPath, join(lib, 'cli/main.js')]);
  const copy = (file: string, into: string): void => {
    mkdirSync(join(folder.path, into), { recursive: true });
    copyFileSync(resolve('test/fixtures', file), join(folder.path, into, basename(file)));
  };
  copy('data-files/people.parquet', 'files');
  copy('models/iris-logistic.onnx', 'models');
  folder.write(
    'look.tac',
    `local parquet = require("tactus.io.parquet")
    flowers = Model "flowers" { type = "onnx", path = "iris-logistic.onnx" }
    Procedure { function()
      local flower = flowers({ 5.1, 3.5, 1.4, 0.2 })
      return { people = #parquet.read("people.parquet"), flower = flower.output.label }
    end }`,
  );
});
afterAll(() => folder.close());

/** A command that serves, from when it says its address. */
async function serving(command: string): Promise<{ url: string; end: () => Promise<void> }> {
  const child = folder.start([command, '--port', '0', '--json']);
  const ended = new Promise((done) => child.on('close', done));
  let told = '';
  for await (const data of child.stdout ?? []) {
    told += String(data);
    if (told.trim().endsWith('}')) break;
  }
  const { url } = JSON.parse(told) as { url: string };
  return {
    url,
    end: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

describe('the bundled command line', () => {
  it('keeps an embedded server, and reads files of data and asks models beside the worker', async () => {
    const { code, stderr, json } = await folder.run(['run', 'look.tac', '--id', 'look', '--json']);
    expect(code, stderr).toBe(0);
    expect(json()['output']).toEqual({ people: 3, flower: 0 });
  });

  it('serves the page, and draws in a thread', async () => {
    const { url, end } = await serving('serve');
    expect(await (await fetch(url)).text()).toContain('/assets/page-');
    const graph = await fetch(`${url}/api/v1/namespaces/default/runs/look/graph`);
    expect(await graph.json()).toMatchObject({ entry: 'look.tac' });
    await end();
  });

  it('serves the playground, and the documents by MCP', async () => {
    const { url, end } = await serving('playground');
    expect(await (await fetch(url)).text()).toContain('./playground-');
    await end();
    const { client } = await mcpClient(folder, ['--docs']);
    const read = await client.callTool({ name: 'read_doc', arguments: { page: 'docs/playground.md' } });
    expect(JSON.stringify(read.content)).toContain('# The playground');
    await client.close();
  });

  it('finds what lies beside it', async () => {
    const created = await folder.run(['init', 'app', '--template', 'approval', '--json']);
    expect(created.code, created.stderr).toBe(0);
    const stubs = await folder.run(['types', 'app', '--json']);
    expect(stubs.code, stubs.stderr).toBe(0);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect((await folder.run(['--version'])).stdout.trim()).toBe(version);
  });
});

it('packs no source maps, and few files', async () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'];
  const packed = await runNpm(args, { node: process.execPath, cwd: resolve(), timeoutMs: 60_000 });
  const [{ files = [], size = 0 } = {}] = JSON.parse(packed.stdout) as {
    files: { path: string }[];
    size: number;
  }[];
  // The configuration of an example lies beside its procedure.
  const isStray = ({ path }: { path: string }): boolean =>
    /\.map$|\/\.(?!tactus\/config\.yml$)|^(dist|src|test)\//.test(path);
  expect(files.filter(isStray)).toEqual([]);
  expect(files.length).toBeLessThanOrEqual(500);
  // Of which the playground, with its engine and its editor, takes half a megabyte.
  expect(size).toBeLessThanOrEqual(3_400_000);
});

it('each module is in one file alone', () => {
  const files = JSON.parse(readFileSync(join(lib, '.modules.json'), 'utf8')) as Record<string, string[]>;
  const modules = Object.values(files).flat();
  expect(new Set(modules).size).toBe(modules.length);
  const known = new Set(Object.keys(files));
  const there = readdirSync(lib, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(?!page|playground).*\.js$/.test(name),
  );
  expect(there.filter((name) => !known.has(name))).toEqual(['workflow-bundle.js']);
});
