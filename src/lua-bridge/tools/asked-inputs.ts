import { schemaProblem } from '../../contract/answer-schema.js';
import { TactusError } from '../../contract/errors.js';
import type { HumanAnswer, HumanAsk } from '../../contract/human-request.js';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json.js';
import type { ToolAnswer, ToolInputs } from '../../contract/outside-tool.js';
import type { Step } from '../scheduler/native.js';
import type { OutsideTool } from './tool-attempt.js';

/** An answer by which a person leaves a tool's question. */
const decline = 'decline';

/**
 * Asks people what a tool wants to know before it goes on, one question after the other. Questions are elicitations of MCP
 * (revision 2026-07-28): a text, and a schema for the answer.
 * @throws TactusError tool_failed where the tool asks for something else
 */
export function* askedInputs(
  { listed: { source } }: OutsideTool,
  { requests, state }: Extract<ToolAnswer, { kind: 'input_required' }>,
): Generator<Step, ToolInputs, unknown> {
  const responses: JsonObject = {};
  for (const [name, request] of Object.entries(requests)) {
    const ask = questionOf(source, request);
    const answer = (yield {
      effect: { type: 'hitl_input', name: ask.message, effect: { kind: 'human', ask } },
    }) as HumanAnswer;
    const { value } = answer;
    setOwn(responses, name, value === decline ? { action: decline } : { action: 'accept', content: value });
  }
  return { responses, state };
}

function questionOf(source: string, request: JsonValue): HumanAsk {
  const { method, params } = isObject(request) ? request : {};
  const { message, requestedSchema = null, mode = 'form' } = isObject(params) ? params : {};
  if (method !== 'elicitation/create' || mode !== 'form' || typeof message !== 'string')
    throw new TactusError(
      'tool_failed',
      `${source} asks for ${JSON.stringify(method ?? null)}, which it isn't given`,
    );
  const { $schema: _, ...schema } = isObject(requestedSchema) ? requestedSchema : {};
  const isKnown = schemaProblem(schema) === null;
  return {
    kind: 'input',
    message: `${source} asks: ${message}`,
    context: { tool: source, schema, leave: `answer "${decline}" to leave it` },
    options: [],
    form: { type: 'any' },
    default: null,
    timeoutMs: null,
    approvers: [],
    ...(isKnown ? { metadata: { response_schema: { anyOf: [schema, { const: decline }] } } } : {}),
  };
}
