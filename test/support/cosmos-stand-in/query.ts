import type { Container, Item } from './container.js';
import { Refusal } from './refusal.js';

export interface Asked {
  query: string;
  parameters?: { name: string; value: string }[];
}

export interface Where {
  /** Of one alone. */
  partition?: string;
  /** Of all partitions that a server keeps: there are two. */
  range?: string;
  /** Behind what the page before ended with. */
  after?: string;
  limit: number;
}

export const ranges = [
  { id: '0', minInclusive: '', maxExclusive: '80' },
  { id: '1', minInclusive: '80', maxExclusive: 'FF' },
];

const shape = /^SELECT (?<wanted>.+) FROM c WHERE (?<where>.+) ORDER BY c\.(?<by>\w+)$/;
const comparison = /^c\.(?<property>\w+) (?<sign>=|>=|>|<) (?<value>@\w+)$/;
const signs: Record<string, (one: string, other: string) => boolean> = {
  '=': (one, other) => one === other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
  '<': (one, other) => one < other,
};

/**
 * Answers what compares texts, in the order of one that there is an index of; all else is refused, as is a list over all partitions that isn't asked of each:
 * the client asks how then.
 * @throws Refusal
 */
export function answer(
  container: Container,
  { query, parameters = [] }: Asked,
  { partition, range, after, limit }: Where,
): { found: unknown[]; last: string | null } {
  const { wanted, where, by } = read(query);
  if (partition === undefined && range === undefined)
    throw new Refusal(400, 'Cross partition query is not served by the gateway', {
      additionalErrorInfo: '{}',
    });
  if (!container.isIndexed(by))
    throw new Refusal(
      400,
      'The order-by query does not have a corresponding index that it can be served from.',
    );
  const conditions = where.filter((each) => each !== 'true').map((each) => conditionOf(each, parameters));
  const items = container
    .all()
    .filter(({ partition: own }) => (partition === undefined ? rangeOf(own) === range : own === partition))
    .map(({ item }) => item)
    .filter((item) => typeof item[by] === 'string' && conditions.every((holds) => holds(item)))
    .filter((item) => after === undefined || String(item[by]) > after)
    .sort((a, b) => (String(a[by]) < String(b[by]) ? -1 : 1));
  const page = items.slice(0, limit);
  const last = page.at(-1);
  return {
    found: page.map((item) => shown(item, wanted)),
    last: last === undefined || page.length === items.length ? null : String(last[by]),
  };
}

/** How a list over all partitions is asked of each of them, and put together. */
export function plan({ query }: Asked): object {
  const { wanted, where, by } = read(query);
  const value = wanted.replace(/^VALUE /, '');
  const rewrittenQuery =
    `SELECT c._rid, [{"item": c.${by}}] AS orderByItems, ${value} AS payload FROM c ` +
    `WHERE (${where.join(' AND ')}) AND ({documentdb-formattableorderbyquery-filter}) ORDER BY c.${by}`;
  return {
    partitionedQueryExecutionInfoVersion: 2,
    queryInfo: {
      ...{
        distinctType: 'None',
        top: null,
        offset: null,
        limit: null,
        groupByExpressions: [],
        aggregates: [],
      },
      ...{ orderBy: ['Ascending'], orderByExpressions: [`c.${by}`], groupByAliases: [] },
      ...{ groupByAliasToAggregateType: {}, rewrittenQuery, hasSelectValue: wanted !== value },
      hasNonStreamingOrderBy: false,
    },
    queryRanges: [{ min: '', max: 'FF', isMinInclusive: true, isMaxInclusive: false }],
  };
}

function read(query: string): { wanted: string; where: string[]; by: string } {
  const { wanted = '', where = '', by = '' } = shape.exec(query)?.groups ?? {};
  if (by === '') throw new Refusal(400, `Syntax error in ${query}`);
  return { wanted, where: where.replace(/[()]/g, '').split(' AND '), by };
}

function conditionOf(text: string, parameters: Asked['parameters'] = []): (item: Item) => boolean {
  const { property = '', sign = '', value = '' } = comparison.exec(text)?.groups ?? {};
  const holds = signs[sign];
  const given = parameters.find(({ name }) => name === value)?.value;
  if (holds === undefined || given === undefined) throw new Refusal(400, `Syntax error in ${text}`);
  return (item) => typeof item[property] === 'string' && holds(item[property], given);
}

function shown(item: Item, wanted: string): unknown {
  const [, value] = /^VALUE c\.(\w+)$/.exec(wanted) ?? [];
  if (value !== undefined) return item[value];
  const [, by, payload] =
    /^c\._rid, \[\{"item": c\.(\w+)\}\] AS orderByItems, c\.(\w+) AS payload$/.exec(wanted) ?? [];
  if (by !== undefined && payload !== undefined)
    return { _rid: item._rid, orderByItems: [{ item: item[by] }], payload: item[payload] };
  return Object.fromEntries(wanted.split(', ').map((each) => [each.slice(2), item[each.slice(2)]]));
}

/** Partitions of storages are digests. */
function rangeOf(partition: string): string {
  return partition < '8' ? '0' : '1';
}
