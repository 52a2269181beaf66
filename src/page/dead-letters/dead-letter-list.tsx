import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../api/api.js';
import type { DeadLetter } from '../api/shapes.js';
import { Link, useTitle } from '../shell/navigation.js';
import { runPath } from '../shell/route.js';
import { Listing } from '../shell/listing.js';
import { useSession } from '../shell/session.js';
import { useFilter, useList, useRowKeys } from '../shell/use-list.js';
import { Id, Problem, Text, Time } from '../text/text.js';

/** Calls that gave up and ended their run, and intents that nobody sends. */
export function DeadLetterList(): VNode {
  const { api } = useSession();
  const { query, settled, set } = useFilter();
  const list = useList(api, '/dead-letters', settled, ({ dead_letters: letters, next }) => ({
    items: letters,
    next,
  }));
  useRowKeys('.row-link');
  useTitle('Dead letters');
  return (
    <Listing
      title="Dead letters"
      list={list}
      countOf="shown"
      empty={{
        title: 'No dead letters',
        text: 'A call appears here if it gave up and its run failed, or if it is a message of a graph that was not sent.',
      }}
      row={(letter) => <LetterRow key={letter.id} letter={letter} onSettled={list.refresh} />}
    >
      <search class="filters">
        <label class="field grow">
          <span>Run id begins with</span>
          <input
            type="search"
            value={query.get('prefix') ?? ''}
            onInput={(event) => set('prefix', event.currentTarget.value)}
          />
        </label>
        <label class="choice chip">
          <input
            type="checkbox"
            checked={query.has('all')}
            onChange={(event) => set('all', event.currentTarget.checked ? 'true' : '')}
          />
          Settled ones too
        </label>
      </search>
    </Listing>
  );
}

function LetterRow({ letter, onSettled }: { letter: DeadLetter; onSettled: () => void }): VNode {
  const { id, state, type, name, attempts, error, failed_at: at, requeued_as: other, dropped } = letter;
  return (
    <li class="row">
      <div class="row-main">
        <Link to={runPath(letter.run_id)} class="row-link">
          <Text text={`${letter.procedure} · ${type} ${name}`} short={120} />
        </Link>
        <p>
          <Text text={error?.message ?? 'Never tried: the run ended before.'} short={300} />
        </p>
        <p class="row-facts">
          <Id text={id} />
          <span>{attempts === 1 ? '1 attempt' : `${attempts} attempts`}</span>
          {at !== null && (
            <span>
              gave up <Time at={at} isAlone />
            </span>
          )}
          {other !== null && (
            <span class="row-actions">
              requeued as <Link to={runPath(other)}>{other}</Link>
            </span>
          )}
          {dropped !== null && (
            <span>
              dropped{dropped.by === null ? '' : ` by ${dropped.by}`} <Time at={dropped.at} isAlone />{' '}
              {dropped.reason !== null && <Text text={dropped.reason} short={120} />}
            </span>
          )}
        </p>
        {state === 'dead' && <Settle id={id} onSettled={onSettled} />}
      </div>
      <div class="row-end">
        <span class="badge">{state}</span>
      </div>
    </li>
  );
}

/** Two buttons; what is dropped is asked about once more. */
function Settle({ id, onSettled }: { id: string; onSettled: () => void }): VNode | null {
  const { api, me } = useSession();
  const [isSure, setSure] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  if (!me.roles.includes('operate')) return null;
  const settle = async (verb: 'requeue' | 'drop'): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await api.settleLetter(id, verb);
      onSettled();
    } catch (error) {
      setProblem(messageOf(error));
    }
    setSure(false);
    setBusy(false);
  };
  return (
    <>
      <div class="decide row-actions">
        <button type="button" disabled={isBusy} onClick={() => void settle('requeue')}>
          Requeue
        </button>
        {isSure ? (
          <>
            <button type="button" class="danger" disabled={isBusy} onClick={() => void settle('drop')}>
              Yes, drop it
            </button>
            <button type="button" onClick={() => setSure(false)}>
              Keep it
            </button>
          </>
        ) : (
          <button type="button" disabled={isBusy} onClick={() => setSure(true)}>
            Drop
          </button>
        )}
      </div>
      <Problem problem={problem} />
    </>
  );
}
