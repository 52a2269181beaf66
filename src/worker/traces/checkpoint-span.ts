import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { remoteTypes } from '../../contract/effects/effects.js';
import { getOwn, isObject, jsonAs, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { callCost, providerOf, type ModelCallResult } from '../../contract/models/model-call.js';
import type { HumanAnswer } from '../../contract/people/human-request.js';
import { attributes, operations, providerNameOf, type Attributes, type Span } from '../../traces/index.js';

/** What a checkpoint is in a trace, apart from its place there. */
export type Shown = Pick<Span, 'name' | 'kind' | 'attributes' | 'error'>;

/** Longest text of content in an attribute, in characters. */
const longestContent = 8_192;
/** What a name of a model, an agent or a tool looks like: what looks otherwise may be content, such as what a model invented. */
const plainName = /^[\w.:@/-]{1,128}$/;

/** @param showsContent whether texts that the run was asked, answered or failed with are to be there */
export function shownAs(checkpoint: Checkpoint, runId: string, showsContent: boolean): Shown {
  const { position, type, outcome, source, name } = checkpoint;
  const { kind = 'internal', name: title = type, ...more } = detailsOf(checkpoint, runId);
  return {
    name: title,
    kind,
    attributes: {
      [attributes.run]: runId,
      [attributes.position]: position,
      [attributes.type]: type,
      ...(source === null ? {} : { [attributes.codeFile]: source.file, [attributes.codeLine]: source.line }),
      ...more.attributes,
      ...(showsContent ? { [attributes.name]: cut(name), ...contentOf(checkpoint) } : {}),
    },
    ...(outcome.ok
      ? {}
      : { error: { code: outcome.code, ...(showsContent ? { message: cut(outcome.message) } : {}) } }),
  };
}

/** The last part of a name as the log has it: steps stand before, and a step's name may be made of anything. */
function ownName({ name }: Checkpoint): string | undefined {
  return plain(name.slice(name.lastIndexOf('.') + 1));
}

export function plain(name: JsonValue | undefined): string | undefined {
  return typeof name === 'string' && plainName.test(name) ? name : undefined;
}

type Details = Partial<Pick<Span, 'name' | 'kind'>> & { attributes?: Attributes };

function detailsOf(checkpoint: Checkpoint, runId: string): Details {
  const { type, position } = checkpoint;
  if (type === 'model_call') return modelCall(checkpoint);
  if (type === 'agent_turn') return named(operations.agent, attributes.agent, ownName(checkpoint));
  if (type === 'tool_call') return named(operations.tool, attributes.tool, ownName(checkpoint));
  if (type === 'procedure_call' || type === 'procedure_spawn')
    return { attributes: { [attributes.child]: `${runId}/${position}` } };
  if (type.startsWith('hitl_')) return decision(checkpoint);
  return { kind: remoteTypes.has(type) ? 'client' : 'internal' };
}

/** As the conventions want it: the operation, and what it is done with. */
function named(operation: string, attribute: string, name: string | undefined): Details {
  return {
    name: name === undefined ? operation : `${operation} ${name}`,
    attributes: { [attributes.operation]: operation, [attribute]: name },
  };
}

function modelCall({ input, outcome }: Checkpoint): Details {
  const asked = isObject(input) ? plain(getOwn(input, 'model')) : undefined;
  const result = outcome.ok ? jsonAs<Partial<ModelCallResult>>(outcome.value) : null;
  const answered = plain(result?.model);
  const model = asked ?? answered;
  const provider = model === undefined ? null : providerOf(model);
  const { usage, finishReason } = result ?? {};
  return {
    ...named(operations.chat, attributes.requestModel, model),
    kind: 'client',
    attributes: {
      [attributes.operation]: operations.chat,
      [attributes.requestModel]: model,
      [attributes.responseModel]: answered,
      ...(provider === null ? {} : { [attributes.provider]: providerNameOf(provider) }),
      ...(usage === undefined
        ? {}
        : {
            [attributes.inputTokens]: usage.input_tokens,
            [attributes.outputTokens]: usage.output_tokens,
            [attributes.cost]: callCost(usage, answered ?? '') ?? undefined,
          }),
      ...(finishReason === undefined ? {} : { [attributes.finishReasons]: [finishReason] }),
    },
  };
}

/** A request to people, from when it was made until it was answered: nothing of what was asked or said. */
function decision({ type, outcome }: Checkpoint): Details {
  const kind = type.slice('hitl_'.length);
  const answer = outcome.ok && isObject(outcome.value) ? jsonAs<Partial<HumanAnswer>>(outcome.value) : null;
  return {
    name: `decision ${kind}`,
    attributes: {
      [attributes.decisionKind]: kind,
      [attributes.decisionOutcome]: answer === null ? undefined : outcomeOf(answer, kind),
      [attributes.decidedBy]: answer === null ? undefined : whoOf(answer),
    },
  };
}

function outcomeOf({ withdrawn, timed_out: isLate, value }: Partial<HumanAnswer>, kind: string): string {
  if (withdrawn === true) return 'withdrawn';
  if (isLate === true) return 'timed_out';
  if (kind === 'approval' && typeof value === 'boolean') return value ? 'approved' : 'rejected';
  return 'answered';
}

/** What the name of whoever decided is worth, never the name. */
function whoOf({ by, by_verified: isVerified }: Partial<HumanAnswer>): string {
  if (by === null || by === undefined) return 'nobody';
  return isVerified === true ? 'identity' : 'claim';
}

/** Where somebody has asked for it. */
function contentOf({ type, input, outcome }: Checkpoint): Attributes {
  const value = outcome.ok ? outcome.value : null;
  if (type === 'model_call')
    return {
      [attributes.outputMessages]: isObject(value) ? messageOf('assistant', value['text']) : undefined,
    };
  if (type === 'agent_turn') {
    const { message } = isObject(input) ? input : ({} as JsonObject);
    const output = isObject(value) ? value['output'] : null;
    return {
      [attributes.inputMessages]: messageOf('user', message),
      [attributes.outputMessages]: messageOf('assistant', output),
    };
  }
  if (type === 'tool_call' || type === 'tool_attempt')
    return { [attributes.toolArguments]: text(input), [attributes.toolResult]: text(value) };
  return {};
}

/** As the conventions have messages in an attribute: JSON. */
function messageOf(role: string, given: JsonValue | undefined): string | undefined {
  const content = text(given);
  if (content === undefined) return undefined;
  return JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
}

function text(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  return cut(typeof value === 'string' ? value : JSON.stringify(value));
}

function cut(text: string): string {
  return text.length > longestContent ? `${text.slice(0, longestContent)}…` : text;
}
