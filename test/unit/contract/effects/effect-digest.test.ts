import { describe, expect, it } from 'vitest';
import { digestOf, versionOf } from '../../../../src/contract/effects/digest.js';
import { changesOf, newestEngine } from '../../../../src/contract/engine.js';
import {
  definitionOf,
  effectDigest,
  effectVersion,
  type Effect,
  type EffectKind,
} from '../../../../src/contract/effects/effects.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import type { ProviderTool } from '../../../../src/contract/models/provider-tool.js';

const call = {
  agent: 'writer',
  model: null,
  system: 'Be brief.',
  messages: [
    { role: 'user' as const, content: 'Go' },
    {
      role: 'assistant' as const,
      content: '',
      toolCalls: [{ id: '1', name: 'add', arguments: {}, invalid: '{' }],
    },
    { role: 'tool' as const, toolCallId: '1', name: 'add', content: '3' },
  ],
  tools: [{ name: 'add', description: 'adds', parameters: { type: 'object' } }],
  outputSchema: { type: 'object' },
  settings: { temperature: 0.5, timeoutMs: 1_000, stop: ['.'] },
};

/** One of each kind, with all that it may have. */
const effects: { [K in EffectKind]: Extract<Effect, { kind: K }> } = {
  model_call: { kind: 'model_call', call },
  predict: {
    kind: 'predict',
    prediction: {
      model: 'm',
      backend: { type: 'http', endpoint: 'e', timeoutMs: 5, headers: { a: 'b' } },
      input: [1],
    },
  },
  run_model: {
    kind: 'run_model',
    run: {
      model: 'm',
      backend: {
        type: 'onnx',
        settings: { path: 'm.onnx' },
        timeoutMs: 5,
        retry: { attempts: 1 },
        taskQueue: 'gpu',
      },
      inputs: [[1, 2]],
    },
  },
  retrieve: {
    kind: 'retrieve',
    retrieval: {
      retriever: 'r',
      setup: {
        id: 'embedding-index-file',
        corpus: 'notes',
        chunking: { by: 'words', size: 9, overlap: 1 },
        embedding: { by: 'model', settings: { path: 'm' }, dimensions: 3 },
        ...{ snippet: 4, stopWords: ['the'], timeoutMs: 5, retry: { attempts: 1 }, taskQueue: 'gpu' },
      },
      query: 'q',
      bounds: { limit: 1, offset: 2, characters: 3, perSource: 4 },
    },
  },
  http: {
    kind: 'http',
    request: { method: 'POST', url: 'u', headers: { a: 'b' }, body: 'text', timeoutMs: 5 },
  },
  human: {
    kind: 'human',
    ask: {
      kind: 'approval',
      message: 'Sure?',
      context: { n: 1 },
      options: ['yes'],
      form: { type: 'any' },
      default: null,
      timeoutMs: 5,
      approvers: ['ann'],
      metadata: { key: 'k' },
    },
  },
  sleep: { kind: 'sleep', ms: 5 },
  file: { kind: 'file', operation: 'write', path: 'p', content: 'text', folder: 'f' },
  data_file: {
    ...{ kind: 'data_file', format: 'excel', operation: 'write', path: 'p', part: 'Sheet1' },
    ...{ data: [{ n: 1 }], folder: 'f' },
  },
  procedure: { kind: 'procedure', file: 'f', input: { n: 1 } },
  spawn: { kind: 'spawn', file: 'f', input: { n: 1 } },
  children: { kind: 'children', ids: ['a'], until: 'all', timeoutMs: 5 },
  cancel_child: { kind: 'cancel_child', id: 'a' },
  intent: { kind: 'intent', key: 'run/1/0', intent: { type: 'send_text', payload: { text: 'hi' } } },
  continue_as_new: { kind: 'continue_as_new', input: { n: 1 }, state: { seen: 2 } },
  retry_here: { kind: 'retry_here', at: '0.1', gone: ['0.1', '0.2'], spent: [], by: 'ann', isAnew: false },
  defer: { kind: 'defer', key: 'k', resumeAt: 'r', reason: 'because' },
  tool: {
    kind: 'tool',
    invocation: {
      ...{ operation: 'call', source: 'host.charge', args: { n: 1 }, effect: 'once', call: '3' },
      ...{ procedure: 'main', timeoutMs: 5 },
    },
  },
  tool_list: { kind: 'tool_list', sources: ['host.charge'] },
  code_check: { kind: 'code_check', text: 'return 1', tools: ['look'] },
  steer: { kind: 'steer', agent: 'writer' },
  event: { kind: 'event', name: 'paid', match: { order: 'A-7' }, timeoutMs: 5 },
};

