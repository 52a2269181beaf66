import { fieldOf, listItems, stringValue, type Expression, type Node } from '../validation/syntax/ast.js';

const longest = 120;
/** What is longer is cut anyway, and nodes stand in each other. */
const longestRead = 2_000;

/** The text in one line, cut between two characters where it is long. */
export function short(text: string, most = longest): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
}

/** What stands in the source for a node, in one line. */
export function sourceText(node: Node, source: string): string {
  if (node.loc === undefined) return '';
  const { start, end } = node.loc;
  const lines = linesOf(source);
  let text = '';
  for (let i = start.line; i <= end.line && text.length < longestRead; i++) {
    const line = lines[i - 1] ?? '';
    const from = i === start.line ? start.column : 0;
    const to = Math.min(i === end.line ? end.column : line.length, from + longestRead);
    text += `${i === start.line ? '' : ' '}${line.slice(from, to)}`.replace(/\s+/g, ' ');
  }
  return text.replace(/\s+/g, ' ');
}

/** The source whose lines were read last: its nodes are asked for one after the other. */
let read: { source: string; lines: string[] } = { source: '', lines: [] };

function linesOf(source: string): string[] {
  if (read.source !== source)
    read = { source, lines: source.replace(/^\ufeff/, '').split(/\r\n|\n\r|\n|\r/) };
  return read.lines;
}

/** A text as far as it is written out: `Refund …?` for `"Refund " .. amount .. "?"`. Null where none of it is. */
export function messageText(node: Expression | undefined): string | null {
  const text = node === undefined ? '…' : parts(node);
  return /^[…\s]*$/.test(text) ? null : short(text);
}

function parts(node: Expression): string {
  const text = stringValue(node);
  if (text !== null) return text;
  if (node.type === 'NumericLiteral' || node.type === 'BooleanLiteral') return node.raw;
  if (node.type === 'BinaryExpression' && node.operator === '..')
    return `${parts(node.left)}${parts(node.right)}`.replace(/…{2,}/g, '…');
  if (node.type === 'CallExpression' && node.base.type === 'MemberExpression' && isFormat(node.base))
    return formatted(stringValue(node.arguments[0]));
  return '…';
}

function isFormat({ base, identifier }: { base: Expression; identifier: { name: string } }): boolean {
  return base.type === 'Identifier' && base.name === 'string' && identifier.name === 'format';
}

function formatted(format: string | null): string {
  return format === null ? '…' : format.replace(/%[-+ #0]*\d*(\.\d+)?[a-zA-Z]/g, '…').replaceAll('%%', '%');
}

/** What people are asked: the message, the key of the settings, or the names of the questions. */
export function askedText(argument: Expression | undefined): string | null {
  if (argument?.type !== 'TableConstructorExpression') return messageText(argument);
  const said = fieldOf(argument, 'message', 'prompt', 'config_key', 'title');
  if (said !== undefined) return messageText(said);
  const names = listItems(argument).map((item) =>
    item.type === 'TableConstructorExpression'
      ? messageText(fieldOf(item, 'label') ?? fieldOf(item, 'id'))
      : null,
  );
  return names.length === 0 || names.includes(null) ? null : short(names.join(', '));
}
