import {
  requestPaths,
  type TellPeopleInput,
  type ToldRequest,
} from '../../../contract/people/channels/tell-people.js';
import { originText, respondCommand } from '../../../contract/people/request-text.js';
import type { JsonValue } from '../../../contract/json/json.js';
import { failureText } from '../../../contract/people/failure-context.js';
import type { HumanRequestKind } from '../../../contract/people/human-request.js';
import { plainText } from '../../../contract/text/plain-text.js';
import { wellFormed } from '../../secrets/secrets.js';

/** What a message for people is made of: what we know, apart from what the procedure, or a model, has written. */
export interface MessageParts {
  /** Ours, every word. */
  title: string;
  /** What we know, by what it is called. Names in it come from outside. */
  facts: [label: string, text: string][];
  /** What the procedure says. */
  said: string;
  /** What it shows beside; null: nothing. */
  context: string | null;
  options: string[];
  /** Where the request is answered; null: nobody knows. */
  link: string | null;
  /** What it says: ours, every word. */
  linkText: string;
  /** The command that answers it. */
  command: string;
}

const wanted: Record<HumanRequestKind, string> = {
  approval: 'Approval wanted',
  input: 'Answer wanted',
  review: 'Review wanted',
  select: 'Choice wanted',
  multiple: 'Answers wanted',
  upload: 'File wanted',
  escalation: 'Attention wanted',
};

/** @param ownLink by which the one who reads the message answers without signing in; null: there is none */
export function messageParts(
  { why, number, procedure, to }: TellPeopleInput,
  request: ToldRequest,
  publicUrl: string | undefined,
  ownLink: string | null = null,
): MessageParts {
  const { id, kind, message, context, whole } = request;
  const before =
    why === 'reminder' ? `Reminder ${number}: ` : why === 'escalated' ? 'Nobody has answered yet: ' : '';
  const nowAsked = why === 'escalated' ? (request.escalation?.[number - 1]?.to ?? to) : null;
  return {
    title: `${before}${wanted[kind]}`,
    facts: [
      ['Procedure', procedure],
      ['Request', id],
      ...(nowAsked === null ? [] : [['Now asked', nowAsked.join(', ')] as [string, string]]),
      ['To be decided by', request.approvers.length === 0 ? 'anybody' : request.approvers.join(', ')],
      ...(request.by_host === true
        ? [['Asked by', 'the host: what it says is its own'] as [string, string]]
        : []),
      ...(request.origin === undefined
        ? []
        : [['Wanted by', originText(request.origin)] as [string, string]]),
      ...policyFacts(request),
      ...(whole ? [] : [['Shown', 'in part: the request is too long for a message'] as [string, string]]),
    ],
    said: message,
    context: context === null ? null : (failureText(request) ?? shownContext(context)),
    options: request.options.map(String),
    link: ownLink ?? (publicUrl === undefined ? null : `${publicUrl}${requestPaths.page(id)}`),
    linkText:
      ownLink === null ? 'Look at it, and answer' : 'Answer it (this link is yours: give it to nobody)',
    command: `tactus-temporal ${respondCommand(request, to?.[0])}`,
  };
}

function shownContext(context: JsonValue): string {
  return typeof context === 'string' ? context : JSON.stringify(context, null, 2);
}

function policyFacts(request: ToldRequest): [string, string][] {
  const { quorum, votes = [], requester, deadline, on_timeout: onTimeout, default: byDefault } = request;
  const said = votes.map(({ by, value }) => `${by} says ${JSON.stringify(value)}`);
  const end = onTimeout === 'error' ? 'an error' : JSON.stringify(byDefault);
  return [
    ...(quorum === undefined
      ? []
      : [['Agreement', [`${quorum} people`, ...said].join('; ')] as [string, string]]),
    ...(requester === undefined
      ? []
      : [['Asked by', `${requester}, who may not decide`] as [string, string]]),
    ...(deadline === null ? [] : [['Until', `${deadline}, then ${end}`] as [string, string]]),
    ...boundTo(request),
  ];
}

/** What an answer hangs on. */
function boundTo({ metadata, preconditions_before: before }: ToldRequest): [string, string][] {
  const preconditions = metadata?.['preconditions'];
  return [
    ...(preconditions === undefined
      ? []
      : [['As long as this holds', JSON.stringify(preconditions)] as [string, string]]),
    ...(before === undefined ? [] : [['Asked anew, as it was', JSON.stringify(before)] as [string, string]]),
  ];
}

/** Ends of lines that programs for mail and chats show as such, and that look like any other character to those who look for line feeds. */
// eslint-disable-next-line no-control-regex -- the very characters that are replaced
const otherEnds = /[\u2028\u2029\u0085\u000b\u000c]/g;

/** Text that somebody else has written, with nothing in it that is obeyed, and as long as there is room; what was cut says so. */
export function cutText(text: string, longest: number): string {
  const plain = wellFormed(plainText(text.replace(otherEnds, '\n')));
  if (plain.length <= longest) return plain;
  const note = `… (cut: ${plain.length} characters in all)`;
  return `${wellFormed(plain.slice(0, longest - note.length)).replace(/\ufffd$/, '')}${note}`;
}

/** The same in one line: what stands in a header, or beside what it is called, can't begin a line of its own. */
export function oneLine(text: string, longest: number): string {
  return cutText(text.replace(/[\s\u0085]+/g, ' ').trim(), longest);
}