const each = Object.values(effects);
const of010 = each.filter(({ kind }) => definitionOf(kind).since === undefined);
const versionsOf = (effect: Effect): number[] =>
  Array.from({ length: effectVersion(effect, changesOf(newestEngine)) }, (_, i) => i + 1);

describe('the digest of an effect', () => {
  it('is made in the version that came with the engine of the run', () => {
    const versions = [1, 2, 6, 7].map((engine) => effectVersion(effects.human, changesOf(engine)));
    expect(versions).toEqual([1, 2, 2, 3]);
  });

  it.each(of010)('of version 1 is that of all of it, as 0.1.0 made it: $kind', (effect) => {
    expect(effectDigest(effect, 1)).toBe(digestOf(effect as unknown as JsonValue));
  });

  it.each(each)('names its version, but for the first: $kind', (effect) => {
    for (const version of versionsOf(effect)) {
      const digest = effectDigest(effect, version);
      expect(versionOf(digest)).toBe(version);
      expect(digest).toMatch(version === 1 ? /^[0-9a-f]{32}$/ : /^\d+:[0-9a-f]{32}$/);
    }
  });

  it.each(each)('is the same with a field that its identity doesn’t name: $kind', (effect) => {
    const added = JSON.parse(JSON.stringify(effect), (_, value: JsonValue) => value) as Effect;
    Object.assign(added, { added: 1 });
    if (added.kind === 'model_call') {
      for (const object of [added.call, ...added.call.messages, ...added.call.tools, added.call.settings])
        Object.assign(object, { added: 1 });
      added.call.isLenient = true;
    }
    for (const version of versionsOf(effect))
      expect(effectDigest(added, version)).toBe(effectDigest(effect, version));
  });

  it.each(each)('is another one where anything else is asked: $kind', (effect) => {
    const { fields: parts } = definitionOf(effect.kind).identity;
    const fields = Object.entries(parts).flatMap(([field, part]) =>
      'since' in part && part.since === Infinity ? [] : [field],
    );
    for (const field of fields)
      for (const version of versionsOf(effect)) {
        const changed = { ...effect, [field]: 'other' };
        if (field !== 'kind') expect(effectDigest(changed, version)).not.toBe(effectDigest(effect, version));
      }
  });

  it('has what a provider runs, and neither who allowed it nor for whom', () => {
    const search = { name: 'search', source: 'provider.openai.web_search', args: {}, procedure: 'main' };
    const digestWith = (change: Partial<ProviderTool>): string =>
      effectDigest({ kind: 'model_call', call: { ...call, providerTools: [{ ...search, ...change }] } }, 2);
    expect(digestWith({})).not.toBe(effectDigest(effects.model_call, 2));
    expect(digestWith({ args: { n: 1 } })).not.toBe(digestWith({}));
    const approval = { request: 'run/0', digest: 'd', by: 'ann', expiresAt: null };
    expect(digestWith({ approval, procedure: 'other' })).toBe(digestWith({}));
  });

  it('has the time that an answer may take in its first version alone', () => {
    const patient = { ...effects.human, ask: { ...effects.human.ask, timeoutMs: 9 } };
    expect(effectDigest(patient, 1)).not.toBe(effectDigest(effects.human, 1));
    expect(effectDigest(patient, 2)).toBe(effectDigest(effects.human, 2));
  });

  it('of a version that isn’t known is none', () => {
    expect(() => effectDigest(effects.sleep, 2)).toThrow(/recorded sleep has version 2.*none after 1/);
  });
});
