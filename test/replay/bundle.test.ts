import { readFile } from 'node:fs/promises';
import { runInContext } from 'node:vm';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { workflowBundlePath } from '../../src/worker/bundles/workflow-bundle.js';

/** What would let a procedure out of the sandbox, or cost each run megabytes. */
const strangers = [
  'child_process',
  'XMLHttpRequest',
  'luaopen_os',
  'luaopen_io',
  'luaopen_package',
  'node:fs',
  "require('fs')",
  'zod',
];

describe('the workflow bundle', () => {
  let code: string;

  beforeAll(async () => {
    const bundle = await readFile(workflowBundlePath(), 'utf8');
    // The source map quotes comments and may name anything.
    code = bundle.slice(0, bundle.lastIndexOf('//# sourceMappingURL='));
  });

  it.each(strangers)('has no %s', (stranger) => {
    const at = code.indexOf(stranger);
    expect(at < 0 ? null : code.slice(Math.max(0, at - 80), at + 80)).toBeNull();
  });

  it.each([
    ['fengari', /[^"]{1,80}fengari\.generated\.js/, 'lua'],
    ['the bridge', /[^"]{1,80}lua-bridge\/index\.js/, 'Program'],
    ['the workflow', /[^"]{1,80}workflows\/index\.js/, 'tactus'],
  ])('has %s once for all runs of a worker, and frozen', async (_what, module, exported) => {
    const [name] = module.exec(code) ?? [];
    // What a worker's thread does before it takes its first run.
    const creator = await ReusableVMWorkflowCreator.create(
      {
        code,
        sourceMap: { version: 3, sources: [], names: [], mappings: '' } as never,
        filename: 'workflow-bundle.js',
      },
      10_000,
      new Set(),
    );
    const shared = runInContext(`__webpack_module_cache__[${JSON.stringify(name)}]`, creator['context']) as
      { exports: Record<string, object> } | undefined;
    expect(Object.keys(shared?.exports ?? {})).toContain(exported);
    expect([Object.isFrozen(shared?.exports), Object.isFrozen(shared?.exports[exported])]).toEqual([
      true,
      true,
    ]);
    await creator.destroy();
  });
});
