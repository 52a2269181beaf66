import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { z } from '@hono/zod-openapi';
import { decisionOutcomes } from '../../../src/contract/people/decision.js';
import { runStatuses } from '../../../src/contract/runs/run-view.js';
import {
  pendingRequestSchema,
  requestKinds,
  verdictSchema,
} from '../../../src/server/people/request.schema.js';
import { logEntrySchema, logSchema } from '../../../src/server/runs/log.schema.js';
import { errorSchema, runSchema } from '../../../src/server/runs/run.schema.js';

const text = readFileSync('python/src/tactus_temporal/shapes.py', 'utf8');

type Keys = Record<string, 'required' | 'optional'>;

/** The keys of a `TypedDict`, those of the ones that it extends included. */
function pythonKeys(name: string): Keys {
  // A key that is a word of Python is written so.
  const [, called] =
    new RegExp(`^${name} = TypedDict\\("${name}", {"(\\w+)": .*}, total=False\\)$`, 'm').exec(text) ?? [];
  if (called !== undefined) return { [called]: 'optional' };
  const [, bases = '', total, body = ''] =
    new RegExp(
      `^class ${name}\\((\\w+(?:, \\w+)*?)(, total=False)?\\):\\n((?: {4}.*\\n|\\n(?= {4}))*)`,
      'm',
    ).exec(text) ?? [];
  expect(body, `shapes.py has no ${name}`).not.toBe('');
  const kind = total === undefined ? 'required' : 'optional';
  const own = [...body.matchAll(/^ {4}(\w+): /gm)].map(([, key = '']) => [key, kind] as const);
  const inherited = bases
    .split(', ')
    .filter((base) => base !== 'TypedDict')
    .map(pythonKeys);
  return Object.assign({}, ...inherited, Object.fromEntries(own)) as Keys;
}

function schemaKeys({ shape }: z.ZodObject, ...left: string[]): Keys {
  const keys = Object.entries(shape).filter(([key]) => !left.includes(key));
  return Object.fromEntries(
    keys.map(([key, schema]) => [
      key,
      (schema as z.ZodType).safeParse(undefined).success ? 'optional' : 'required',
    ]),
  );
}

/** The members of a `Literal`. */
function pythonLiteral(start: string): string[] {
  const at = text.indexOf(start);
  const end = text.indexOf(']', at);
  return [...text.slice(at, end).matchAll(/"(\w+)"/g)].map(([, word = '']) => word);
}

describe('the shapes of the Python client', () => {
  it('have the keys of the schemas, required and optional ones', () => {
    expect(pythonKeys('RunError')).toEqual(schemaKeys(errorSchema));
    expect(pythonKeys('HumanRequest')).toEqual(schemaKeys(pendingRequestSchema));
    expect(pythonKeys('Verdict')).toEqual(schemaKeys(verdictSchema));
    expect(pythonKeys('LogEntry')).toEqual(schemaKeys(logEntrySchema));
    // What the server alone knows of a run, the TypeScript client asks it for.
    expect(pythonKeys('RunView')).toEqual(schemaKeys(runSchema, 'stuck', 'retrying', 'unserved'));
  });

  it('have no key of a page of the log that it lacks', () => {
    expect(schemaKeys(logSchema)).toMatchObject(pythonKeys('LogPage'));
  });

  it('have its words', () => {
    expect(pythonLiteral('RunStatus = Literal[')).toEqual([...runStatuses]);
    expect(pythonLiteral('DecisionOutcome = Literal[')).toEqual([...decisionOutcomes]);
    expect(pythonLiteral('    kind: Literal[')).toEqual([...requestKinds]);
  });
});
