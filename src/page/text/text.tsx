import { useEffect, useState } from 'preact/hooks';
import type { ComponentChildren, VNode } from 'preact';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import { relativeTime } from './relative-time.js';
import { visibleParts } from './visible-text.js';

/** So much of a text is shown before somebody asks for all of it. */
const shownFirst = 4_000;

interface TextProps {
  text: string;
  /** Where it stands in a line, with others: cut after so many characters, and its rest is not to be had there. */
  short?: number;
}

/** Text of a procedure, a model or a person: never read as HTML, with every character seen, and long ones cut. */
export function Text({ text, short }: TextProps): VNode {
  const [isWhole, setWhole] = useState(false);
  const limit = short ?? shownFirst;
  const isCut = text.length > limit && !isWhole;
  const shown = isCut ? cut(text, limit) : text;
  return (
    <bdi class={short === undefined ? 'text' : 'text text-short'}>
      {visibleParts(shown).map((part) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span class="unseen" title="A character that is not seen">
            {part.code}
            {part.times > 1 ? ` ×${part.times}` : ''}
          </span>
        ),
      )}
      {isCut && '…'}
      {isCut && short === undefined && (
        <button type="button" class="link show-all" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </bdi>
  );
}

/** Never within a pair of code units. */
function cut(text: string, length: number): string {
  const isPair = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, isPair ? length - 1 : length);
}

export interface CardProps {
  title: string;
  /** Whose words it has: of the host, or of a procedure and models; left out: of neither. */
  of?: 'host' | 'said';
  note?: string;
  children: ComponentChildren;
}

/** A part of a page, with its title. */
export function Card({ title, of, note, children }: CardProps): VNode {
  return (
    <section class={`card ${of ?? ''}`} aria-label={title}>
      <h2>{title}</h2>
      {note !== undefined && <p class="card-note">{note}</p>}
      {children}
    </section>
  );
}

/** What a machine has named: an id, a position, a file. */
export function Id({ text }: { text: string }): VNode {
  return (
    <span class="mono">
      <Text text={text} short={200} />
    </span>
  );
}

/** What somebody must know before they go on. */
export function Notice({
  tone = '',
  title,
  children,
}: {
  tone?: 'warn' | '';
  title: string;
  children: ComponentChildren;
}): VNode {
  return (
    <p class={`notice ${tone}`}>
      <strong>{title}</strong> {children}
    </p>
  );
}

/** A line of a list of facts (`dl`). */
export function Fact({ name, children }: { name: string; children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What has gone wrong, or nothing; `isOld`: a list is shown below that was read before. */
export function Problem({
  problem,
  isOld = false,
}: {
  problem: string | null;
  isOld?: boolean;
}): VNode | null {
  if (problem === null) return null;
  return (
    <p class="notice bad" role="alert">
      {problem} {isOld && 'This list may be out of date.'}
    </p>
  );
}

/** What a person has added to an answer, or nothing. */
export function Comment({ text }: { text: string | null | undefined }): VNode | null {
  if (text === null || text === undefined || text === '') return null;
  return (
    <blockquote>
      <Text text={text} />
    </blockquote>
  );
}

/** What a procedure failed with, or nothing. */
export function ErrorText({ text }: { text: string | null }): VNode | null {
  if (text === null) return null;
  return (
    <p class="notice bad">
      <Text text={text} />
    </p>
  );
}

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
