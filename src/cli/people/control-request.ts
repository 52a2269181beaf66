import { exampleAnswer } from '../../contract/people/request-text.js';
import type { OptionValue } from '../../contract/people/human-request.js';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import { plainText } from '../../contract/text/plain-text.js';
import type { AskedRequest } from './pending-requests.js';
import { requestText } from './request-text.js';

/** The questions that `tactus control` can put: all others it passes over with a warning. */
type ControlType = 'approval' | 'choice' | 'input';

/** A request as the reference's control socket sends it (`control.request`), for people who answer with `tactus control`. */
export function controlRequest(request: AskedRequest, namespace: string, now: number): JsonObject {
  const { id, run_id: runId, kind, procedure, created_at: createdAt, deadline } = request;
  const type = controlType(request);
  return {
    type: 'control.request',
    request_id: id,
    procedure_id: runId,
    procedure_name: shown(procedure),
    invocation_id: runId,
    request_type: type,
    message: shown(messageOf(request, type)),
    options: type === 'choice' ? optionsOf(request) : [],
    default_value: defaultOf(request, type),
    timeout_seconds: deadline === null ? null : Math.max(0, Math.round((Date.parse(deadline) - now) / 1_000)),
    metadata: metadataOf(request, kind),
    namespace,
    subject: null,
    // Older versions of Python read no `Z`.
    started_at: createdAt.replace(/Z$/, '+00:00'),
    input_summary: {},
    conversation: [],
    prior_interactions: [],
  };
}

function controlType({ kind, options, form }: AskedRequest): ControlType {
  if (kind === 'approval') return 'approval';
  const isOne = form?.type !== 'select' || !form.multiple;
  return options.length > 0 && isOne ? 'choice' : 'input';
}

/** All that a person has to know, and how what has no question of its own is typed. */
function messageOf(request: AskedRequest, type: ControlType): string {
  const text = requestText(request, { how: false });
  if (type !== 'input' || request.kind === 'input' || request.kind === 'escalation') return text;
  return `${text}\n  answer as with tactus-temporal respond: ${exampleAnswer(request)}`;
}

function optionsOf({ options, form }: AskedRequest): JsonObject[] {
  const labelOf = (value: OptionValue): string =>
    (form?.type === 'select' ? form.choices.find((each) => each.value === value)?.label : undefined) ??
    String(value);
  return options.map((value) => ({ label: shown(labelOf(value)), value }));
}

/** What Enter sends there. An approval is never sent by Enter alone. */
function defaultOf({ default: byDefault, options }: AskedRequest, type: ControlType): JsonValue {
  if (type === 'approval') return null;
  if (type === 'choice') return options.find((option) => option === byDefault) ?? null;
  return typeof byDefault === 'string' ? byDefault : null;
}

/** What their protocol has no field for, as we have it. */
function metadataOf(request: AskedRequest, kind: AskedRequest['kind']): JsonObject {
  const { metadata = {}, context, form, approvers, deadline, digest, position, quorum, requester } = request;
  return {
    ...metadata,
    tactus_temporal: {
      kind,
      context,
      form: (form ?? null) as JsonValue,
      approvers,
      deadline,
      digest,
      position,
      quorum: quorum ?? null,
      requester: requester ?? null,
    },
  };
}

/** For Rich, which takes `[bold]` in a text for its own, and ends with an error at `[/]`. */
function shown(text: string): string {
  return plainText(text).replace(/(\\*)(\[[a-z#/@][^[]*?])/gi, String.raw`$1$1\$2`);
}
