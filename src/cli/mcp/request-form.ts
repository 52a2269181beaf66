import type { Decision } from '../../contract/people/decision.js';
import type { HumanItem, HumanRequest, OptionValue } from '../../contract/people/human-request.js';
import {
  defined,
  getOwn,
  readJson,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../../contract/json/json.js';
import { plainText } from '../../contract/text/plain-text.js';

/** What a client shows its user, and how what comes back is read. */
export interface RequestForm {
  schema: { type: 'object'; properties: Record<string, JsonObject>; required: string[] };
  read: (content: JsonObject) => Pick<Decision, 'value' | 'comment'>;
}

const comment = { type: 'string', title: 'Comment' };

/** A request as a form of the protocol. What doesn't fit into its field, the run refuses, and it is asked for again. */
export function requestForm(request: HumanRequest): RequestForm {
  if (request.form?.type === 'items') return itemsForm(request.form.items);
  const field = fieldOf(request);
  switch (request.kind) {
    case 'review':
      return form(
        { decision: titled(field, 'Decision'), feedback: { type: 'string', title: 'Feedback' } },
        ['decision'],
        ({ decision = null, feedback }) => ({
          value: { decision: field.read(decision), ...(isText(feedback) ? { feedback } : {}) },
        }),
      );
    case 'approval':
      return form({ approved: titled(field, 'Approved'), comment }, ['approved'], (content) => ({
        value: content['approved'] ?? null,
        ...commentOf(content),
      }));
    case 'escalation':
      return form({ note: titled(field, 'Note') }, [], ({ note = '' }) => ({ value: note }));
    case 'upload':
      return uploadForm(request);
    case 'input':
    case 'select':
    case 'multiple':
      return form({ answer: titled(field, 'Answer'), comment }, ['answer'], (content) => ({
        value: field.read(content['answer'] ?? null),
        ...commentOf(content),
      }));
  }
}

/** One file; where several may be given, a list of the one. */
function uploadForm({ form: asked }: HumanRequest): RequestForm {
  const { max_size: maxSize = null, multiple = false } = asked?.type === 'upload' ? asked : {};
  const field = fieldOf({ kind: 'upload', options: [] });
  const properties = {
    file: titled(field, 'File'),
    size: { type: 'integer', title: 'Size', description: 'In bytes', minimum: 0 },
    type: { type: 'string', title: 'Media type', description: 'Such as application/pdf' },
  };
  return form(properties, ['file', ...(maxSize === null ? [] : ['size'])], ({ file = null, size, type }) => {
    const reference = fileOf(file);
    if (typeof reference !== 'object' || reference === null) return { value: reference };
    const value = {
      ...reference,
      ...defined({ size }),
      ...(isText(type) ? { type } : {}),
    };
    return { value: multiple ? [value] : value };
  });
}

function itemsForm(items: readonly HumanItem[]): RequestForm {
  const fields = items.map((item) => ({ item, field: fieldOf(item) }));
  const properties: Record<string, JsonObject> = {};
  for (const { item, field } of fields)
    setOwn(properties, item.id, {
      ...titled(field, item.label),
      ...(item.message === item.label ? {} : { description: plainText(item.message) }),
    });
  return form(
    properties,
    items.filter(({ required }) => required).map(({ id }) => id),
    (content) => {
      const value: JsonObject = {};
      for (const { item, field } of fields) {
        const given = getOwn(content, item.id) ?? null;
        // A field that is left empty comes as an empty text.
        if (given !== null && (item.required || given !== '')) setOwn(value, item.id, field.read(given));
      }
      return { value };
    },
  );
}

function form(
  properties: Record<string, JsonObject>,
  required: string[],
  read: RequestForm['read'],
): RequestForm {
  return { schema: { type: 'object', properties, required }, read };
}

function titled({ schema }: FormField, title: string): JsonObject {
  return { title: plainText(title), ...schema };
}

function isText(given: JsonValue | undefined): given is string {
  return typeof given === 'string' && given !== '';
}

function commentOf({ comment: given }: JsonObject): { comment?: string } {
  return isText(given) ? { comment: given } : {};
}

/** What may be asked of a client's user: a request, or one of the questions of a request. */
type Asked = Pick<HumanRequest, 'kind' | 'options' | 'form' | 'metadata'> | HumanItem;

/** One field of a form, and what is made of what stands in it. */
interface FormField {
  schema: JsonObject;
  read: (given: JsonValue) => JsonValue;
}

const asIs = (given: JsonValue): JsonValue => given;

/**
 * The field that asks for the one thing that an answer is. Forms are flat: they have texts, numbers, yes or no, and
 * choices; what is more than that is written as JSON.
 */
function fieldOf(asked: Asked): FormField {
  switch (asked.kind) {
    case 'approval':
      return { schema: { type: 'boolean' }, read: asIs };
    case 'review':
    case 'select':
      return asked.options.length === 0 ? text({}) : choice(asked);
    case 'input':
      return inputField(asked);
    case 'upload':
      return {
        schema: { type: 'string', description: 'Where the file lies: a URL or a path' },
        read: fileOf,
      };
    case 'escalation':
      return text({});
    // Questions within questions aren't asked.
    case 'multiple':
      return json();
  }
}

function inputField(asked: Asked): FormField {
  const isAny = asked.form?.type === 'any' || asked.metadata?.['response_schema'] !== undefined;
  if (isAny) return json();
  return asked.options.length === 0 ? text({ minLength: 1 }) : choice(asked);
}

function text(more: JsonObject): FormField {
  return { schema: { type: 'string', ...more }, read: asIs };
}

/** What is no JSON is the text that it is, as on the command line. */
function json(): FormField {
  return {
    schema: { type: 'string', description: 'As JSON, or as a text' },
    read: (given) => {
      if (typeof given !== 'string') return given;
      try {
        return readJson(given);
      } catch {
        return given;
      }
    },
  };
}

/** Forms choose among texts; options may be numbers. */
function choice({ options, form }: Asked): FormField {
  const valueOf = (chosen: JsonValue): JsonValue =>
    options.find((option) => String(option) === chosen) ?? chosen;
  const names = options.map(String);
  const labels = names.map((name, i) => labelOf(options[i], form) ?? name);
  const isTitled = labels.some((label, i) => label !== names[i]);
  const titled = names.map((name, i) => ({ const: name, title: plainText(labels[i] ?? name) }));
  if (form?.type !== 'select' || !form.multiple)
    return {
      schema: { type: 'string', ...(isTitled ? { oneOf: titled } : { enum: names }) },
      read: valueOf,
    };
  return {
    schema: {
      type: 'array',
      items: isTitled ? { anyOf: titled } : { type: 'string', enum: names },
      ...(form.min > 0 ? { minItems: form.min } : {}),
      ...(form.max === null ? {} : { maxItems: form.max }),
    },
    read: (given) => (Array.isArray(given) ? given.map(valueOf) : given),
  };
}

function labelOf(value: OptionValue | undefined, form: HumanRequest['form']): string | undefined {
  return form?.type === 'select' ? form.choices.find((each) => each.value === value)?.label : undefined;
}

/** A reference to a file, named by its end. */
function fileOf(given: JsonValue): JsonValue {
  if (typeof given !== 'string') return given;
  const name =
    given
      .replace(/[?#].*$/, '')
      .split(/[\\/]/)
      .at(-1) ?? '';
  return {
    name: name === '' ? given : name,
    ...(/^[a-z][a-z\d+.-]+:/i.test(given) ? { url: given } : { path: given }),
  };
}
