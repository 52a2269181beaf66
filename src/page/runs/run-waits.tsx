import type { VNode } from 'preact';
import type { Run } from '../api/shapes.js';
import { kindNames } from '../api/shapes.js';
import { Link } from '../shell/navigation.js';
import { requestPath } from '../shell/route.js';
import { Text } from '../text/text.js';
import { Time } from '../text/time.js';

/** What an open run asks people and waits for. */
export function RunWaits({ run }: { run: Run }): VNode | null {
  const { pending, waits } = run;
  const others = waits.filter(({ kind }) => kind !== 'human');
  if (pending.length + others.length === 0) return null;
  return (
    <section class="card" aria-labelledby="waits-title">
      <h2 id="waits-title">It waits for</h2>
      <ul class="plain">
        {pending.map(({ id, kind, message, created_at }) => (
          <li key={id}>
            <span class={`kind ${kind}`}>{kindNames[kind]}</span>{' '}
            <Link to={requestPath(id)}>
              <Text text={message} short={240} />
            </Link>{' '}
            <span class="muted">
              asked <Time at={created_at} isAlone />
            </span>
          </li>
        ))}
        {others.map(({ position, kind, name, since, source, resume_at }) => (
          <li key={position}>
            <span class="badge">{kind}</span> <Text text={name} short={200} />{' '}
            <span class="muted">
              since <Time at={since} isAlone />
              {source !== undefined && ` · line ${source.line}`}
              {resume_at !== undefined && (
                <>
                  {' '}
                  · goes on <Time at={resume_at} isAlone />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
