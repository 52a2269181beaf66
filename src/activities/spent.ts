import { Context } from '@temporalio/activity';
import type { CallUsage } from '../contract/model-call.js';

/** What the attempts before have paid for in vain: each leaves it in its last heartbeat, and the next one finds it there. */
export function spentBefore(): CallUsage | null {
  const { heartbeatDetails } = Context.current().info as { heartbeatDetails?: unknown };
  const { spent } = (heartbeatDetails ?? {}) as { spent?: CallUsage };
  return typeof spent?.input_tokens === 'number' ? spent : null;
}
