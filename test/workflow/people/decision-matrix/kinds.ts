import type { JsonValue } from '../../../../src/contract/json/json.js';

/** One kind of request, and what may be answered to it. */
export interface AskedKind {
  name: string;
  /** The call, with `FIELDS` where its common fields belong. */
  call: string;
  /** Refused, and the request stays open; undefined: anything is an answer. */
  wrong: JsonValue | undefined;
  right: JsonValue;
  /** Another right answer. */
  other: JsonValue;
}

const file = { name: 'a.pdf', path: '/srv/a.pdf', size: 5 };

export const kinds: readonly AskedKind[] = [
  { name: 'approval', call: 'Human.approve{FIELDS}', wrong: 'true', right: true, other: false },
  { name: 'input', call: 'Human.input{FIELDS}', wrong: { a: 1 }, right: 'blue', other: 'red' },
  {
    ...{ name: 'review', call: 'Human.review{FIELDS, artifact = "a text"}', wrong: 'perhaps' },
    ...{ right: 'approve', other: 'reject' },
  },
  {
    ...{ name: 'select', call: 'Human.select{FIELDS, options = {"eu", "us"}}', wrong: 'asia' },
    ...{ right: 'eu', other: 'us' },
  },
  {
    ...{ name: 'several', wrong: ['a', 'b', 'c'], right: ['a', 'c'], other: ['b'] },
    call: 'Human.select{FIELDS, options = {"a", "b", "c"}, mode = "multiple", max = 2}',
  },
  {
    ...{ name: 'multiple', wrong: { n: { x: 1 } }, right: { n: 'x' }, other: { n: 'y' } },
    call: 'Human.multiple{FIELDS, items = {{id = "n", label = "N"}}}',
  },
  {
    ...{ name: 'upload', call: 'Human.upload{FIELDS, accept = ".pdf"}', wrong: { ...file, name: 'a.doc' } },
    ...{ right: file, other: { ...file, name: 'b.pdf' } },
  },
  {
    ...{ name: 'escalation', call: 'Human.escalate{FIELDS}', wrong: undefined },
    ...{ right: 'restarted', other: 'replaced' },
  },
  {
    ...{ name: 'custom', call: 'Human.custom{FIELDS, component_type = "c"}', wrong: undefined },
    ...{ right: { at: 1 }, other: { at: 2 } },
  },
];
