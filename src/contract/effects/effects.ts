import { NewerVersionError, type Holds } from '../engine.js';
import { definitions } from './all.generated.js';
import { comparedOf, identityOf, type Compared, type EffectDefinition } from './define-effect.js';
import { digestOf, versionedDigest } from './digest.js';

type Definition = (typeof definitions)[number];
type EffectOf<D> = D extends { shown: (effect: infer E) => unknown } ? E : never;

/** What Lua asks of the outside: each kind is defined by a file whose name ends with `-effect.ts`. */
export type Effect = EffectOf<Definition>;
export type EffectKind = Effect['kind'];
/** What a procedure may be seen to wait for. */
export type WaitKind = Definition['wait'];
/** What the checkpoints of effects are called. */
export type EffectType = Definition['types'][number];

/** All of them. */
export const effectTypes: ReadonlySet<string> = new Set(definitions.flatMap(({ types }) => [...types]));

/** Those of which each is done elsewhere, whatever asks for it. */
export const remoteTypes: ReadonlySet<string> = new Set(
  [...effectTypes].filter((type) =>
    definitions.every(({ types, isRemote }) => isRemote || !(types as readonly string[]).includes(type)),
  ),
);

/** Whichever kind it is of: it takes an effect of its own kind alone. */
export type AnyDefinition = EffectDefinition<Effect> & { readonly wait: WaitKind };

const byKind = new Map<string, AnyDefinition>(
  // eslint-disable-next-line no-restricted-syntax -- a definition is only given effects of its own kind
  definitions.map((each) => [each.kind, each as unknown as AnyDefinition]),
);

/** All that can be said of a kind of effect; undefined where there is none of the name. */
export function definitionOf(kind: EffectKind): AnyDefinition;
export function definitionOf(kind: string): AnyDefinition | undefined;
export function definitionOf(kind: string): AnyDefinition | undefined {
  return byKind.get(kind);
}

/** In which version a run makes digests of a kind. */
export function effectVersion({ kind }: Effect, holds: Holds): number {
  return 1 + definitionOf(kind).identity.changedWith.filter(holds).length;
}

/** What is compared of it where another version of the source asks for it. */
export function effectCompared(effect: Effect): Compared {
  const { identity, comparedAs } = definitionOf(effect.kind);
  return comparedOf(comparedAs?.(effect) ?? effect, identity);
}

/**
 * Identifies what an effect asks for, by what counted in a version.
 * @throws NewerVersionError
 */
export function effectDigest(effect: Effect, version: number): string {
  const { identity } = definitionOf(effect.kind);
  const newest = 1 + identity.changedWith.length;
  if (version > newest)
    throw new NewerVersionError(`The digest of a recorded ${effect.kind}`, version, newest);
  return versionedDigest(version, digestOf(identityOf(effect, identity, version)));
}
