import type { Delivery, Reminder, TellPolicy } from './channels/channel.js';
import { isObject, type JsonObject, type JsonValue } from '../json/json.js';

export type HumanRequestKind =
  'approval' | 'input' | 'review' | 'select' | 'multiple' | 'upload' | 'escalation';

/** A value that a person may choose. */
export type OptionValue = string | number;

/** How an option is shown. */
export interface HumanChoice {
  value: OptionValue;
  label: string;
  description?: string;
}

/** One of the questions of a request of kind `multiple`. */
export interface HumanItem {
  /** The answer's key. */
  id: string;
  label: string;
  kind: HumanRequestKind;
  message: string;
  options: OptionValue[];
  form?: HumanForm;
  required: boolean;
  default: JsonValue;
  metadata?: JsonObject;
  hints?: RequestHints;
}

/** What an answer is made of, where its kind alone doesn't say. */
export type HumanForm =
  | {
      type: 'select';
      multiple: boolean;
      /** How many may be chosen, where several may. */
      min: number;
      max: number | null;
      choices: HumanChoice[];
      /** A hint for pages: radio, dropdown, checkbox. */
      style?: string;
    }
  | { type: 'items'; items: HumanItem[] }
  | {
      type: 'upload';
      /** Endings and media types: `.pdf`, `image/*`; empty: any. */
      accept: string[];
      /** In bytes. */
      max_size: number | null;
      multiple: boolean;
    }
  /** Whatever a component of the author's own gives. */
  | { type: 'any' };

/** How a form for the answer looks. Only `required` binds the answer: a text then isn't empty. */
export interface RequestHints {
  /** A short name, for where the message is too long. */
  label?: string;
  /** What stands in the field before anything is typed. */
  placeholder?: string;
  /** As in HTML: `number`, `email`, `date` … */
  input_type?: string;
  multiline?: boolean;
  required?: boolean;
}

/** What must hold of the answers to a request, and what becomes of it while it has none. */
export interface RequestPolicy {
  /** So many different people must say the same; left out: one. */
  quorum?: number;
  /** Who asks, and may not decide. */
  requester?: string;
  /** The procedure gets an error when the time is over; left out: the default. */
  onTimeout?: 'error';
  /** Who is asked besides, each when the time of those before is over; the last one's time in ms, null: for ever. */
  escalation?: { to: string[]; timeoutMs: number | null }[];
  /** Nothing that comes later counts; in ms since 1970. */
  expiresAt?: number;
}

/** What one of several people has said, who must agree. `at`: ISO 8601 in UTC. */
export interface Vote {
  by: string;
  value: JsonValue;
  comment: string | null;
  at: string;
}

/** People who are asked besides, at a time (ISO 8601 in UTC) unless the request has its answer before. */
export interface Escalation {
  to: string[];
  at: string;
  /** They have been asked. */
  asked: boolean;
  /** Before their time: those before could not be reached. */
  because?: 'undelivered';
}

/** Somebody has handed the request to somebody else. */
export interface Delegation {
  by: string;
  to: string;
  comment: string | null;
  at: string;
}

/**
 * An agent of another system that wants the answer. The decision is made here; what follows from it is done there, and of that the
 * record has what the agent reports.
 */
export interface RequestOrigin {
  /** As the procedure calls it: `agent.travel`. */
  source: string;
  protocol: string;
  /** Scheme, host and port. */
  address: string;
  /** By which the agent knows what it was at: a task, or a thread; null where it has none. */
  task: string | null;
  execution: 'outside';
}

