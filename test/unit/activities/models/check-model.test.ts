import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../../src/contract/environment.js';
import { checkModel } from '../../../../src/activities/index.js';
import { TactusError } from '../../../../src/contract/errors.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const keys = { OPENAI_API_KEY: 'a-key', ANTHROPIC_API_KEY: 'b-key' };
const local = 'local/smollm2-135m-instruct';

function check(model: string | null, env: Environment): string {
  const choice = checkModel(model, env);
  return `${choice.provider.name}/${choice.model}`;
}

function errorOf(model: string | null, env: Environment): TactusError {
  try {
    checkModel(model, env);
  } catch (error) {
    if (error instanceof TactusError) return error;
    throw error;
  }
  throw new Error('no error');
}

describe('checkModel', () => {
  it.each([
    ['openai/gpt-5-mini', 'openai/gpt-5-mini'],
    ['openai:gpt-4o', 'openai/gpt-4o'],
    ['anthropic/claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['anthropic:claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['gpt-4o', 'openai/gpt-4o'],
    ['chatgpt-4o-latest', 'openai/chatgpt-4o-latest'],
    ['o1', 'openai/o1'],
    ['o3-mini', 'openai/o3-mini'],
    ['o4-mini', 'openai/o4-mini'],
    ['ft:gpt-4o:team::id', 'openai/ft:gpt-4o:team::id'],
    ['claude-haiku-4-5', 'anthropic/claude-haiku-4-5'],
    ['openai/meta-llama/Llama-3:8b', 'openai/meta-llama/Llama-3:8b'],
    [local, local],
    ['local', local],
    ['openai', 'openai/gpt-5-mini'],
    ['anthropic', 'anthropic/claude-haiku-4-5'],
  ])('takes %s for %s', (model, expected) => {
    expect(check(model, keys)).toBe(expected);
  });

  it.each([
    'mystery/9',
    'llama3:8b',
    'gemini-pro',
    'local/other',
    'constructor',
    '__proto__/x',
    'openai/',
    '/x',
    'o2-mini',
  ])('knows no model %s', (model) => {
    expect(errorOf(model, keys)).toMatchObject({ code: 'unknown_model', details: { model } });
  });

  it('uses, where no model is named, the configured one, else whichever has a key, else the local one', () => {
    expect(check(null, { ...keys, TACTUS_DEFAULT_MODEL: 'claude-opus-4-5' })).toBe(
      'anthropic/claude-opus-4-5',
    );
    expect(check(null, keys)).toBe('openai/gpt-5-mini');
    expect(check(null, { ANTHROPIC_API_KEY: 'b-key' })).toBe('anthropic/claude-haiku-4-5');
    expect(check(null, {})).toBe(local);
    expect(check(null, { OPENAI_API_KEY: '  ', TACTUS_DEFAULT_MODEL: '' })).toBe(local);
  });

  it.each([
    ['openai/gpt-5-mini', 'OPENAI_API_KEY'],
    ['claude-haiku-4-5', 'ANTHROPIC_API_KEY'],
  ])('names the variable that %s needs', (model, variable) => {
    const error = errorOf(model, {});
    expect(error).toMatchObject({ code: 'missing_key', details: { variable } });
    expect(error.message).toContain(variable);
    expect(errorOf(null, { TACTUS_DEFAULT_MODEL: model })).toMatchObject({ details: { variable } });
  });

  it.each([
    { OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' },
    { OPENAI_BASE_URL: ' ', OPENAI_API_BASE: 'http://127.0.0.1:11434/v1' },
  ])('wants no key for an OpenAI-compatible server, whose models may have any name: %j', (env) => {
    expect(check('llama3:8b', env)).toBe('openai/llama3:8b');
    expect(check('openai/qwen', env)).toBe('openai/qwen');
    expect(errorOf('mystery/9', env).code).toBe('unknown_model');
    expect(errorOf('claude-haiku-4-5', env).code).toBe('missing_key');
  });

  it('finds keys in files, and says which variable names one that it cannot read', async () => {
    const file = join(temporaryFolder('key'), 'key');
    await writeFile(file, 'a-key\n');
    expect(check('gpt-4o', { OPENAI_API_KEY_FILE: file })).toBe('openai/gpt-4o');
    const error = errorOf('gpt-4o', { OPENAI_API_KEY_FILE: `${file}-elsewhere` });
    expect(error).toMatchObject({ code: 'missing_key', details: { variable: 'OPENAI_API_KEY' } });
    expect(error.message).toContain('OPENAI_API_KEY_FILE');
    await writeFile(file, ' \n');
    expect(errorOf('gpt-4o', { OPENAI_API_KEY_FILE: file }).code).toBe('missing_key');
  });
});
