import type { Document, Documents } from './documents.js';
import { Refusal } from './refusal.js';
import { bytesOf, fitsIndex, typeOf, type Value } from './values.js';

interface FieldFilter {
  field: { fieldPath: string };
  op: string;
  value: Value;
}

interface Filter {
  fieldFilter?: FieldFilter | null;
  compositeFilter?: { op: string; filters: Filter[] } | null;
}

export interface StructuredQuery {
  from?: { collectionId: string; allDescendants?: boolean }[];
  where?: Filter | null;
  orderBy?: { field: { fieldPath: string }; direction: string }[];
  startAt?: { values: Value[]; before: boolean } | null;
  endAt?: unknown;
  limit?: { value: number } | null;
  offset?: number;
  select?: { fields: { fieldPath: string }[] } | null;
}

const names = '__name__';
const comparisons: Record<string, (order: number) => boolean> = {
  GREATER_THAN: (order) => order > 0,
  GREATER_THAN_OR_EQUAL: (order) => order >= 0,
  LESS_THAN: (order) => order < 0,
};

/**
 * What is asked of one collection by one field, in its order: what an index that every field has can answer. All else is refused.
 * @throws Refusal
 */
export function answer(documents: Documents, parent: string, query: StructuredQuery): Document[] {
  const { from = [], orderBy = [], startAt, endAt, offset = 0, select, limit } = query;
  const [{ collectionId = '', allDescendants = false } = {}] = from;
  const filters = query.where ? flat(query.where) : [];
  const [{ field: { fieldPath: by } } = { field: { fieldPath: names } }, then, ...others] = orderBy;
  const isPlain =
    from.length === 1 &&
    !allDescendants &&
    endAt == null &&
    offset === 0 &&
    others.length === 0 &&
    orderBy.every(({ direction }) => direction === 'ASCENDING') &&
    (then === undefined || then.field.fieldPath === names);
  if (!isPlain) throw new Refusal('unimplemented', JSON.stringify(query));
  if (filters.some(({ field }) => field.fieldPath !== by))
    throw new Refusal('precondition', 'The query requires an index');
  if (filters.some(({ value }) => !fitsIndex(value)))
    throw new Refusal('invalid', 'a filter is longer than an index');
  const valueOf = (document: Document): Value | undefined =>
    by === names ? { referenceValue: document.name } : document.fields[by];
  const found = documents
    .in(`${parent}/${collectionId}`)
    .flatMap((document) => {
      const value = valueOf(document);
      return value === undefined ? [] : [{ document, value }];
    })
    .filter(({ value }) => filters.every((filter) => holds(filter, value)))
    .filter(({ value }) => startAt == null || isBehind(value, startAt))
    .sort((a, b) => compare(a.value, b.value) || compare(nameOf(a.document), nameOf(b.document)))
    .map(({ document }) => document);
  if (by !== names && found.some((document) => !fitsIndex(valueOf(document) as Value)))
    throw new Refusal('invalid', `${by} is longer than an index`);
  return found.slice(0, limit?.value ?? Infinity).map((document) => shown(document, select));
}

function flat({ fieldFilter, compositeFilter }: Filter): FieldFilter[] {
  if (fieldFilter) return [fieldFilter];
  if (compositeFilter?.op !== 'AND') throw new Refusal('unimplemented', 'a filter of another kind');
  return compositeFilter.filters.flatMap(flat);
}

function holds({ op, value }: FieldFilter, found: Value): boolean {
  const comparison = comparisons[op];
  if (comparison === undefined) throw new Refusal('unimplemented', op);
  return typeOf(found) === typeOf(value) && comparison(compare(found, value));
}

function isBehind(value: Value, { values, before }: { values: Value[]; before: boolean }): boolean {
  const [first, ...others] = values;
  if (first === undefined || others.length > 0)
    throw new Refusal('unimplemented', 'a cursor of several values');
  const order = compare(value, first);
  return before ? order >= 0 : order > 0;
}

function compare(one: Value, other: Value): number {
  return Buffer.compare(bytesOf(one), bytesOf(other));
}

function nameOf({ name }: Document): Value {
  return { referenceValue: name };
}

function shown(document: Document, select: StructuredQuery['select']): Document {
  if (!select || select.fields.length === 0) return document;
  const fields = select.fields.flatMap(({ fieldPath }) => {
    const value = document.fields[fieldPath];
    return value === undefined ? [] : [[fieldPath, value] as const];
  });
  return { ...document, fields: Object.fromEntries(fields) };
}
