import { expect, it } from 'vitest';
import { emailMessage } from '../../../../../src/activities/people/channels/send-email.js';
import {
  messageParts,
  type MessageParts,
} from '../../../../../src/activities/people/channels/message-parts.js';
import { slackMessage, teamsMessage } from '../../../../../src/activities/people/channels/chat-messages.js';
import type { TellPeopleInput } from '../../../../../src/contract/people/channels/tell-people.js';
import type { HumanRequest } from '../../../../../src/contract/people/human-request.js';
import type { JsonObject } from '../../../../../src/contract/json/json.js';
import { aRequest } from '../../../contract/human-request.fixture.js';

function partsOf(
  request: Partial<HumanRequest>,
  input: Partial<TellPeopleInput> = {},
  publicUrl?: string,
): MessageParts {
  const told = { ...aRequest(request), whole: true };
  const asked: TellPeopleInput = {
    ...{ channel: 'ops', key: 'k', why: 'asked', number: 1, procedure: 'orders', to: null, told: [] },
    ...{ request: told, ...input },
  };
  return messageParts(asked, told, publicUrl);
}

/** Escape sequences, bidi, HTML, mentions and links of Slack and Teams, Markdown, and lines that pass for headers. */
const hostile = [
  '\u001b[31mred\u0007 \u202egnp.exe\u2069 <script>alert(1)</script> <!channel> <@U1> <http://evil.example|ok>',
  '[ok](http://evil.example) **bold** <at>all</at> &lt;!here&gt;',
  'Bcc: eve@example.com',
  '*To be decided by*',
].join('\r\n');
const everywhere: Partial<HumanRequest> = {
  ...{ message: hostile, context: { note: hostile }, approvers: [hostile], requester: hostile },
  ...{ kind: 'input', options: [hostile], default: hostile, deadline: '2027-01-01T00:00:00.000Z' },
  ...{ metadata: { preconditions: hostile }, preconditions_before: hostile },
};

