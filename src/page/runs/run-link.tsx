import type { VNode } from 'preact';
import type { RunStatus } from '../../contract/runs/run-view.js';
import { Link } from '../shell/navigation.js';
import { runPath } from '../shell/route.js';
import { useSession } from '../shell/session.js';
import { Text } from '../text/text.js';

/** A run by its name, which leads there for whoever may look at it. */
export function RunLink({ id }: { id: string }): VNode {
  const { isLink } = useSession();
  const name = <Text text={id} short={200} />;
  return isLink ? name : <Link to={runPath(id)}>{name}</Link>;
}

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
