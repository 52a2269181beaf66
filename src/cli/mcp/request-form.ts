import type { Decision } from '../../contract/people/decision.js';
import type { HumanItem, HumanRequest } from '../../contract/people/human-request.js';
import { getOwn, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { plainText } from '../../contract/text/plain-text.js';
import { fieldOf, fileOf, type FormField } from './form-fields.js';

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
      ...(size === undefined ? {} : { size }),
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
