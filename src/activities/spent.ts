import { Context } from '@temporalio/activity';
import type { CallUsage } from '../contract/model-call.js';

/** What the attempts before have paid for in vain: each leaves it in its last heartbeat, and the next one finds it there. */
export function spentBefore(): CallUsage | null {
  const { heartbeatDetails } = Context.current().info as { heartbeatDetails?: unknown };
  const { spent } = (heartbeatDetails ?? {}) as { spent?: CallUsage };
  return typeof spent?.input_tokens === 'number' ? spent : null;
}

/** Of two answers; what they cost is known where it is of both. */
export function added(one: CallUsage | null, other: CallUsage): CallUsage {
  if (one === null) return other;
  const isPriced = one.input_usd !== undefined && other.input_usd !== undefined;
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    ...(isPriced
      ? {
          input_usd: (one.input_usd ?? 0) + (other.input_usd ?? 0),
          output_usd: (one.output_usd ?? 0) + (other.output_usd ?? 0),
        }
      : {}),
  };
}
