import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ImportOptions } from '../../src/client/runs/import/read-import.js';
import type { ProcedureSource } from '../../src/contract/procedures/source.js';
import { collectFile } from '../../src/sources/collect-source.js';
import { isObject, type JsonObject } from '../../src/contract/json/json.js';

const folder = resolve(import.meta.dirname, '../fixtures/reference-runs');
const runs = JSON.parse(readFileSync(`${folder}/runs.json`, 'utf8')) as Record<
  string,
  { input?: JsonObject }
>;

/** Names of the runs that the reference has made and suspended, by `produce.py` beside them. */
export const referenceRuns = Object.keys(runs);

export interface ReferenceRun {
  /** Text of the file that the reference wrote. */
  record: string;
  options: ImportOptions & { source: ProcedureSource };
}

/** What the reference wrote of a run, and what it was given. `url`: the provider that models of its source are to ask. */
export async function referenceRun(name: string, url = 'http://provider'): Promise<ReferenceRun> {
  const source = await collectFile(`${folder}/${name}.tac`);
  const files = Object.fromEntries(
    Object.entries(source.files).map(([file, text]) => [file, text.replaceAll('http://provider', url)]),
  );
  const input = runs[name]?.input;
  return {
    record: readFileSync(`${folder}/${name}.json`, 'utf8'),
    options: {
      source: { ...source, files },
      ...(input === undefined ? {} : { input }),
      place: `${name}.json`,
    },
  };
}

/** The record with its entries changed. */
export function withEntries(record: string, change: (entries: JsonObject[]) => JsonObject[]): string {
  const read = JSON.parse(record) as JsonObject;
  const log = read['execution_log'];
  if (!Array.isArray(log) || !log.every(isObject)) throw new Error('the record has no entries');
  return JSON.stringify({ ...read, execution_log: change(log) });
}
