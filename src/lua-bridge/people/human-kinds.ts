import type { Holds } from '../../contract/engine.js';
import { defined, isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type {
  HumanForm,
  HumanItem,
  HumanRequestKind,
  OptionValue,
} from '../../contract/people/human-request.js';
import {
  assertDefaultFits,
  invalid,
  readChoices,
  readCount,
  readHints,
  readMetadata,
  readOptions,
  type HumanKind,
} from './human-fields.js';

/** `Human.approve`: yes or no. */
const approve: HumanKind = {
  kind: 'approval',
  type: 'hitl_approval',
  read: (call, fields) => {
    const given = fields['default'] ?? fields['default_on_timeout'] ?? null;
    if (given !== null && typeof given !== 'boolean')
      throw invalid(call, `needs true or false as default, got ${JSON.stringify(given)}`);
    const options = fields['options'] ?? null;
    return {
      context: fields['context'] ?? null,
      options: options === null ? [] : readOptions(call, options),
      default: given ?? false,
    };
  },
};

/** `Human.input`: a text, a number, or one of the options; with a `response_schema`, whatever fits it. */
const input: HumanKind = {
  kind: 'input',
  type: 'hitl_input',
  read: (call, fields) => {
    const options = fields['options'] ?? null;
    const isEmpty = options === null || (Array.isArray(options) && options.length === 0);
    return {
      context: fields['context'] ?? null,
      options: isEmpty ? [] : readOptions(call, options),
      default: fields['default'] ?? fields['default_on_timeout'] ?? null,
    };
  },
};

/** `Human.review`: a decision on something that is shown, with feedback and perhaps a better version. */
const review: HumanKind = {
  kind: 'review',
  type: 'hitl_review',
  read: (call, fields) => {
    const options = fields['options'] ?? null;
    return {
      context: contextOf(fields),
      options: options === null ? ['approve', 'reject', 'revise'] : readOptions(call, options),
      default: fields['default'] ?? fields['default_on_timeout'] ?? null,
    };
  },
};

function contextOf(fields: JsonObject): JsonValue {
  const context = fields['context'] ?? null;
  if (fields['artifact'] === undefined) return context;
  return {
    artifact: fields['artifact'],
    artifact_type: fields['artifact_type'] ?? null,
    ...(context === null ? {} : { context }),
  };
}

/** `Human.select`: one of the options, or with `mode = "multiple"` a list of them. */
const select: HumanKind = {
  kind: 'select',
  type: 'hitl_select',
  read: (call, fields, holds) => {
    const { options, form } = readSelectForm(call, fields, holds);
    const given = fields['default'] ?? fields['default_on_timeout'] ?? null;
    return {
      context: fields['context'] ?? null,
      options,
      form,
      default: given ?? (form.multiple ? [] : null),
    };
  },
};

/** Also of a question among several, which has these fields itself or in its `metadata`. */
function readSelectForm(
  call: string,
  fields: JsonObject,
  holds: Holds,
): { options: OptionValue[]; form: Extract<HumanForm, { type: 'select' }> } {
  const choices = readChoices(call, fields['options'] ?? null);
  const multiple = isMultiple(call, fields['mode'] ?? null);
  const max = multiple ? readCount(call, 'max', fields['max'] ?? null) : null;
  // The reference wants at least one where nothing is said.
  const least = multiple ? (readCount(call, 'min', fields['min'] ?? null) ?? 1) : 1;
  // Where an answer is needed, to choose none is no answer.
  const min = fields['required'] === true && holds('needed-answers') ? Math.max(1, least) : least;
  if (min > choices.length || (max !== null && max < min))
    throw invalid(call, `wants ${min} to ${max ?? choices.length} of ${choices.length} options`);
  const { style = null } = fields;
  const form = { type: 'select', multiple, min, max, choices } as const;
  return {
    options: choices.map(({ value }) => value),
    form: { ...form, ...(typeof style === 'string' ? { style } : {}) },
  };
}

function isMultiple(call: string, mode: JsonValue): boolean {
  if (mode !== null && mode !== 'single' && mode !== 'multiple')
    throw invalid(call, `needs "single" or "multiple" as mode, got ${JSON.stringify(mode)}`);
  return mode === 'multiple';
}

/** `Human.upload`: a reference to a file, or with `multiple = true` a list of them. */
const upload: HumanKind = {
  kind: 'upload',
  type: 'hitl_upload',
  read: (call, fields) => ({
    context: fields['context'] ?? null,
    options: [],
    form: readUploadForm(call, fields),
    default: fields['default'] ?? fields['default_on_timeout'] ?? null,
  }),
};

/** Also of a question among several. */
function readUploadForm(call: string, fields: JsonObject): Extract<HumanForm, { type: 'upload' }> {
  const { multiple = null } = fields;
  if (multiple !== null && typeof multiple !== 'boolean')
    throw invalid(call, `needs true or false as multiple, got ${JSON.stringify(multiple)}`);
  return {
    type: 'upload',
    accept: readAccept(call, fields['accept'] ?? null),
    max_size: readSize(call, fields['max_size'] ?? null),
    multiple: multiple ?? false,
  };
}

function readAccept(call: string, given: JsonValue): string[] {
  if (given === null) return [];
  const accept = typeof given === 'string' ? given.split(',').map((each) => each.trim()) : given;
  const isList =
    Array.isArray(accept) && accept.every((each): each is string => typeof each === 'string' && each !== '');
  if (!isList) throw invalid(call, 'needs accept as ".pdf,.doc" or a list such as {"image/*"}');
  return accept;
}

const units: Record<string, number> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** Bytes, or a text such as "10MB". */
function readSize(call: string, given: JsonValue): number | null {
  if (given === null) return null;
  const match = typeof given === 'string' ? /^\s*(\d+(?:\.\d+)?)\s*(B|KB|MB|GB)?\s*$/i.exec(given) : null;
  const bytes =
    typeof given === 'number' ? given : Number(match?.[1]) * (units[match?.[2]?.toUpperCase() ?? 'B'] ?? NaN);
  if (!(bytes > 0 && bytes <= Number.MAX_SAFE_INTEGER))
    throw invalid(call, `needs max_size in bytes or as a text such as "10MB", got ${JSON.stringify(given)}`);
  return Math.floor(bytes);
}

const mostItems = 50;
const kinds: readonly HumanKind[] = [approve, input, review, select, upload];

/** `Human.multiple` (and `Human.inputs`, its old name): several questions that are answered in one go, by their ids. */
const multiple: HumanKind = {
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
    ...defined({ form }),
    required: required !== false,
    default: given['default'] === undefined ? null : byDefault,
    ...defined({ metadata, hints }),
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

const severities = ['info', 'warning', 'error', 'critical'];

/** `Human.escalate`: something a person has to see to; the procedure goes on when one says that it is settled. */
const escalate: HumanKind = {
  kind: 'escalation',
  type: 'hitl_escalation',
  read: (call, fields) => {
    const { context = null, severity = null } = fields;
    if (severity !== null && (typeof severity !== 'string' || !severities.includes(severity)))
      throw invalid(call, `needs a severity of ${severities.join(', ')}, got ${JSON.stringify(severity)}`);
    return {
      context: { severity: severity ?? 'error', ...(context === null ? {} : { context }) },
      options: [],
      default: fields['default'] ?? null,
    };
  },
};

/** `Human.custom`: a component of the author's own page, which gives whatever it likes. */
const custom: HumanKind = {
  kind: 'input',
  type: 'hitl_custom',
  read: (call, fields) => {
    const { component_type: component = null, data = null, actions = null, context = null } = fields;
    if (typeof component !== 'string' || component === '')
      throw invalid(call, 'needs component_type: the name of what the page shows');
    return {
      context: {
        component_type: component,
        data,
        actions: actions ?? [],
        ...(context === null ? {} : { context }),
      },
      options: [],
      form: { type: 'any' },
      default: fields['default'] ?? fields['default_on_timeout'] ?? null,
    };
  },
};

/** The functions of `Human` that ask and wait, by their names. */
export const humanKinds = {
  ...{ approve, input, review, select, multiple, upload, escalate, custom },
  // The reference's old name.
  inputs: multiple,
} satisfies Record<string, HumanKind>;
