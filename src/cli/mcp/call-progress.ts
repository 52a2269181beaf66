import type { ServerContext } from '@modelcontextprotocol/server';
import { plainText } from '../../contract/text/plain-text.js';
import type { Standing } from './procedure-calls.js';

const everyMs = 10_000;
const longestLine = 200;

/** Tells a client that wants to know what a run does: when there is something new, and from time to time that it goes on. */
export function progressOf({ mcpReq }: ServerContext): (standing: Standing) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let progress = 0;
  let told = { message: '', at: 0 };
  return ({ view }) => {
    const { status, checkpoints, printed } = view;
    // The answer itself says that it has ended, and nothing may come after it.
    if (view.closed_at !== null) return;
    const line = plainText(printed.at(-1) ?? '').slice(0, longestLine);
    const steps = `${checkpoints} ${checkpoints === 1 ? 'step' : 'steps'}`;
    const message = [status.replaceAll('_', ' '), steps, ...(line === '' ? [] : [line])].join(' · ');
    if (message === told.message && Date.now() - told.at < everyMs) return;
    told = { message, at: Date.now() };
    progress += 1;
    // Whoever has gone away isn't told.
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
      .catch(() => undefined);
  };
}
