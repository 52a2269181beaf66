import type { VNode } from 'preact';
import type { RunStatus } from '../../contract/runs/status.js';

const tones: Partial<Record<RunStatus, string>> = {
  completed: 'good',
  failed: 'bad',
  timed_out: 'bad',
  terminated: 'bad',
  waiting_for_human: 'warn',
  paused: 'warn',
};

/** How a run stands, in words. */
export function StatusBadge({ status }: { status: RunStatus }): VNode {
  return <span class={`badge ${tones[status] ?? ''}`}>{status.replaceAll('_', ' ')}</span>;
}
