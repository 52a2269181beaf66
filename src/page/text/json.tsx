import type { VNode } from 'preact';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import { Text } from './text.js';

/** Deeper than that, and where it has more members, a value is shown as JSON. */
const deepest = 3;
const mostMembers = 40;

/** A value of whatever kind, readable: objects as names with values, lists as lists, the rest as text. */
export function Json({ value, depth = 0 }: { value: JsonValue; depth?: number }): VNode {
  if (typeof value === 'string')
    return value === '' ? <span class="muted">empty text</span> : <Text text={value} />;
  if (typeof value !== 'object' || value === null) return <span class="scalar">{String(value)}</span>;
  const members = Object.entries(value);
  if (members.length === 0) return <span class="muted">{Array.isArray(value) ? 'empty list' : 'empty'}</span>;
  if (depth >= deepest || members.length > mostMembers) return <JsonSource value={value} />;
  if (isObject(value))
    return (
      <dl class="members">
        {members.map(([name, member]) => (
          <div key={name}>
            <dt>
              <Text text={name} short={200} />
            </dt>
            <dd>
              <Json value={member} depth={depth + 1} />
            </dd>
          </div>
        ))}
      </dl>
    );
  return (
    <ul class="members">
      {value.map((member, i) => (
        <li key={i}>
          <Json value={member} depth={depth + 1} />
        </li>
      ))}
    </ul>
  );
}

/** A value as JSON text. */
export function JsonSource({ value }: { value: JsonValue }): VNode {
  return (
    <pre>
      <Text text={JSON.stringify(value, null, 2)} />
    </pre>
  );
}
