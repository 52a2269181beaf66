/**
 * Tables that all states of a worker begin with, such as `string`, the global variables and what handles answer with. Their entries
 * are there once, as a template of the worker (edits of fengari in scripts/build/fengari-edits/templates.mjs).
 *
 * - Opening is as it was: a table is filled and charged first, and then gives up what equals the template, to the object.
 * - A template holds functions, numbers and booleans that belong to no state. All else a table keeps itself, in its place.
 * - What is counted as live memory is what a filled table would have.
 */
import { EMPTY, unfold, type Table, type TableEntry } from './fengari.generated.js';

type Template = ReadonlyMap<unknown, TableEntry | null>;

/** By what they are templates of. Engines, and names made anew after others were forgotten, have templates of their own. */
const templates = new Map<string, Template[]>();
const mostOfOne = 8;

/**
 * Shares the entries of a table that was just filled.
 *
 * @param kind tables of one kind have the same keys, but for what engines differ in
 * @param isOwn the names of functions that are made for each state
 */
export function shareEntries(table: Table, kind: string, isOwn: (name: string) => boolean): void {
  const known = templates.get(kind) ?? [];
  let template = known.find((each) => fits(table, each));
  if (template === undefined) {
    template = templateOf(table, isOwn);
    if ([...template.values()].every((entry) => entry === null)) return;
    if (known.length === mostOfOne) known.shift();
    known.push(template);
    templates.set(kind, known);
  }
  fold(table, template);
}

function fits({ strong }: Table, template: Template): boolean {
  if (template.size !== strong.size) return false;
  const entries = strong.entries();
  for (const [hash, shared] of template) {
    const [own, entry] = entries.next().value as [unknown, TableEntry];
    if (own !== hash || (shared !== null && !isSame(entry, shared))) return false;
  }
  return true;
}

function isSame(entry: TableEntry, shared: TableEntry): boolean {
  return (
    entry.keyvalue === shared.keyvalue && entry.type === shared.type && Object.is(entry.value, shared.value)
  );
}

function templateOf({ strong }: Table, isOwn: (name: string) => boolean): Template {
  const template = new Map<unknown, TableEntry | null>();
  for (const [hash, entry] of strong) {
    const isShared = typeof hash === 'string' && shareable.has(typeof entry.value) && !isOwn(hash.slice(1));
    template.set(hash, isShared ? unlinked(entry) : null);
  }
  return template;
}

const shareable = new Set(['function', 'number', 'boolean']);

function unlinked(entry: TableEntry): TableEntry {
  entry.p = undefined;
  entry.n = undefined;
  return entry;
}

function fold(table: Table, template: Template): void {
  const own = new Map<unknown, TableEntry>();
  for (const [hash, entry] of table.strong) if (template.get(hash) === null) own.set(hash, unlinked(entry));
  table.template = template;
  table.strong = own.size === 0 ? EMPTY : own;
  table.listed = -1;
  table.f = undefined;
  table.l = undefined;
}

/** How many entries the table has, as Lua sees it. */
export function sizeOf({ strong, template }: Table): number {
  if (template === null) return strong.size;
  let size = template.size;
  for (const hash of strong.keys()) if (!template.has(hash)) size++;
  return size;
}

/** The first entry of the table, from which the others follow. The table has no template then. */
export function firstEntry(table: Table): TableEntry | undefined {
  if (table.template !== null) unfold(table);
  return table.f;
}

/** All entries of the table in their order. Changes nothing of it. */
export function* entriesOf({ strong, template, f }: Table): Generator<TableEntry> {
  if (template === null) {
    for (let entry = f; entry !== undefined; entry = entry.n) yield entry;
    return;
  }
  for (const [hash, shared] of template) {
    const entry = strong.get(hash) ?? shared;
    if (entry !== null) yield entry;
  }
  for (const [hash, entry] of strong) if (!template.has(hash)) yield entry;
}
