import type { HumanRequestKind } from '../../contract/people/human-request.js';
import type { Graph, Printed, RunStanding } from '../../server/shapes.js';

export type {
  Answers,
  AskedRequest,
  ClosedRequest,
  DeadLetter,
  Graph,
  LinkedState,
  ListedRun,
  Me,
  Printed,
  Problem,
  RequestPage,
  RequestState,
  SentFile,
} from '../../server/shapes.js';

/** A run as its events tell it; `output` and `state` are read by themselves. */
export type Run = RunStanding;
export type PrintedLine = Printed['shown'][number];
export type GraphNode = Graph['nodes'][number];
export type GraphEdge = Graph['edges'][number];

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
