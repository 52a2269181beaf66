import type { HumanRequest } from '../../../contract/people/human-request.js';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';

// Types, not interfaces: only these can be handed on as JSON objects.

/** What a person is asked, as Tactus has it, with the ids by which it is answered here. */
export type HITLRequest = {
  /** `<run>/<position>`: of a run that the asked-for one has started, that run's. */
  request_id: string;
  procedure_id: string;
  /** `approval`, `input`, `review`, `select`, `inputs`, `upload`, `escalation`. */
  request_type: string;
  message: string;
  /** Time that is left, in seconds; null: for ever. */
  timeout_seconds: number | null;
  default_value: JsonValue;
  options: { label: string; value: JsonValue }[] | null;
  /** `context`, `approvers` and what the author's own application wants to know. */
  metadata: JsonObject;
  /** Of what was shown: named again with the answer, the answer is bound to it. */
  digest: string;
};

/** What a person has answered, as Tactus has it. */
export type HITLResponse = {
  value: JsonValue;
  /** ISO 8601. */
  responded_at: string;
  timed_out: boolean;
};

/** A request of ours in Tactus's shape; `now` in ms since 1970. */
export function toHITLRequest(request: HumanRequest, now: number): HITLRequest {
  const { id, run_id, kind, message, context, deadline, approvers, digest } = request;
  return {
    request_id: id,
    procedure_id: run_id,
    request_type: kind === 'multiple' ? 'inputs' : kind,
    message,
    timeout_seconds: deadline === null ? null : Math.max(0, Math.round((Date.parse(deadline) - now) / 1_000)),
    default_value: request.default,
    options: optionsOf(request),
    metadata: { ...request.metadata, ...(context === null ? {} : { context }), approvers },
    digest,
  };
}

function optionsOf({ options, form }: HumanRequest): HITLRequest['options'] {
  if (form?.type === 'select') return form.choices.map(({ label, value }) => ({ label, value }));
  return options.length === 0 ? null : options.map((value) => ({ label: String(value), value }));
}

/** The answer itself: out of a `HITLResponse`, or as it stands, such as `{ approved: true }`. */
export function answerOf(response: JsonValue): JsonValue {
  const isResponse =
    isObject(response) &&
    Object.hasOwn(response, 'value') &&
    (Object.hasOwn(response, 'responded_at') || Object.hasOwn(response, 'timed_out'));
  return isResponse ? (getOwn(response, 'value') ?? null) : response;
}
