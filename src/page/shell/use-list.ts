import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import { messageOf, type Api, type ListPath } from '../api/api.js';
import type { Answers } from '../api/shapes.js';
import { followEvents, type StreamedEvent, type StreamState } from '../api/event-stream.js';
import { replaceQuery } from './navigation.js';
import { useShortcuts } from './use-shortcuts.js';

interface Page<T> {
  items: T[];
  next: string | null;
}

export interface List<T> {
  /** null: not read yet. */
  items: T[] | null;
  hasMore: boolean;
  problem: string | null;
  more: () => void;
  /** Reads again what is shown; soon, and once for many calls. */
  refresh: () => void;
}

const pauseMs = 400;
const pageSize = 50;
const largestPage = 200;

export interface Filter {
  query: URLSearchParams;
  /** As a query, once nobody has changed it for a moment. */
  settled: string;
  /** An empty value takes it out. */
  set: (key: string, value: string) => void;
}

const settleMs = 250;

/** What a list is narrowed by: it stands in the address of the page. */
export function useFilter(): Filter {
  const [filter, setFilter] = useState(() => new URLSearchParams(location.search).toString());
  const query = new URLSearchParams(filter);
  const set = (key: string, value: string): void => {
    if (value === '') query.delete(key);
    else query.set(key, value);
    replaceQuery(query);
    setFilter(query.toString());
  };
  return { query, settled: useDebounced(filter, settleMs), set };
}

/**
 * A list of the server that grows page by page, and is read again when something has changed. What was read stays on the
 * screen while it is read again, and while it can't be.
 * @param filters as a query, without limit and place
 */
export function useList<T, Path extends ListPath>(
  api: Api,
  path: Path,
  filters: string,
  read: (answer: Answers[Path]) => Page<T>,
): List<T> {
  const [items, setItems] = useState<T[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const shown = useRef(0);
  shown.current = items?.length ?? 0;
  const asked = useRef(new AbortController());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const load = useCallback(
    async (wanted: number): Promise<void> => {
      asked.current.abort();
      const { signal } = (asked.current = new AbortController());
      try {
        const found: T[] = [];
        let after: string | null = null;
        do {
          const limit = Math.min(largestPage, Math.max(pageSize, wanted - found.length));
          const place: string = after === null ? '' : `&after=${encodeURIComponent(after)}`;
          const page = read(await api.list(path, `${filters}&limit=${limit}${place}`, signal));
          found.push(...page.items);
          after = page.next;
        } while (after !== null && found.length < wanted);
        setItems(found);
        setNext(after);
        setProblem(null);
      } catch (error) {
        if (!signal.aborted) setProblem(messageOf(error));
      }
    },
    [api, path, filters],
  );
  useEffect(() => {
    void load(pageSize);
    return () => {
      asked.current.abort();
      clearTimeout(timer.current);
    };
  }, [load]);
  return {
    items,
    hasMore: next !== null,
    problem,
    more: () => void load(shown.current + pageSize),
    refresh: () => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void load(shown.current), pauseMs);
    },
  };
}

/** A value when it has stood for a while, so that not every key that is typed is a question to the server. */
export function useDebounced<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** j and k go from one link of a list to the next. */
export function useRowKeys(selector: string): void {
  const move = (by: 1 | -1): void => {
    const links = [...document.querySelectorAll<HTMLElement>(selector)];
    const at = links.findIndex((link) => link === document.activeElement);
    const to = at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + by));
    links[to]?.focus();
  };
  useShortcuts({ j: () => move(1), k: () => move(-1) });
}

type Listener = (event: StreamedEvent) => void;

/** What changes in the namespace, for all of the page from one stream. */
interface NamespaceEvents {
  state: StreamState;
  listen: (listener: Listener) => () => void;
}

export const EventsContext = createContext<NamespaceEvents | null>(null);

/** Follows the namespace; once, at the top. */
export function useNamespaceStream(api: Api): NamespaceEvents {
  const [state, setState] = useState<StreamState>('waiting');
  const listeners = useRef(new Set<Listener>());
  useEffect(
    () =>
      followEvents(api.urlOf('/events'), {
        onEvent: (event) => {
          for (const listener of listeners.current) listener(event);
        },
        onState: setState,
        onSignedOut: api.onSignedOut,
      }),
    [api],
  );
  const listen = useRef((listener: Listener) => {
    listeners.current.add(listener);
    return () => void listeners.current.delete(listener);
  });
  return { state, listen: listen.current };
}

/** Calls `listener`, always its newest form, for whatever changes in the namespace. */
export function useEvents(listener: Listener): void {
  const events = useContext(EventsContext);
  const newest = useRef(listener);
  newest.current = listener;
  useEffect(() => events?.listen((event) => newest.current(event)), [events?.listen]);
}
