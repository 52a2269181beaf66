import { describe, expect, it } from 'vitest';
import type { ModelCall } from '../../../../src/contract/models/model-call.js';
import { converse } from '../../../support/converse.js';
import { runFake, type FakeOptions } from '../../../support/fake-host.js';

function settingsOf(source: string, options: FakeOptions = {}): ModelCall['settings'] | undefined {
  return converse(source, [{ text: 'ok' }], options).calls[0]?.settings;
}

describe('idle_timeout', () => {
  const ofAgent = 'a = Agent { idle_timeout = "20s" } ';
  it.each([
    ['an agent', `${ofAgent}a("x")`, 20_000],
    ['an agent, among the settings of its model', 'a = Agent { model = { idle_timeout = 3 } } a("x")', 3_000],
    ['one call of it, which goes before', `${ofAgent}a { message = "x", idle_timeout = 5 }`, 5_000],
    ['a model of the type llm', 'm = Model { type = "llm", idle_timeout = "1m" } m("x")', 60_000],
    ['one question', 'Agent.run { prompt = "x", idle_timeout = "30s" }', 30_000],
  ])('is what %s says', (_, source, expected) => {
    expect(settingsOf(source)).toMatchObject({ idleTimeoutMs: expected });
    expect(settingsOf(source, { engine: 5 })).not.toHaveProperty('idleTimeoutMs');
  });

  it('is what configuration says where nobody else does', () => {
    const settings = { idleTimeoutMs: 7_000 };
    expect(settingsOf('a = Agent {} a("x")', { settings })).toEqual(settings);
    expect(settingsOf(`${ofAgent}a("x")`, { settings })).toEqual({ idleTimeoutMs: 20_000 });
    expect(settingsOf('a = Agent {} a("x")', { settings, engine: 5 })).toEqual({});
  });

  it('of a call is for templates in a run that began before', () => {
    const source =
      'a = Agent { system_prompt = "({params.idle_timeout})" } a { message = "x", idle_timeout = 5 }';
    expect(converse(source, [{ text: 'ok' }]).calls[0]?.system).not.toContain('5');
    expect(converse(source, [{ text: 'ok' }], { engine: 5 }).calls[0]?.system).toBe('(5)');
  });

  it('is refused where it is no time', () => {
    expect(runFake('Agent { idle_timeout = "soon" }').ended).toMatchObject({
      error: {
        code: 'source_invalid',
        message: expect.stringContaining('idle_timeout must be seconds') as unknown,
      },
    });
  });
});

describe('background', () => {
  const long = 'model_type = "responses", background = true';
  const agent = (more = ''): string => `a = Agent { ${long}${more} } a("x")`;

  it.each([
    ['an agent', agent()],
    ['a model of the type llm', `m = Model { type = "llm", ${long} } m("x")`],
  ])('of %s gives an attempt an hour', (_, source) => {
    expect(settingsOf(source)).toEqual({ modelType: 'responses', isBackground: true, timeoutMs: 3_600_000 });
    expect(settingsOf(source, { engine: 5 })).toEqual({ modelType: 'responses' });
  });

  it('leaves it to whoever says how long', () => {
    expect(settingsOf(agent(', request_timeout = 20'))).toMatchObject({ timeoutMs: 20_000 });
    expect(settingsOf(agent(), { settings: { requestTimeoutMs: 7_000 } })).not.toHaveProperty('timeoutMs');
    expect(settingsOf(agent(', budget = { time = "5m" }'))).toMatchObject({ timeoutMs: 300_000 });
  });

  it.each([
    ['background = true', 'background = true needs model_type = "responses"'],
    ['model_type = "responses", background = "yes"', 'background must be true or false, got "yes"'],
  ])('%s is a fault of the source', (setting, message) => {
    expect(runFake(`Agent { ${setting} }`).ended).toMatchObject({
      error: { code: 'source_invalid', message: expect.stringContaining(message) as unknown },
    });
    expect(runFake(`Agent { ${setting} } return 1`, { engine: 5 }).ended).toMatchObject({
      kind: 'completed',
    });
  });
});
