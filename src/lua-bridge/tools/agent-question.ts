import { schemaProblem } from '../../contract/people/answer-schema.js';
import type { HumanAsk, RequestOrigin } from '../../contract/people/human-request.js';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { OutsideAnswer, OutsideQuestion } from '../../contract/people/outside-question.js';
import type { HostAnswer } from '../kernel/ask-for-host.js';

/** An answer by which a person leaves a question. */
export const decline = 'decline';

const types = { approval: 'hitl_approval', input: 'hitl_input', select: 'hitl_select' } as const;

/** What a person is asked for an agent outside: its words, and apart from them who it is. */
export function agentAsk(
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
export function agentAnswer({ kind }: OutsideQuestion, answer: HostAnswer): JsonValue {
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