/** What a procedure asks of people, as Lua gives it. */
export interface HumanAsk {
  kind: HumanRequestKind;
  message: string;
  context: JsonValue;
  /** Answers to choose from; empty: any. */
  options: OptionValue[];
  /** Left out where there is none: requests without one look as they always did. */
  form?: HumanForm;
  /** Taken when the time is over; null where there is none. */
  default: JsonValue;
  /** Time to answer, in ms; null: for ever. */
  timeoutMs: number | null;
  /** Who may answer; empty: anyone. */
  approvers: string[];
  /** What the author's own application wants to know: `action_key`, `ui_schema` …; `response_schema` binds the answer. */
  metadata?: JsonObject;
  /** Left out where there is nothing of it. */
  policy?: RequestPolicy;
  hints?: RequestHints;
  /** What the decision is bound to was found changed after an answer: what it was then. */
  before?: JsonValue;
  /** Who is told of it; left out where it says nothing of that. */
  tell?: TellPolicy;
  /** Left out where the run itself wants to know it. */
  origin?: RequestOrigin;
  /** The host asks, and no procedure: message and context are its own words. No procedure can say so. */
  byHost?: true;
}

/** An open human request: the `Request` of the command line's JSON. Times are ISO 8601 in UTC. */
export interface HumanRequest {
  /** `<run>/<position>`: the same after crashes, replays and continue-as-new. */
  id: string;
  run_id: string;
  kind: HumanRequestKind;
  message: string;
  context: JsonValue;
  options: OptionValue[];
  form?: HumanForm;
  default: JsonValue;
  deadline: string | null;
  created_at: string;
  position: string;
  approvers: string[];
  metadata?: JsonObject;
  hints?: RequestHints;
  /** People have answered, and `metadata.preconditions` no longer was this when their answer was to count: they are asked anew. */
  preconditions_before?: JsonValue;
  /** An agent of another system wants to know it: a fact of the host. */
  origin?: RequestOrigin;
  /**
   * The host asks, for a call, a budget or an outcome that nobody knows: message and context are its own words, and what it calls
   * arguments is what will be done. Left out where the procedure asks.
   */
  by_host?: true;
  /** Digest of what is shown: kind, message, context, options, form. A decision may name it, and then must match. */
  digest: string;
  /** So many different people must say the same; left out: one. */
  quorum?: number;
  /** What they have said, each in the last form. */
  votes?: Vote[];
  /** Who asks, and may not decide. */
  requester?: string;
  /** The procedure gets an error when the time is over, and not the default. */
  on_timeout?: 'error';
  escalation?: Escalation[];
  delegated?: Delegation[];
  /** No decision counts from this moment on, whatever the run was about. */
  expires_at?: string;
  /** The run takes signed decisions alone; left out: it trusts the namespace. */
  authority?: 'signed';
  /** Names of the channels by which people are told of it; this and what follows are left out where there are none. */
  channels?: string[];
  /** A URL of its own that is told as well. */
  callback_url?: string;
  reminder?: Reminder;
  on_undelivered?: 'escalate';
  /** What has become of the messages of it. */
  deliveries?: Delivery[];
}

/** What the procedure gets. */
export interface HumanAnswer {
  value: JsonValue;
  timed_out: boolean;
  by: string | null;
  comment: string | null;
  /** What each of them has said, where several had to. */
  votes?: Vote[];
  /** Whoever asked has taken it back: there is no answer. */
  withdrawn?: true;
  /** `by` is an identity: the decision was signed. Left out: it is a claim. */
  by_verified?: true;
  /** It was given before the request was open, and bound to nothing that was shown. */
  early?: true;
  /** What had become of the messages of it by then. */
  deliveries?: Delivery[];
}

/** It matters who decides: a decision without a name doesn't count. */
export function namesPeople({
  approvers,
  requester,
  quorum,
}: Pick<HumanRequest, 'approvers' | 'requester' | 'quorum'>): boolean {
  return approvers.length > 0 || requester !== undefined || quorum !== undefined;
}

/** What stands before the name of a group, where people are named. */
export const groupPrefix = 'group:';

/** Whether a value says who is in which group. */
export function isGroups(value: JsonValue): boolean {
  return isObject(value) && Object.values(value).every(isNames);
}

function isNames(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '');
}
