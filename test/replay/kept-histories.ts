import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { History } from '../support/histories.js';
import { historyFromText, historyToText } from './history-text.js';

const folder = fileURLToPath(new URL('histories', import.meta.url));
const project = fileURLToPath(new URL('../../', import.meta.url));
const kept = /^(?<version>[^/]+)\/(?<id>[^/]+)-(?<execution>\d+)\.json(?:\.br)?$/;

/** A history of one execution of a run, in `histories/<version>/`. */
export interface KeptHistory {
  /** `0.1.0/plan-and-publish.1-0.json`. */
  name: string;
  version: string;
  workflowId: string;
  execution: number;
}

export function keptHistories(): KeptHistory[] {
  const names = (readdirSync(folder, { recursive: true }) as string[]).sort();
  return names.flatMap((name) => {
    const { version, id, execution } = kept.exec(name)?.groups ?? {};
    if (version === undefined || id === undefined) return [];
    return [{ name, version, workflowId: fromFileName(id), execution: Number(execution) }];
  });
}

export function readText({ name }: KeptHistory): string {
  const content = readFileSync(join(folder, name));
  return (name.endsWith('.br') ? brotliDecompressSync(content) : content).toString();
}

export function readHistory(history: KeptHistory): History {
  return historyFromText(readText(history));
}

/** Keeps a history that isn't there yet. */
export function writeHistory(
  { version, workflowId, execution }: Omit<KeptHistory, 'name'>,
  history: History,
  isLarge: boolean,
): void {
  const path = join(folder, version, `${toFileName(workflowId)}-${execution}.json${isLarge ? '.br' : ''}`);
  mkdirSync(dirname(path), { recursive: true });
  // Stack traces name the folder that the project is in, and that of what the set-up got.
  const text = historyToText(history).replaceAll(project, '').replaceAll(`${homedir()}${sep}`, '');
  writeFileSync(path, isLarge ? brotliCompressSync(text) : text, { flag: 'wx' });
}

/** Ids of child runs follow from that of their parent: `family/12.1.0` is `family.12_1_0`. */
function toFileName(workflowId: string): string {
  return workflowId.replaceAll('.', '_').replaceAll('/', '.');
}

function fromFileName(id: string): string {
  return id.replaceAll('.', '/').replaceAll('_', '.');
}
