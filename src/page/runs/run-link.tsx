import type { VNode } from 'preact';
import type { IntentView } from '../../contract/graphs/recorded-intents.js';
import type { StepStatus } from '../../contract/graphs/super-step-groups.js';
import { labelItems } from '../../contract/runs/labels.js';
import type { RunStatus } from '../../contract/runs/run-view.js';
import type { ListedRun } from '../api/shapes.js';
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

/** The version of a published procedure that a run began with: `review@3`. */
export function publishedText({ name, version }: NonNullable<ListedRun['published']>): string {
  return `${name}@${version}`;
}

/** The labels of a run, each by itself. */
export function Labels({ labels = {} }: Pick<ListedRun, 'labels'>): VNode {
  return (
    <span class="names">
      {labelItems(labels).map((item) => (
        <span key={item} class="badge">
          <Text text={item} short={200} />
        </span>
      ))}
    </span>
  );
}
