import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { ErrorCode, RunError } from '../../src/contract/errors.js';
import type { Aspect } from './differences.js';

/** A run that differs from what is wanted, in what, and why. */
interface Exclusion {
  case: string;
  /** Its number in the case. */
  run: number;
  differs: Aspect[];
  /** What ours fails with; left out: it doesn't fail. */
  code?: ErrorCode;
  reason: string;
}

const exclusions = JSON.parse(
  await readFile(new URL('exclusions.json', import.meta.url), 'utf8'),
) as Exclusion[];

export interface ComparedRun {
  name: string;
  i: number;
}

/** Shows the exclusions of cases that begin so. Each must be of a run that is compared: else nobody would see it rot. */
export function tellExclusions(prefix: string, compared: readonly ComparedRun[]): void {
  const own = exclusions.filter(({ case: name }) => name.startsWith(prefix));
  const told = own.map(
    ({ case: name, run, differs, reason }) => `  ${name} #${run} ${differs.join(', ')}: ${reason}`,
  );
  console.log(`Cases that differ from what is wanted:\n${told.join('\n')}`);
  const isCompared = (each: Exclusion): boolean =>
    compared.some(({ name, i }) => each.case === name && each.run === i);
  expect(own.filter((each) => !isCompared(each))).toEqual([]);
}

/** Asserts that the run differs in exactly what is excluded: what has come to agree must leave the list. */
export function expectExcludedOnly(
  { name, i }: ComparedRun,
  found: ReadonlyMap<Aspect, string>,
  error: RunError | null,
): void {
  const excluded = exclusions.find((each) => each.case === name && each.run === i);
  const sides = [...found].map(([aspect, each]) => `${aspect}: ${each}`).join('\n');
  expect([...found.keys()].sort(), sides).toEqual([...(excluded?.differs ?? [])].sort());
  // Where the error is the wanted one, it was compared.
  if (found.has('error')) expect(error?.code, sides).toBe(excluded?.code);
}
