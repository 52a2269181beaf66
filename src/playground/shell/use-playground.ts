import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { ProofResult } from '../../contract/changes/proof.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { DrawnGraph } from '../../page/runs/graph-layout.js';
import type { Diagnostic } from '../../validation/index.js';
import type { Complete } from '../editor/code-editor.js';
import type * as engineModule from '../engine.js';
import { examples } from '../procedures/examples.js';
import { draftOf, linkOf, type Draft } from '../procedures/share-link.js';
import type { RunHost } from '../runs/run-host.js';
import type { RunActions } from '../runs/run-pane.js';
import {
  dropRecord,
  keepDraft,
  keepRecord,
  readDraft,
  readRecord,
  type RunRecord,
} from '../runs/run-record.js';
import { scriptLines } from '../models/scripted-model.js';

type Engine = typeof engineModule;

const checkMs = 300;

/** All that the page shows, and what its buttons do. */
export interface Playground extends Draft, RunActions {
  isReady: boolean;
  diagnostics: readonly Diagnostic[];
  complete: Complete;
  problem: string | null;
  run: { record: RunRecord; host: RunHost; graph: DrawnGraph | null } | null;
  /** The file is another one than that of the open run. */
  isEdited: boolean;
  verdict: ProofResult | null;
  edit: (part: Partial<Draft>) => void;
  start: () => void;
  tryIt: () => void;
  continueWith: () => void;
  share: () => string;
}

export function usePlayground(): Playground {
  const [draft, setDraft] = useState<Draft>(
    () => draftOf(location.hash) ?? readDraft(localStorage) ?? firstDraft(),
  );
  const [engine, setEngine] = useState<Engine | null>(null);
  const [diagnostics, setDiagnostics] = useState<readonly Diagnostic[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [verdict, setVerdict] = useState<ProofResult | null>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const run = useRef<Playground['run']>(null);
  const script = useRef<readonly string[]>([]);
  script.current = scriptLines(draft.script);

  const begin = (from: Engine, record: RunRecord, starts = true): void => {
    const keep = (): void => {
      keepRecord(localStorage, record, setProblem);
      redraw(0);
    };
    const host = new from.RunHost(record, () => script.current, keep);
    run.current = { record, host, graph: from.graphOf(record.source) };
    setProblem(null);
    setVerdict(null);
    if (starts) host.start();
    else host.kill();
  };

  useEffect(() => {
    void import('../engine.js').then(
      (loaded) => {
        setEngine(loaded);
        const record = readRecord(localStorage);
        // As it was left: killed. The person resumes it.
        if (record !== null) begin(loaded, record, false);
      },
      () => setProblem('The engine could not be loaded. Reload the page.'),
    );
  }, []);

  useEffect(() => {
    keepDraft(localStorage, draft);
    if (engine === null) return undefined;
    const timer = setTimeout(() => setDiagnostics(engine.checkSource(draft.text)), checkMs);
    return () => clearTimeout(timer);
  }, [engine, draft]);

  const own = run.current;
  const source = own?.record.source;
  const isEdited = source !== undefined && source.files[source.entry] !== draft.text;

  return {
    ...draft,
    ...{ diagnostics, problem, verdict, isEdited },
    isReady: engine !== null,
    complete: (text, at) => engine?.completionsAt(text, at) ?? null,
    run: own,
    edit: (part) => {
      setDraft((before) => ({ ...before, ...part }));
      setVerdict(null);
    },
    start: () => {
      if (engine === null) return;
      const input = readInput(draft.input);
      if (typeof input === 'string') return setProblem(input);
      own?.host.kill();
      begin(engine, engine.newRecord(engine.sourceOf(draft.text), input));
    },
    kill: () => own?.host.kill(),
    resume: () => {
      if (engine !== null && own !== null) begin(engine, own.record);
    },
    discard: () => {
      own?.host.kill();
      run.current = null;
      dropRecord(localStorage);
      redraw(0);
    },
    answer: (position, value) => own?.host.answer(position, value) ?? null,
    skip: (position) => own?.host.skip(position),
    fork: (at) => {
      if (engine === null || own === null) return;
      try {
        const record = engine.forkRecord(own.record, at);
        if (record === null) return;
        own.host.kill();
        begin(engine, record);
      } catch (error) {
        // What was recorded before it is known by a snapshot alone.
        setProblem(error instanceof Error ? error.message : String(error));
      }
    },
    tryIt: () => {
      if (engine === null || own === null) return;
      const open = own.host.view.waits.map(({ position }) => position);
      setVerdict(engine.trySource(own.record, engine.sourceOf(draft.text), open));
    },
    continueWith: () => {
      if (engine === null || own === null || verdict === null) return;
      own.host.kill();
      begin(engine, engine.withSource(own.record, engine.sourceOf(draft.text), verdict));
    },
    share: () => `${location.origin}${location.pathname}${linkOf(draft)}`,
  };
}

function firstDraft(): Draft {
  const [first] = examples;
  return { text: first?.text ?? '', input: first?.input ?? '{}', script: first?.script ?? '' };
}

/** @returns the input; a text is what is wrong with it */
function readInput(text: string): JsonObject | string {
  try {
    const input = JSON.parse(text.trim() === '' ? '{}' : text) as JsonValue;
    return isObject(input) ? input : 'The input must be a JSON object, such as {"topic": "tea"}';
  } catch (error) {
    return `The input is no JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
