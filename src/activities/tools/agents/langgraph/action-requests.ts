import { getOwn, isObject, type JsonObject, type JsonValue } from '../../../../contract/json/json.js';
import type { Stop } from '../read-question.js';

/** How a person's answer is told to the graph. */
export type Resume = (content: JsonValue, comment: string | undefined) => JsonValue;

interface Action {
  name: string;
  args: JsonValue;
  description: string | null;
  allowed: string[];
}

const decisions = ['approve', 'edit', 'reject'];

/**
 * Calls of tools that LangChain's human-in-the-loop middleware wants to have allowed; null where an interrupt is something else. One
 * that may be allowed or refused is a plain yes or no; of several, or of other decisions, the middleware is told what it understands.
 */
export function readActions(value: JsonValue): { stop: Stop; resume: Resume } | null {
  const actions = actionsOf(value);
  const [action] = actions ?? [];
  if (actions === null || action === undefined) return null;
  const isPlain =
    actions.length === 1 && ['approve', 'reject'].every((each) => action.allowed.includes(each));
  const text = actions.map(({ name, description }) => description ?? `May it call ${name}?`).join('\n\n');
  const data = actions.map(({ name, args }) => ({ action: name, arguments: args }));
  if (!isPlain)
    return { stop: { text, data, schema: decisionsSchema(actions) }, resume: (content) => content };
  return {
    stop: { text, data: data[0] ?? null, schema: { type: 'boolean' } },
    resume: (content, comment) => ({
      decisions: [
        content === true
          ? { type: 'approve' }
          : { type: 'reject', ...(comment === undefined ? {} : { message: comment }) },
      ],
    }),
  };
}

/** Python and JavaScript write them otherwise. */
function actionsOf(value: JsonValue): Action[] | null {
  if (!isObject(value)) return null;
  const requests = getOwn(value, 'action_requests') ?? getOwn(value, 'actionRequests');
  const configs = getOwn(value, 'review_configs') ?? getOwn(value, 'reviewConfigs') ?? [];
  if (!Array.isArray(requests) || !Array.isArray(configs)) return null;
  const actions = requests.map((request) => {
    if (!isObject(request) || typeof request['name'] !== 'string') return null;
    const { name, args = null, description } = request;
    const config = configs.find(
      (each) => isObject(each) && (each['action_name'] ?? each['actionName']) === name,
    );
    const said = isObject(config) ? (config['allowed_decisions'] ?? config['allowedDecisions']) : null;
    const allowed = Array.isArray(said) ? said.filter((each) => typeof each === 'string') : decisions;
    return { name, args, description: typeof description === 'string' ? description : null, allowed };
  });
  return actions.every((each) => each !== null) ? actions : null;
}

function decisionsSchema(actions: readonly Action[]): JsonObject {
  const allowed = [...new Set(actions.flatMap((action) => action.allowed))];
  const decision = { type: 'object', properties: { type: { enum: allowed } }, required: ['type'] };
  const { length } = actions;
  return {
    type: 'object',
    properties: { decisions: { type: 'array', items: decision, minItems: length, maxItems: length } },
    required: ['decisions'],
  };
}
