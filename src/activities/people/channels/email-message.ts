import { cutText, oneLine } from './cut-text.js';
import type { MessageParts } from './message-parts.js';

const longestSubject = 150;
const longestPart = 50_000;

export interface EmailMessage {
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
