import type { VNode } from 'preact';
import type { IntentView } from '../../contract/graphs/recorded-intents.js';
import type { StepStatus } from '../../contract/graphs/super-step-groups.js';
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

/** Of runs, of super-steps and of messages that graphs send. */
type Status = RunStatus | StepStatus | IntentView['status'];

const tones: Partial<Record<Status, string>> = {
  completed: 'good',
  sent: 'good',
  failed: 'bad',
  timed_out: 'bad',
  terminated: 'bad',
  waiting: 'warn',
  waiting_for_human: 'warn',
  paused: 'warn',
  cancelling: 'warn',
};

/** How it stands, in words. */
export function StatusBadge({ status }: { status: Status }): VNode {
  return <span class={`badge ${tones[status] ?? ''}`}>{status.replaceAll('_', ' ')}</span>;
}
