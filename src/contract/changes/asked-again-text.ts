import type { AskedAgain } from './proof.js';

/** `0.2  mcp_call charge (once): a second time`: one line of a plan, for people. */
export function askedAgainText({ position, type, name, effect, repeats }: AskedAgain): string {
  // A procedure chooses the name: it begins no line of its own.
  const what = `${position}  ${type} ${name.replace(/\s+/g, ' ')} (${effect})`;
  return repeats ? `${what}: a second time` : what;
}
