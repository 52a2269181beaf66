import { getOwn, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Message } from '../../contract/models/model-call.js';
import type { Field, Fields } from '../values/schema.js';
import { isSaid } from './history.js';
import type { Signature } from './signature.js';

/** What the model is told of the fields, in the words that DSPy has for it. */
export function systemPrompt({ instructions, output }: Signature, inputs: Fields, outputs: Fields): string {
  const objective = instructions ?? `Given the fields ${named(inputs)}, produce the fields ${named(output)}.`;
  return [
    ...(Object.keys(inputs).length === 0 ? [] : [`Your input fields are:\n${listed(inputs)}`]),
    `Your output fields are:\n${listed(outputs)}`,
    'Each input stands below its name. Answer with a JSON object of the output fields, in their order.',
    `Your objective is: ${objective}`,
  ].join('\n\n');
}

export function questionText(inputs: Fields, values: JsonObject, outputs: Fields): string {
  const asked = `Respond with a JSON object with the fields ${named(outputs)}.`;
  return [...inputTexts(inputs, values), asked].join('\n\n');
}

/** Each input below its name. */
function inputTexts(inputs: Fields, values: JsonObject): string[] {
  return Object.keys(inputs).flatMap((name) => {
    const value = getOwn(values, name) ?? null;
    return value === null ? [] : [`[[ ## ${name} ## ]]\n${valueText(value)}`];
  });
}

/**
 * What was said before, as messages: those with a role as they are, and the fields of an earlier prediction as a question
 * and its answer. A text has a line for each, as `User: …` and `Assistant: …`. What tools said is left out: their calls
 * aren't there.
 */
export function turnsBefore(said: JsonValue, inputs: Fields, outputs: Fields): Message[] {
  if (typeof said === 'string') return said.split('\n').flatMap(spokenLine);
  if (!Array.isArray(said)) return [];
  return said.filter(isObject).flatMap((message): Message[] => {
    if (isSaid(message)) return spoken(message);
    const given = Object.entries(message).filter(([name]) => Object.hasOwn(outputs, name));
    return [
      { role: 'user', content: inputTexts(inputs, message).join('\n\n') },
      { role: 'assistant', content: JSON.stringify(Object.fromEntries(given)) },
    ];
  });
}

function spoken({ role, content = null }: JsonObject): Message[] {
  if (role !== 'system' && role !== 'user' && role !== 'assistant') return [];
  return [{ role, content: valueText(content) }];
}

function spokenLine(line: string): Message[] {
  const [, who, content = ''] = /^(User|Assistant): (.*)$/.exec(line) ?? [];
  return who === undefined ? [] : [{ role: who === 'User' ? 'user' : 'assistant', content }];
}

/** A text as it is, anything else as JSON. */
export function valueText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function listed(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, field], i) => {
      const { description } = field;
      return `${i + 1}. \`${name}\` (${typeText(field)})${description === undefined ? '' : `: ${description}`}`;
    })
    .join('\n');
}

function typeText({ type, enum: allowed, items }: Field): string {
  if (allowed !== undefined) return `one of ${allowed.map(valueText).join(', ')}`;
  return items === undefined ? type : `${type} of ${typeText(items)}`;
}

function named(fields: Fields): string {
  return Object.keys(fields)
    .map((name) => `\`${name}\``)
    .join(', ');
}
