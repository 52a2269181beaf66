import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { describing, failureOf, runActivity, textOf } from '../run-activity.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

let folder: string;
beforeEach(async () => {
  folder = temporaryFolder('procedures');
});

async function put(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), text);
}

function load(procedure: string) {
  const procedureFolders = [join(folder, 'first'), join(folder, 'second')];
  return runActivity('loadProcedure', { procedure }, { deps: { procedureFolders } });
}

describe('loadProcedure', () => {
  it('gives the entry with what it requires, from the first folder that has it', async () => {
    await put('first/triage.tac', 'local m = require("parts.mail")');
    await put('first/parts/mail.tac', 'return 1');
    await put('second/triage.tac', 'return "never"');
    expect(await load('triage')).toEqual({
      entry: 'triage.tac',
      files: { 'triage.tac': 'local m = require("parts.mail")', 'parts/mail.tac': 'return 1' },
      settings: { modelCalls: 1_000 },
      memo: { procedure: 'triage', source: expect.stringMatching(/^sha256:[0-9a-f]{32}$/) as string },
    });
  });

  it('brings what the configuration beside it says', async () => {
    await put('first/strict.tac', 'return 1');
    await put('first/strict.tac.yml', 'strict_determinism: true\nmodel_calls: 0\nopenai_api_key: sk-1');
    expect(await load('strict')).toMatchObject({
      entry: 'strict.tac',
      files: { 'strict.tac': 'return 1' },
      settings: { strictDeterminism: true, modelCalls: 0 },
    });
  });

  it('brings what the configuration of the working folder says, wherever the files of procedures are', async () => {
    await put('first/plain.tac', 'return 1');
    await put('work/.tactus/config.yml', 'default_model: local/small');
    const deps = { procedureFolders: [join(folder, 'first')], workingFolder: join(folder, 'work') };
    const loaded = await runActivity('loadProcedure', { procedure: 'plain' }, { deps });
    expect(loaded.settings).toEqual({ defaultModel: 'local/small', modelCalls: 1_000 });
  });

  it('looks in the next folder, and below', async () => {
    await put('second/support/triage.tac', 'require "mail"');
    await put('second/support/mail.tac', 'return 2');
    const expected = {
      entry: 'triage.tac',
      files: { 'triage.tac': 'require "mail"', 'mail.tac': 'return 2' },
    };
    expect(await load('support/triage')).toMatchObject(expected);
    expect(await load('support/triage.tac')).toMatchObject(expected);
  });

  it.each([
    'missing',
    'support',
    '../outside',
    '/etc/passwd',
    'a/../../outside',
    '',
    '.hidden',
    'a\\b',
    'a\0b',
  ])('finds no procedure %j', async (name) => {
    await put('outside.tac', 'return "secret"');
    await mkdir(join(folder, 'first/support.tac'), { recursive: true });
    const failure = await failureOf(load(name));
    expect(failure).toMatchObject({ type: 'source_not_found', nonRetryable: true });
    expect(textOf(failure)).not.toContain(folder);
  });

  it('tries again for as long as the server cannot say what is published, and never takes the folder for it', async () => {
    await put('first/triage.tac', 'return 1');
    const client = describing(() => Promise.reject(new Error('14 UNAVAILABLE: no connection')));
    const deps = { procedureFolders: [join(folder, 'first')] };
    for (const attempt of [1, 50]) {
      const options = { client, deps, info: { attempt } };
      const failure = await failureOf(runActivity('loadProcedure', { procedure: 'triage' }, options));
      expect(failure).toMatchObject({ type: 'server_unreachable', nonRetryable: false });
    }
  });

  it('tries a folder that cannot be read five times', async () => {
    await put('first/triage.tac', 'return 1');
    const hasSearchAttributes = () => Promise.reject(new Error('busy'));
    const deps = { procedureFolders: [join(folder, 'first')], hasSearchAttributes };
    for (const [attempt, nonRetryable] of [
      [1, false],
      [4, false],
      [5, true],
    ] as const) {
      const options = { deps, info: { attempt } };
      const failure = await failureOf(runActivity('loadProcedure', { procedure: 'triage' }, options));
      expect(failure).toMatchObject({ type: 'source_not_found', nonRetryable });
    }
  });

  it('refuses a file that is too large', async () => {
    await put('first/big.tac', `-- ${'x'.repeat(600_000)}`);
    expect(await failureOf(load('big'))).toMatchObject({ type: 'source_invalid', nonRetryable: true });
  });
});
