import type { HumanRequest } from '../contract/human-request.js';
import { plainText } from './plain-text.js';

/** A request as a person reads it; `how` adds the command that answers it. */
export function requestText(request: HumanRequest, options: { how: boolean }): string {
  const { id, kind, message, context, options: choices, deadline } = request;
  const value = kind === 'approval' ? 'y' : choices.length > 0 ? JSON.stringify(choices[0]) : '"…"';
  const lines = [`${kind}: ${message}`];
  if (context !== null) lines.push(...contextLines(context));
  if (choices.length > 0) lines.push(`  one of: ${choices.join(', ')}`);
  if (request.approvers.length > 0)
    lines.push(`  to be decided by: ${request.approvers.join(', ')} (--as NAME)`);
  if (deadline !== null) lines.push(`  until ${deadline}, then ${JSON.stringify(request.default)}`);
  if (options.how) lines.push(`  tactus-temporal respond ${id} ${value}`);
  return plainText(lines.join('\n'));
}

function contextLines(context: unknown): string[] {
  const text = typeof context === 'string' ? context : JSON.stringify(context, null, 2);
  return text.split('\n').map((line) => `  ${line}`);
}
