import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { relativeTime } from './relative-time.js';

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A moment: how far away it is, and when. */
export function Time({ at, isAlone = false }: { at: string; isAlone?: boolean }): VNode {
  const now = useNow();
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{at}</span>;
  const relative = relativeTime(date.getTime(), now);
  return (
    <time dateTime={at} title={`${absolute.format(date)} (${at})`}>
      {relative}
      {!isAlone && <span class="muted"> · {absolute.format(date)}</span>}
    </time>
  );
}

const tickMs = 15_000;

/** The time, anew every quarter of a minute. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}
