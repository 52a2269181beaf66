import { utf8Length, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { cutText, oneLine as cutLine, type MessageParts } from './message-parts.js';

/** A webhook of Teams takes 28 KB; some room for what wraps it. */
const mostBytes = 25_000;
const mostLines = 40;

/**
 * A message for an incoming webhook or a workflow of Teams: an Adaptive Card. What others have written stands in text runs, in
 * which no Markdown is read and no mention is made, and in a container of its own, apart from our facts.
 */
export function teamsMessage(parts: MessageParts): JsonObject {
  for (let longest = 6_000; ; longest = Math.floor(longest / 2)) {
    const message = messageOf(parts, longest);
    if (utf8Length(JSON.stringify(message)) <= mostBytes || longest < 100) return message;
  }
}

function messageOf(
  { title, facts, said, context, options, link, linkText, command }: MessageParts,
  longest: number,
): JsonObject {
  const others = [said, ...(context === null ? [] : [context]), ...options.map((option) => `• ${option}`)];
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', text: title, weight: 'Bolder', size: 'Medium', wrap: true },
      ...facts.map(([label, text]) =>
        richText([run(`${label}: `, { weight: 'Bolder' }), run(cutLine(text, Math.min(longest, 500)))]),
      ),
      {
        type: 'Container',
        style: 'emphasis',
        items: linesOf(others.slice(0, 30).join('\n'), longest).map((line) => richText([run(line)])),
      },
      ...(link === null
        ? [richText([run(`Answer it with: ${cutLine(command, Math.min(longest, 2_000))}`)])]
        : []),
    ],
    ...(link === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: linkText, url: link }] }),
  };
  return {
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card },
    ],
  };
}

function linesOf(text: string, longest: number): string[] {
  const lines = cutText(text, longest).split('\n');
  if (lines.length <= mostLines) return lines;
  return [...lines.slice(0, mostLines), `… (cut: ${lines.length} lines in all)`];
}

function richText(inlines: JsonObject[]): JsonObject {
  return { type: 'RichTextBlock', inlines };
}

/** An empty run is none for Teams. */
function run(text: string, style: JsonObject = {}): JsonObject {
  return { type: 'TextRun', text: text === '' ? ' ' : text, ...style };
}

/** What Slack takes: characters of a section, of a field, of a header; fields of a section. */
const longest = { section: 3_000, field: 2_000, header: 150, fields: 10 } as const;
/** What stands in notifications. */
const longestNotice = 300;

/**
 * A message for an incoming webhook of Slack, in Block Kit. What others have written is escaped, so that nobody is called by it
 * and no link is made of it, and stands as a quotation, so that it passes for none of our facts.
 */
export function slackMessage({
  title,
  facts,
  said,
  context,
  options,
  link,
  linkText,
  command,
}: MessageParts): JsonObject {
  return {
    text: `${title}: ${escaped(said, longestNotice)}`,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title.slice(0, longest.header), emoji: false } },
      {
        type: 'section',
        fields: facts
          .slice(0, longest.fields)
          .map(([label, text]) => mrkdwn(`*${label}*\n${oneLine(text, longest.field - label.length - 3)}`)),
      },
      section(quoted(said)),
      ...(context === null ? [] : [section(quoted(context))]),
      ...(options.length === 0 ? [] : [section(quoted(`one of: ${options.join(', ')}`))]),
      section(link === null ? `Answer it with: ${oneLine(command, 2_000)}` : `<${link}|${linkText}>`),
    ],
  };
}

function section(text: string): JsonObject {
  return { type: 'section', text: mrkdwn(text) };
}

/** `verbatim`: no name and no address in the text becomes more than text. */
function mrkdwn(text: string): JsonObject {
  return { type: 'mrkdwn', text, verbatim: true } satisfies JsonValue;
}

function oneLine(text: string, most: number): string {
  return escaped(text.replace(/[\s\u0085]+/g, ' '), most);
}

/** Each line as a quotation. */
function quoted(text: string): string {
  for (let most = longest.section - 100; ; most = Math.floor(most * 0.8)) {
    const lines = escaped(text, most)
      .split('\n')
      .map((line) => `> ${line}`);
    const whole = lines.join('\n');
    if (whole.length <= longest.section) return whole;
  }
}

/** What is escaped must fit, and no escape may be cut. */
function escaped(text: string, most: number): string {
  for (let room = most; ; room = Math.floor(room * 0.8)) {
    const whole = cutText(text, Math.max(60, room))
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;');
    if (whole.length <= most || room <= 60) return whole;
  }
}