/** All texts of a message, wherever they stand. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

// eslint-disable-next-line no-control-regex
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

it('what a person is told stands apart from what a procedure says', () => {
  const parts = partsOf(
    {
      message: 'Pay?',
      context: { sum: 5 },
      approvers: ['ann', 'boss'],
      deadline: '2027-01-01T00:00:00.000Z',
    },
    { why: 'escalated', to: ['boss'] },
  );
  expect(parts).toMatchObject({
    title: 'Nobody has answered yet: Approval wanted',
    said: 'Pay?',
    context: '{\n  "sum": 5\n}',
    link: null,
    command: 'tactus-temporal respond orders/42/3 y --as boss',
  });
  expect(Object.fromEntries(parts.facts)).toEqual({
    Procedure: 'orders',
    Request: 'orders/42/3',
    'Now asked': 'boss',
    'To be decided by': 'ann, boss',
    Until: '2027-01-01T00:00:00.000Z, then false',
  });
  expect(partsOf({}, { why: 'reminder', number: 3 }, 'https://t.example').link).toBe(
    'https://t.example/requests/orders%2F42%2F3',
  );
  const bound = partsOf({ metadata: { preconditions: { price: 2 } }, preconditions_before: { price: 1 } });
  expect(Object.fromEntries(bound.facts)).toMatchObject({
    'As long as this holds': '{"price":2}',
    'Asked anew, as it was': '{"price":1}',
  });
  const signed = partsOf({ id: "a'; rm -rf ~/0", authority: 'signed', quorum: 2, votes: [] });
  expect(signed.command).toBe(String.raw`tactus-temporal respond 'a'\''; rm -rf ~/0' y --key FILE`);
});

it('Slack shows hostile text as a quotation: it calls nobody, links to nothing, and passes for no fact', () => {
  const message = slackMessage(partsOf(everywhere, {}, 'https://t.example'));
  const { blocks, text } = message as { blocks: JsonObject[]; text: string };
  const texts = textsOf(blocks).filter((each) => !each.startsWith('<https://t.example/'));
  expect(texts.join('\n')).toContain('&lt;!channel&gt; &lt;@U1&gt; &lt;http://evil.example|ok&gt;');
  expect(texts.join('\n')).toContain('&amp;lt;!here&amp;gt;');
  for (const each of [...texts, text]) {
    expect(each).not.toMatch(obeyed);
    expect(each).not.toMatch(/<|&(?!amp;|lt;|gt;)/);
    expect(each.replace(/^> /gm, '')).not.toContain('>');
  }
  type Text = { type: string; text: string; verbatim?: boolean };
  const sections = blocks.flatMap((block) => (block['text'] as Text | undefined) ?? []);
  const markup = sections.filter(({ type }) => type === 'mrkdwn');
  expect(markup.every(({ verbatim }) => verbatim === true)).toBe(true);
  // All lines of what was said begin as a quotation.
  for (const { text: said } of markup.slice(0, -1))
    expect(said.split('\n').every((line) => line.startsWith('> '))).toBe(true);
});

it('Teams shows hostile text in runs, which know no Markdown and no mention', () => {
  const message = teamsMessage(partsOf(everywhere, {}, 'https://t.example'));
  const walk = (value: unknown): JsonObject[] =>
    typeof value !== 'object' || value === null
      ? []
      : [value as JsonObject, ...Object.values(value).flatMap(walk)];
  const elements = walk(message);
  const blocks = elements.filter(({ type }) => type === 'TextBlock');
  expect(blocks).toMatchObject([{ text: 'Answer wanted' }]);
  const runs = elements.filter(({ type }) => type === 'TextRun').map(({ text }) => text as string);
  expect(runs.join('\n')).toContain('[ok](http://evil.example)');
  for (const each of runs) expect(each).not.toMatch(obeyed);
  expect(elements.some((each) => 'msteams' in each)).toBe(false);
  expect(elements.filter((each) => 'url' in each)).toMatchObject([{ type: 'Action.OpenUrl' }]);
});

it('a mail has hostile text escaped, and no header of it', () => {
  const { subject, text, html } = emailMessage(partsOf(everywhere));
  expect(subject).not.toMatch(/[\r\n]/);
  for (const each of [subject, text, html]) expect(each).not.toMatch(obeyed);
  expect(html).not.toMatch(/<script|<at>|<!channel>|<a /);
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(text).toContain('> Bcc: eve@example.com');
});

it('a megabyte in every field is cut to what each takes, and says so', () => {
  const long = '<&>"漢😀\n'.repeat(150_000);
  const request = { ...everywhere, message: long, context: long, approvers: [long], options: [long, long] };
  const parts = partsOf(request);
  const slack = slackMessage(parts) as { blocks: JsonObject[]; text: string };
  const fields = slack.blocks.flatMap(({ fields = [] }) => fields as JsonObject[]);
  expect(fields.length).toBeLessThanOrEqual(10);
  for (const each of textsOf(fields)) expect(each.length).toBeLessThanOrEqual(2_000);
  for (const block of slack.blocks) {
    const { text = '' } = (block['text'] ?? {}) as { text?: string };
    expect(text.length).toBeLessThanOrEqual(3_000);
    expect(text).not.toMatch(/&(?!amp;|lt;|gt;)/);
  }
  expect(slack.text.length).toBeLessThan(400);
  const teams = JSON.stringify(teamsMessage(parts));
  expect(Buffer.byteLength(teams)).toBeLessThanOrEqual(25_000);
  const mail = emailMessage(parts);
  expect(mail.subject.length).toBeLessThanOrEqual(150);
  for (const each of [JSON.stringify(slack), teams, mail.text, mail.html]) {
    expect(each).toMatch(/\(cut: \d+ characters in all\)/);
    expect(Buffer.from(each).toString() === each).toBe(true);
  }
});

/** What mail and chat programs break lines at. */
const ends = ['\n', '\r\n', '\r', '\u2028', '\u2029', '\u0085', '\u000b', '\u000c'];

it.each(ends)('no line of a message begins with what somebody else has written behind %j', (end) => {
  const forged = `Pay?${end}To be decided by: anybody`;
  const parts = partsOf(
    { ...everywhere, message: forged, approvers: [forged], requester: forged, options: [forged] },
    { procedure: forged },
  );
  // eslint-disable-next-line no-control-regex -- ends of lines
  const broken = /[\r\n\u2028\u2029\u0085\u000b\u000c]/;
  const { subject, text, html } = emailMessage(parts);
  expect(subject).not.toMatch(broken);
  expect(text.split(broken).filter((line) => /^To be decided by: anybody/.test(line))).toEqual([]);
  expect(html.split(/<blockquote[^>]*>[^<]*<\/blockquote>/).join('')).not.toMatch(
    /\n *To be decided by: anybody/,
  );

  const { attachments } = teamsMessage(parts) as { attachments: { content: { body: JsonObject[] } }[] };
  const outside = attachments[0]?.content.body.filter(({ type }) => type === 'RichTextBlock') ?? [];
  expect(outside.length).toBeGreaterThan(4);
  for (const each of textsOf(outside)) expect(each).not.toMatch(broken);

  const { blocks } = slackMessage(parts) as { blocks: JsonObject[] };
  for (const each of textsOf(blocks).filter((said) => said.startsWith('> ')))
    expect(each.split(broken).every((line) => line.startsWith('> '))).toBe(true);
  for (const each of textsOf(blocks.flatMap(({ fields }) => fields ?? [])))
    expect(each.split(broken).length).toBeLessThanOrEqual(2);
});
