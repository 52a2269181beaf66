import { runInBridge } from './bridge-lua.js';
import { differences, type Difference } from './compare.js';
import { knownDifference } from './known-differences.js';
import { sourceOf } from './random-program.js';
import type { ReferenceLua } from './reference-lua.js';

export interface Failure {
  statements: readonly string[];
  difference: Difference;
}

/** Runs statements on both sides. A statement with a known difference is taken out, for later ones may build on it. */
export async function examine(
  reference: ReferenceLua,
  statements: readonly string[],
): Promise<Failure | null> {
  const source = sourceOf(statements);
  const theirs = reference.run(source);
  const [difference] = differences(runInBridge(source), await theirs);
  if (difference === undefined) return null;
  const { statement } = difference;
  const text = statement === null ? statements.join('\n') : (statements[statement - 1] ?? '');
  if (knownDifference(difference, text) === undefined) return { statements, difference };
  if (statement === null) return null;
  return examine(
    reference,
    statements.filter((_, i) => i !== statement - 1),
  );
}

/** The same failure with as few statements as it needs. */
export async function shrink(reference: ReferenceLua, failure: Failure): Promise<Failure> {
  for (let i = 0; i < failure.statements.length; i++) {
    const fewer = await examine(
      reference,
      failure.statements.filter((_, at) => at !== i),
    );
    if (fewer !== null) return shrink(reference, fewer);
  }
  return failure;
}
