import { isObject, type JsonObject, type JsonValue } from '../json/json.js';

/** What is asked of whom when a part fails: fields of `Human.select`, as they were written. */
export type FailureQuestion = JsonObject;

const keys = [
  ...['approvers', 'timeout', 'default', 'expires_at', 'requester', 'separation', 'quorum'],
  ...['escalate_to', 'channels', 'callback_url', 'remind_every', 'on_undelivered'],
];

/** What holds when nobody answers. */
const defaults = ['retry_here', 'retry', 'give_up'];

/**
 * `"ask"`, `{approvers = …, timeout = …}`, or false: nobody is asked. Gives what is wrong, in words that follow the name, where it is
 * something else; the fields of the question are yet to be looked at.
 */
export function failureQuestionOf(given: JsonValue): FailureQuestion | false | string {
  if (given === false) return false;
  if (given !== 'ask' && !isObject(given))
    return 'must be "ask", false, or a table such as { approvers = "ops" }';
  const question = isObject(given) ? given : {};
  const odd = Object.keys(question).find((key) => !keys.includes(key));
  if (odd !== undefined) return `has no field ${odd}: it has ${keys.join(', ')}`;
  const { default: chosen = null } = question;
  if (chosen !== null && !defaults.some((each) => each === chosen))
    return `needs default as "retry_here", "retry" or "give_up", got ${JSON.stringify(chosen)}`;
  return question;
}
