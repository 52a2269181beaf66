import type { HumanItem, HumanRequest, OptionValue } from '../../contract/people/human-request.js';
import { plainText } from '../../contract/text/plain-text.js';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import { readJson } from '../../contract/json/read-json.js';

/** What may be asked of a client's user: a request, or one of the questions of a request. */
export type Asked = Pick<HumanRequest, 'kind' | 'options' | 'form' | 'metadata'> | HumanItem;

/** One field of a form, and what is made of what stands in it. */
export interface FormField {
  schema: JsonObject;
  read: (given: JsonValue) => JsonValue;
}

const asIs = (given: JsonValue): JsonValue => given;

/**
 * The field that asks for the one thing that an answer is. Forms are flat: they have texts, numbers, yes or no, and
 * choices; what is more than that is written as JSON.
 */
export function fieldOf(asked: Asked): FormField {
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
export function fileOf(given: JsonValue): JsonValue {
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
