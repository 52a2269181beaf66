import { utf8Length, type JsonObject } from '../../../contract/json/json.js';
import { cutText, oneLine, type MessageParts } from './message-parts.js';

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
        richText([run(`${label}: `, { weight: 'Bolder' }), run(oneLine(text, Math.min(longest, 500)))]),
      ),
      {
        type: 'Container',
        style: 'emphasis',
        items: linesOf(others.slice(0, 30).join('\n'), longest).map((line) => richText([run(line)])),
      },
      ...(link === null
        ? [richText([run(`Answer it with: ${oneLine(command, Math.min(longest, 2_000))}`)])]
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
