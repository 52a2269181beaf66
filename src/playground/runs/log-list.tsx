import type { VNode } from 'preact';
import type { Checkpoint, Position } from '../../contract/checkpoints/checkpoint.js';
import { getOwn, isObject } from '../../contract/json/json.js';
import { Text } from '../../page/text/text.js';

export interface LogListProps {
  log: readonly Checkpoint[];
  /** How many of its entries were recorded before the run was started or resumed last. */
  replayed: number;
  forkPositions: ReadonlySet<Position>;
  fork: (at: Position) => void;
}

/** The recorded results, in the order in which they ended. */
export function LogList({ log, replayed, forkPositions, fork }: LogListProps): VNode {
  return (
    <table class="log">
      <caption>Log: recorded results</caption>
      <thead>
        <tr>
          <th scope="col">Position</th>
          <th scope="col">Type</th>
          <th scope="col">Name</th>
          <th scope="col">Result</th>
          <th scope="col">
            <span class="only-read">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {log.map((each, index) => (
          <tr key={each.position} class={each.outcome.ok ? '' : 'failed'}>
            <td class="mono">{each.position}</td>
            <td>{each.type}</td>
            <td>
              <Text text={each.name} short={60} />
            </td>
            <td class="mono">
              <Text text={shownOutcome(each)} short={120} />
              {index < replayed && <span class="from-log"> from the log</span>}
            </td>
            <td>
              {forkPositions.has(each.position) && (
                <button type="button" class="small" onClick={() => fork(each.position)}>
                  Fork from {each.position}
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What the procedure got: of a turn its output, of a person the answer alone. */
function shownOutcome({ type, outcome }: Checkpoint): string {
  if (!outcome.ok) return `${outcome.code}: ${outcome.message}`;
  const { value } = outcome;
  const part = type === 'agent_turn' ? 'output' : type.startsWith('hitl_') ? 'value' : 'text';
  const shown = (isObject(value) ? getOwn(value, part) : undefined) ?? value;
  return typeof shown === 'string' ? shown : JSON.stringify(shown);
}
