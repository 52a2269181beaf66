import { schemaProblem } from '../../contract/people/answer-schema.js';
import { TactusError } from '../../contract/errors.js';
import type { HumanAsk } from '../../contract/people/human-request.js';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { OutsideQuestion } from '../../contract/people/outside-question.js';
import type { ToolAnswer, ToolInputs } from '../../contract/tools/outside-tool.js';
import type { Bridge } from '../kernel/bridge.js';
import { askForHost, type HostAnswer } from '../kernel/ask-for-host.js';
import type { Step } from '../scheduler/native.js';
import { agentAnswer, agentAsk, decline } from './agent-question.js';
import type { OutsideTool } from './tool-attempt.js';

/**
 * Asks people what a tool wants to know before it goes on, one question after the other. Questions of an agent outside were
 * read by the worker; others are elicitations of MCP (revision 2026-07-28): a text, and a schema for the answer.
 * @throws TactusError tool_failed where the tool asks for something else
 */
export function* askedInputs(
  bridge: Bridge,
  { listed: { source } }: OutsideTool,
  { requests, state, agent }: Extract<ToolAnswer, { kind: 'input_required' }>,
): Generator<Step, ToolInputs, unknown> {
  const responses: JsonObject = {};
  for (const [name, request] of Object.entries(requests)) {
    const question = agent === undefined ? null : (request as unknown as OutsideQuestion);
    const { type, ask } =
      agent === undefined || question === null
        ? ({ type: 'hitl_input', ask: questionOf(source, request) } as const)
        : agentAsk({ source, ...agent, execution: 'outside' }, question, bridge.now());
    const answer = yield* askForHost(bridge, type, ask);
    setOwn(responses, name, question === null ? elicited(answer) : agentAnswer(question, answer));
  }
  return { responses, state };
}

/** MCP has a word for a question that nobody has answered, and one for a person who won't. */
function elicited(answer: HostAnswer): JsonValue {
  if (answer.how !== 'decided') return { action: 'cancel' };
  return answer.value === decline ? { action: decline } : { action: 'accept', content: answer.value };
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
