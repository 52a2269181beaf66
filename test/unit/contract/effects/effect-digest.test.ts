import { describe, expect, it } from 'vitest';
import { digestOf, versionOf } from '../../../../src/contract/effects/digest.js';
import { changesOf, newestEngine } from '../../../../src/contract/engine.js';
import {
  definitionOf,
  effectDigest,
  effectVersion,
  type Effect,
} from '../../../../src/contract/effects/effects.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import type { ProviderTool } from '../../../../src/contract/models/provider-tool.js';
import { effectExamples, modelCall } from '../../../support/effect-examples.js';

const each: Effect[] = Object.values(effectExamples).map(({ effect }) => effect);
const of010 = each.filter(({ kind }) => definitionOf(kind).since === undefined);
const versionsOf = (effect: Effect): number[] =>
  Array.from({ length: effectVersion(effect, changesOf(newestEngine)) }, (_, i) => i + 1);

describe('the digest of an effect', () => {
  it('is made in the version that came with the engine of the run', () => {
    const versions = [1, 2, 6, 7].map((engine) =>
      effectVersion(effectExamples.human.effect, changesOf(engine)),
    );
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
      effectDigest(
        { kind: 'model_call', call: { ...modelCall, providerTools: [{ ...search, ...change }] } },
        2,
      );
    expect(digestWith({})).not.toBe(effectDigest(effectExamples.model_call.effect, 2));
    expect(digestWith({ args: { n: 1 } })).not.toBe(digestWith({}));
    const approval = { request: 'run/0', digest: 'd', by: 'ann', expiresAt: null };
    expect(digestWith({ approval, procedure: 'other' })).toBe(digestWith({}));
  });

  it('has the time that an answer may take in its first version alone', () => {
    const patient = {
      ...effectExamples.human.effect,
      ask: { ...effectExamples.human.effect.ask, timeoutMs: 9 },
    };
    expect(effectDigest(patient, 1)).not.toBe(effectDigest(effectExamples.human.effect, 1));
    expect(effectDigest(patient, 2)).toBe(effectDigest(effectExamples.human.effect, 2));
  });

  it('of a version that isn’t known is none', () => {
    expect(() => effectDigest(effectExamples.sleep.effect, 2)).toThrow(
      /recorded sleep has version 2.*none after 1/,
    );
  });
});
