import type { Holds } from '../../contract/engine.js';
import type { HumanForm, HumanItem, HumanRequestKind } from '../../contract/people/human-request.js';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { approve } from './approve.js';
import { assertDefaultFits } from './default-fits.js';
import { invalid, readMetadata } from './human-fields.js';
import type { HumanKind } from './human-kind.js';
import { input } from './input.js';
import { readHints } from './request-hints.js';
import { review } from './review.js';
import { select } from './select.js';
import { upload } from './upload.js';

const mostItems = 50;
const kinds: readonly HumanKind[] = [approve, input, review, select, upload];

/** `Human.multiple` (and `Human.inputs`, its old name): several questions that are answered in one go, by their ids. */
export const multiple: HumanKind = {
  kind: 'multiple',
  type: 'hitl_inputs',
  message: (fields) => {
    const { items = null } = fields;
    return `${Array.isArray(items) ? items.length : 0} questions`;
  },
  read: (call, fields, holds) => {
    const items = readItems(call, fields['items'] ?? null, holds);
    return {
      context: fields['context'] ?? null,
      options: [],
      form: { type: 'items', items } satisfies HumanForm,
      default: fields['default'] ?? fields['default_on_timeout'] ?? defaultsOf(items),
    };
  },
};

function readItems(call: string, given: JsonValue, holds: Holds): HumanItem[] {
  if (!Array.isArray(given) || given.length === 0) throw invalid(call, 'needs at least one item');
  if (given.length > mostItems) throw invalid(call, `has ${given.length} items; ${mostItems} are allowed`);
  const items = given.map((item, i) => readItem(call, item, i + 1, holds));
  const twice = items.find(({ id }, i) => items.findIndex((each) => each.id === id) !== i);
  if (twice !== undefined) throw invalid(call, `has the item ${JSON.stringify(twice.id)} twice`);
  return items;
}

function readItem(call: string, given: JsonValue, number: number, holds: Holds): HumanItem {
  if (!isObject(given)) throw invalid(call, `has item ${number}, which is no table`);
  const text = (name: string, fallback: JsonValue): string => {
    const value = given[name] ?? fallback;
    if (typeof value !== 'string' || value === '') throw invalid(call, `has item ${number} without ${name}`);
    return value;
  };
  const id = text('id', null);
  const label = text('label', id);
  const message = text('message', given['label'] ?? null);
  const named = text('type', 'input');
  const kind = kinds.find((each) => each.kind === named);
  if (kind === undefined) throw invalid(call, `has item ${id} of the type ${named}: ${namesOf(kinds)}`);
  const { metadata: more = null, required = null } = given;
  // The reference has `mode`, `accept` and their like in the item's metadata.
  const fields = isObject(more) ? { ...more, ...given } : given;
  const { options, form, default: byDefault } = kind.read(`${call}: item ${id}`, fields, holds);
  const metadata = readMetadata(`${call}: item ${id}`, fields);
  // Its label and whether it must be answered are parts of the item.
  const { label: _label, required: _required, ...shown } = given;
  const hints = holds('request-fields') ? readHints(`${call}: item ${id}`, shown) : undefined;
  const item = {
    ...{ id, label, kind: kind.kind, message, options },
    ...(form === undefined ? {} : { form }),
    required: required !== false,
    default: given['default'] === undefined ? null : byDefault,
    ...(metadata === undefined ? {} : { metadata }),
    ...(hints === undefined ? {} : { hints }),
  };
  assertDefaultFits(`${call}: item ${id}`, item);
  return item;
}

function namesOf(known: readonly { kind: HumanRequestKind }[]): string {
  return `there are ${known.map(({ kind }) => kind).join(', ')}`;
}

function defaultsOf(items: readonly HumanItem[]): JsonObject {
  const defaults: JsonObject = {};
  for (const { id, default: value } of items) if (value !== null) setOwn(defaults, id, value);
  return defaults;
}
