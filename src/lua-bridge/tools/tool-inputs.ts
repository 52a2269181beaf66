import { schemaProblem } from '../../contract/people/answer-schema.js';
import { TactusError } from '../../contract/errors.js';
import type { HumanAsk, RequestOrigin } from '../../contract/people/human-request.js';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type {
  OutsideAnswer,
  OutsideQuestion,
  ToolAnswer,
  ToolInputs,
} from '../../contract/tools/outside-tool.js';
import { askForHost, type Bridge, type HostAnswer, type Step } from '../kernel/index.js';
import type { OutsideTool } from './settle-unknown.js';

/** An answer by which a person leaves a question. */
const decline = 'decline';

const types = { approval: 'hitl_approval', input: 'hitl_input', select: 'hitl_select' } as const;

/** What a person is asked for an agent outside: its words, and apart from them who it is. */
function agentAsk(
  origin: RequestOrigin,
  question: OutsideQuestion,
  now: number,
): { type: (typeof types)[OutsideQuestion['kind']]; ask: HumanAsk } {
  const { kind, message, shown, options, schema, expiresAt } = question;
  const isLeft = kind === 'input';
  const ask: HumanAsk = {
    kind,
    message: `${origin.source} asks: ${message}`,
    context: {
      ...(shown === null ? {} : { shown }),
      ...(schema === null ? {} : { schema }),
      ...(isLeft ? { leave: `answer "${decline}" to leave it` } : {}),
    },
    options,
    ...formOf(question),
    // Fail closed: nobody has said yes, and nothing is said in a person's name.
    default: kind === 'approval' ? false : kind === 'input' ? decline : null,
    timeoutMs: expiresAt === null ? null : Math.max(1, expiresAt - now),
    approvers: [],
    origin,
    ...(kind === 'input' ? boundTo(schema) : {}),
  };
  return { type: types[kind], ask };
}

function formOf({ kind, options }: OutsideQuestion): Pick<HumanAsk, 'form'> {
  if (kind === 'approval') return {};
  if (kind === 'input') return { form: { type: 'any' } };
  const choices = options.map((value) => ({ value, label: String(value) }));
  return { form: { type: 'select', multiple: false, min: 1, max: null, choices } };
}

/** Where the schema can't be checked inside of a run, the agent does it itself. */
function boundTo(schema: JsonObject | null): Pick<HumanAsk, 'metadata'> {
  const { $schema: _, ...bare } = schema ?? {};
  if (schema === null || schemaProblem(bare) !== null) return {};
  return { metadata: { response_schema: { anyOf: [bare, { const: decline }] } } };
}

/** What the agent is told. Where nobody has said anything in time, or the request was taken back, it is left. */
function agentAnswer({ kind }: OutsideQuestion, answer: HostAnswer): JsonValue {
  return outsideAnswer(kind, answer);
}

function outsideAnswer(kind: OutsideQuestion['kind'], answer: HostAnswer): OutsideAnswer {
  const { comment = null } = 'comment' in answer ? answer : {};
  const said = comment === null || comment === '' ? {} : { comment };
  if (answer.how === 'withdrawn') return { action: 'decline', ...said };
  const { how, value } = answer;
  const isLeft = (kind === 'input' && value === decline) || (kind !== 'approval' && how === 'timed_out');
  return isLeft ? { action: 'decline', ...said } : { action: 'accept', content: value, ...said };
}

/**
 * Asks people what a tool wants to know before it goes on, one question after the other. Questions of an agent outside were
 * read by the worker; others are elicitations of MCP (revision 2026-07-28): a text, and a schema for the answer.
 * @throws TactusError tool_failed where the tool asks for something else
 */
export function* askToolInputs(
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
