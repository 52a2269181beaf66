import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { outerPosition, type Position } from '../../contract/checkpoints/checkpoint.js';
import {
  superStepAround,
  superStepGroups,
  superStepTitle,
  type SteppedNode,
  type SuperStepGroup,
} from '../../contract/graphs/super-step-groups.js';
import type { LogEntryView } from '../../contract/runs/run-view.js';
import type { Run } from '../api/shapes.js';
import { Link } from '../shell/navigation.js';
import { requestPath } from '../shell/route.js';
import { StatusBadge } from '../runs/run-link.js';
import { Card, ErrorText, Json, Text } from '../text/text.js';

/** So many of the newest are shown before somebody asks for all. */
const shownFirst = 100;

/** The super-steps that are known of a run. */
export function useSuperSteps(run: Run | null, entries: readonly LogEntryView[]): readonly SuperStepGroup[] {
  return useMemo(() => {
    if (run === null) return [];
    const { pending, waits, closed_at } = run;
    return superStepGroups({ entries, pending, waits, isOver: closed_at !== null });
  }, [run, entries]);
}

/** Those of graphs that nodes have called stand inside of others; the newest is the last. */
export function RunSuperSteps({ steps: groups }: { steps: readonly SuperStepGroup[] }): VNode | null {
  const [isWhole, setWhole] = useState(false);
  const steps = useMemo(() => {
    const byPosition = new Map(groups.map((group) => [group.position, group]));
    const inner = new Map<Position, SuperStepGroup[]>();
    for (const group of groups) {
      const around = superStepAround(byPosition, outerPosition(group.position))?.position ?? '';
      const beside = inner.get(around);
      if (beside === undefined) inner.set(around, [group]);
      else beside.push(group);
    }
    return inner;
  }, [groups]);
  const all = steps.get('') ?? [];
  if (all.length === 0) return null;
  const shown = isWhole ? all : all.slice(-shownFirst);
  return (
    <Card title="Super-steps">
      {shown.length < all.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show {all.length - shown.length} earlier
        </button>
      )}
      <SuperSteps groups={shown} steps={steps} />
    </Card>
  );
}

interface SuperStepsProps {
  groups: readonly SuperStepGroup[];
  /** Those inside of each one. */
  steps: ReadonlyMap<Position, SuperStepGroup[]>;
}

function SuperSteps({ groups, steps }: SuperStepsProps): VNode {
  return (
    <ol class="log">
      {groups.map((group) => (
        <SuperStep key={group.position} group={group} steps={steps} />
      ))}
    </ol>
  );
}

/** One that has not ended well is open. */
function SuperStep({ group, steps }: { group: SuperStepGroup; steps: SuperStepsProps['steps'] }): VNode {
  const { position, graph, status, error, nodes, intents, ledger } = group;
  const [isOpen, setOpen] = useState(status !== 'completed');
  const inner = steps.get(position) ?? [];
  const left = [
    ...(intents.length === 0 ? [] : [`${intents.length} to send`]),
    ...(ledger === 0 ? [] : [ledger === 1 ? '1 ledger event' : `${ledger} ledger events`]),
  ];
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="step-line">
          <span class="log-name">
            <Text text={superStepTitle(group)} short={160} />
            <span class="log-type">
              <Text text={[graph ?? '', ...left].join(' · ')} short={160} />
            </span>
          </span>
          <StatusBadge status={status} />
        </summary>
        {isOpen && (
          <div class="log-more">
            {nodes.map((node) => (
              <Node key={node.position} node={node} />
            ))}
            {nodes.every((node) => node.error === null) && <ErrorText text={error} />}
            {intents.map(({ key, type, payload, status: sent, error: problem }) => (
              <div key={key}>
                <h3>
                  sends <Text text={type} short={80} /> <StatusBadge status={sent} />
                </h3>
                <ErrorText text={problem ?? null} />
                <Json value={{ key, payload }} />
              </div>
            ))}
            {inner.length > 0 && <SuperSteps groups={inner} steps={steps} />}
          </div>
        )}
      </details>
    </li>
  );
}

function Node({ node }: { node: SteppedNode }): VNode {
  const { node: name, status, writes, error, interrupts, waits } = node;
  const channels = Object.keys(writes);
  return (
    <div>
      <h3>
        <Text text={name} short={80} /> <StatusBadge status={status} />
      </h3>
      <ErrorText text={error} />
      {interrupts.map(({ reason, payload, request }, i) => {
        const text = <Text text={reason} short={240} />;
        return (
          <div key={i}>
            {request === undefined ? 'waited' : 'waits'}:{' '}
            {request === undefined ? text : <Link to={requestPath(request)}>{text}</Link>}
            {payload !== null && <Json value={payload} depth={1} />}
          </div>
        );
      })}
      {waits.map(({ kind, name: what }, i) => (
        <p key={i}>
          {kind === 'activity' ? 'runs' : `waits (${kind})`}: <Text text={what} short={200} />
        </p>
      ))}
      {channels.length > 0 && (
        <details>
          <summary>
            wrote <Text text={channels.join(', ')} short={200} />
          </summary>
          <Json value={writes} />
        </details>
      )}
    </div>
  );
}
