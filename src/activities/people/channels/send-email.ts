import { createHash } from 'node:crypto';
import type { EmailChannel } from '../../../contract/people/channels/channel.js';
import type { TellPeopleInput, TellPeopleResult } from '../../../contract/people/channels/tell-people.js';
import type { Environment } from '../../../contract/environment.js';
import { getOwn } from '../../../contract/json/json.js';
import { Fault } from '../../retries/failures.js';
import { assertInstalled } from '../../packages/installed.js';
import { channelSecret, MessageFault } from './post-message.js';
import { cutText, oneLine, type MessageParts } from './message-parts.js';
import { plainText } from '../../../contract/text/plain-text.js';

const longestSubject = 150;
const longestPart = 50_000;

interface EmailMessage {
  subject: string;
  text: string;
  html: string;
}

/** A message as a mail: in plain text, and the same in HTML, in which all that others have written is escaped. */
export function emailMessage(parts: MessageParts): EmailMessage {
  const { title, facts, said, context, options, link, linkText, command } = parts;
  const quotations = [said, ...(context === null ? [] : [context])].map((text) => cutText(text, longestPart));
  if (options.length > 0) quotations.push(cutText(`one of: ${options.join(', ')}`, longestPart));
  const known = facts.map(([label, text]): [string, string] => [label, oneLine(text, 500)]);
  const answer = link === null ? `Answer it with: ${oneLine(command, 2_000)}` : `${linkText}: ${link}`;
  return {
    subject: oneLine(`${title}: ${said}`, longestSubject),
    text: [
      title,
      '',
      ...known.map(([label, text]) => `${label}: ${text}`),
      '',
      answer,
      ...quotations.flatMap((each) => ['', ...each.split('\n').map((line) => `> ${line}`)]),
      '',
    ].join('\n'),
    html: [
      '<!doctype html><html><body style="font-family:sans-serif">',
      `<h2>${escaped(title)}</h2><table>`,
      ...known.map(
        ([label, text]) => `<tr><th align="left">${escaped(label)}</th><td>${escaped(text)}</td></tr>`,
      ),
      '</table>',
      link === null
        ? `<p>Answer it with: <code>${escaped(oneLine(command, 2_000))}</code></p>`
        : `<p><a href="${escaped(link)}">${escaped(linkText)}</a></p>`,
      ...quotations.map((each) => `<blockquote style="white-space:pre-wrap">${escaped(each)}</blockquote>`),
      '</body></html>',
    ].join('\n'),
  };
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

const connectMs = 10_000;
const silenceMs = 20_000;
const longestProblem = 500;

/** Who has been told, by attempts before this one as well. */
export interface Told {
  people: Set<string>;
  /** Somebody is among them who wasn't. */
  added: () => void;
}

/**
 * A mail to each person who may decide and has an address; whoever has one already gets no second.
 * @throws Fault; TactusError missing_key, missing_package
 */
export async function sendEmail(
  env: Environment,
  channel: EmailChannel,
  { to, key }: Pick<TellPeopleInput, 'to' | 'key'>,
  partsFor: (person: string) => MessageParts,
  told: Told,
): Promise<TellPeopleResult> {
  const names = to ?? Object.keys(channel.to);
  const without = names.filter((name) => getOwn(channel.to, name) === undefined);
  if (names.length > 0 && without.length === names.length)
    throw new MessageFault(`nobody who is asked has an address here: ${names.join(', ')}`);
  const left = names.filter((name) => !told.people.has(name) && !without.includes(name));
  const refused = left.length === 0 ? [] : await sendAll(env, channel, key, left, partsFor, told);
  const problems = [
    ...(without.length === 0 ? [] : [`no address of ${without.join(', ')}`]),
    ...refused.map(({ name, why }) => `${name}: ${why}`),
  ];
  if (refused.length > 0 && told.people.size === 0) throw new MessageFault(problems.join('; '));
  const problem = cutText(problems.join('; '), longestProblem);
  return { told: [...told.people], ...(problem === '' ? {} : { problem }) };
}

/** Gives those whose addresses were refused. */
async function sendAll(
  env: Environment,
  channel: EmailChannel,
  key: string,
  names: readonly string[],
  partsFor: (person: string) => MessageParts,
  told: Told,
): Promise<{ name: string; why: string }[]> {
  const transport = await transportOf(env, channel);
  const refused: { name: string; why: string }[] = [];
  try {
    for (const name of names) {
      const address = getOwn(channel.to, name) ?? '';
      try {
        await transport.sendMail({
          ...{
            ...emailMessage(partsFor(name)),
            from: channel.from,
            to: address,
            messageId: messageId(key, name, channel.from),
          },
          // Nobody's mailbox answers to it that he is away.
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        const { fault, isOfPerson } = smtpFault(error);
        if (!isOfPerson) throw fault;
        refused.push({ name, why: fault.message });
        continue;
      }
      told.people.add(name);
      told.added();
    }
  } finally {
    transport.close();
  }
  return refused;
}

interface Transport {
  sendMail(mail: Record<string, unknown>): Promise<unknown>;
  close(): void;
}

/** One connection for all mails of a message. */
async function transportOf(
  env: Environment,
  { host, port, tls = 'starttls', user, password }: EmailChannel,
): Promise<Transport> {
  assertInstalled('Mail needs', ['nodemailer']);
  const { createTransport } = await import('nodemailer');
  if (tls === 'none' && password !== undefined)
    throw new Fault('its password would be sent for all to read: leave tls out', { retryable: false });
  return createTransport({
    ...{ host, port: port ?? (tls === 'implicit' ? 465 : 587), pool: true, maxConnections: 1 },
    ...{ secure: tls === 'implicit', requireTLS: tls === 'starttls', ignoreTLS: tls === 'none' },
    ...(user === undefined || password === undefined
      ? {}
      : { auth: { user, pass: channelSecret(env, password) } }),
    ...{ connectionTimeout: connectMs, greetingTimeout: connectMs, socketTimeout: silenceMs },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
}

/** The same at every attempt: whoever gets a mail twice after all can tell. */
function messageId(key: string, name: string, from: string): string {
  const domain = /@([\w.-]+)/.exec(from)?.[1] ?? 'tactus-temporal';
  return `<${createHash('sha256').update(`${key}/${name}`).digest('hex').slice(0, 40)}@${domain}>`;
}

interface SmtpError {
  code?: unknown;
  command?: unknown;
  responseCode?: unknown;
}

/** What a mail that wasn't taken amounts to. `isOfPerson`: its address alone was refused, for good. */
function smtpFault(error: unknown): { fault: Fault; isOfPerson: boolean } {
  const { code, command, responseCode } = (error ?? {}) as SmtpError;
  const message = plainText(error instanceof Error ? error.message : String(error)).slice(0, 300);
  const status = typeof responseCode === 'number' ? responseCode : null;
  const isRefused = status !== null && status >= 500;
  const retryable = !isRefused && code !== 'EAUTH' && code !== 'ETLS';
  return { fault: new Fault(message, { retryable }), isOfPerson: isRefused && command === 'RCPT TO' };
}
