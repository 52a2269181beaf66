import type { HumanRequest, HumanRequestKind } from '../../contract/people/human-request.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { RunStatus, RunView } from '../../contract/runs/run-view.js';

/** Who asks: the answer of `/me`. */
export interface Me {
  /** null: nobody proves a name here; the page asks for one. */
  name: string | null;
  groups: string[];
  roles: ('read' | 'decide' | 'operate')[];
  namespaces: string[];
  authentication: string[];
  until: string | null;
}

export interface AskedRequest extends HumanRequest {
  procedure: string;
}

/** A request that is open no more, and what became of it. */
export interface ClosedRequest {
  id: string;
  run_id: string;
  position: string;
  kind: string;
  message: string;
  asked: JsonValue;
  answer: JsonValue;
  error: string | null;
  closed_at: string;
}

export type RequestState =
  { state: 'open'; request: AskedRequest } | { state: 'closed'; request: ClosedRequest };

/** How it stands with a request, for whoever has a link to it. */
export type LinkedState = { approver: string; expires_at: string } & (
  | { state: 'open'; request: AskedRequest }
  | { state: 'voted'; value: JsonValue; at: string }
  | { state: 'closed'; request: ClosedRequest }
  | { state: 'expired'; at: string }
  | { state: 'changed' | 'gone' }
  | { state: 'not_allowed'; reason: string }
);

export interface RequestPage {
  requests: AskedRequest[];
  next: string | null;
  missing: { run_id: string; reason: string }[];
}

export interface ListedRun {
  run_id: string;
  procedure: string;
  status: RunStatus;
  started_at: string;
  closed_at: string | null;
}

export interface RunPage {
  runs: ListedRun[];
  next: string | null;
}

/** A run as its events tell it; `output` and `state` are read by themselves. */
export interface Run extends Omit<RunView, 'output' | 'state' | 'printed' | 'logs'> {
  stuck: { since: string; message: string } | null;
  /** Calls that have failed and are tried again. */
  retrying: { id: string; attempt: number; attempts: number | null; message: string }[];
  incomplete?: string;
}

export type PrintedLine =
  | { kind: 'print'; text: string }
  | { kind: 'log'; level: string; message: string; context: JsonValue }
  | { kind: 'warning'; message: string };

/** `/runs/{run}/graph`. */
export interface Graph {
  entry: string;
  mermaid: string;
  nodes: GraphNode[];
  edges: GraphEdge[];
  groups: GraphGroup[];
}

export interface GraphNode {
  id: string;
  kind: string;
  label: string;
  file: string;
  line: number;
  group: string | null;
}

export interface GraphEdge {
  from: string;
  to: string;
  kind: 'flow' | 'back' | 'error' | 'call' | 'tools' | 'before';
  label: string | null;
}

interface GraphGroup {
  id: string;
  kind: string;
  label: string;
  line: number;
  group: string | null;
}

/** In the words of people. */
export const kindNames: Readonly<Record<HumanRequestKind, string>> = {
  approval: 'Approval',
  input: 'Input',
  review: 'Review',
  select: 'Selection',
  multiple: 'Questions',
  upload: 'Upload',
  escalation: 'Escalation',
};
