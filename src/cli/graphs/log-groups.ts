import { outerPosition, type Position } from '../../contract/checkpoints/checkpoint.js';
import {
  superStepAround,
  superStepTitle,
  type SteppedNode,
  type SuperStepGroup,
} from '../../contract/graphs/super-step-groups.js';
import { isObject } from '../../contract/json/json.js';
import type { LogEntryView, LogPage } from '../../contract/runs/run-view.js';
import { jsonText } from '../command.js';

/** A log whose entries say which super-step they are part of: `log --json`. */
export interface GroupedLog extends LogPage {
  /** `super_step`: the position of the innermost one; an intent is part of the one that left it. */
  execution_log: (LogEntryView & { super_step?: Position })[];
  /** Left out where no graph has run. */
  super_steps?: SuperStepGroup[];
}

export function groupedLog(log: LogPage, groups: readonly SuperStepGroup[]): GroupedLog {
  if (groups.length === 0) return log;
  const byPosition = new Map(groups.map((group) => [group.position, group]));
  const byIntent = new Map(groups.flatMap((group) => group.intents.map(({ key }) => [key, group] as const)));
  const execution_log = log.execution_log.map((entry) => {
    const group = superStepAround(byPosition, entry.position) ?? byIntent.get(intentKey(entry)) ?? null;
    return group === null ? entry : { ...entry, super_step: group.position };
  });
  return { ...log, execution_log, super_steps: [...groups] };
}

/** '' where it is none of an intent. */
function intentKey({ type, input, result }: LogEntryView): string {
  const key =
    type !== 'intent' ? null : isObject(result) ? result['key'] : isObject(input) ? input['key'] : null;
  return typeof key === 'string' ? key : '';
}

/** A line of a log: an entry, or what is said of a super-step; `depth`: of how many it is part. */
export type LogLine = { depth: number } & ({ entry: LogEntryView } | { text: string });

/** Entries in their order, those of a super-step together, behind what it did. */
export function logLines({ execution_log: entries, ...log }: LogPage | GroupedLog): LogLine[] {
  const groups = 'super_steps' in log ? (log.super_steps ?? []) : [];
  const graphs = new Set(groups.map(({ thread }) => thread));
  const sections = new Map<Position, Section>(
    groups.map((group) => [group.position, { group, parts: [], isPlaced: false }]),
  );
  const top: Part[] = [];
  /** Puts a section where the first thing of it stands, within those around it. */
  const partsOf = (section: Section): Part[] => {
    if (section.isPlaced) return section.parts;
    section.isPlaced = true;
    const around = superStepAround(sections, outerPosition(section.group.position));
    (around === null ? top : partsOf(around)).push(section);
    return section.parts;
  };
  for (const entry of entries) {
    const section = 'super_step' in entry ? sections.get(entry.super_step ?? '') : undefined;
    (section === undefined ? top : partsOf(section)).push(entry);
  }
  for (const section of sections.values()) partsOf(section);
  return linesOf(top, 0, graphs.size > 1);
}

interface Section {
  group: SuperStepGroup;
  parts: Part[];
  isPlaced: boolean;
}

type Part = LogEntryView | Section;

function linesOf(parts: readonly Part[], depth: number, areGraphsNamed: boolean): LogLine[] {
  return parts.flatMap((part): LogLine[] => {
    if (!('group' in part)) return [{ depth, entry: part }];
    const [title = '', ...facts] = superStepLines(part.group, areGraphsNamed);
    return [
      { depth, text: title },
      ...facts.map((text) => ({ depth: depth + 1, text })),
      ...linesOf(part.parts, depth + 1, areGraphsNamed),
    ];
  });
}

/** What a super-step did, in lines: its title first. */
function superStepLines(group: SuperStepGroup, isGraphNamed: boolean): string[] {
  const { graph, status, error, nodes, intents, ledger } = group;
  const isOfNode = nodes.some((node) => node.error !== null);
  const title = [
    superStepTitle(group),
    ...(isGraphNamed && graph !== null ? [graph] : []),
    ...(status === 'completed' ? [] : [status]),
    ...(error === null || isOfNode ? [] : [error]),
  ];
  return [
    title.join(' · '),
    ...nodes.flatMap(nodeLines),
    ...intents.map(({ key, type, status: sent, error: problem }) =>
      [`intent ${type} ${sent}`, key, ...(problem === undefined ? [] : [problem])].join(' · '),
    ),
    ...(ledger === 0 ? [] : [ledger === 1 ? '1 ledger event' : `${ledger} ledger events`]),
  ];
}

function nodeLines({ node, status, writes, error, interrupts, waits }: SteppedNode): string[] {
  const channels = Object.keys(writes);
  return [
    ...(channels.length === 0 ? [] : [`${node} wrote ${channels.join(', ')}`]),
    ...(status === 'failed' ? [`${node} failed: ${error ?? ''}`] : []),
    ...(status === 'stopped' ? [`${node} did not end`] : []),
    ...interrupts.map(({ reason, payload, request }) => {
      const asked = payload === null ? reason : `${reason} ${jsonText(payload)}`;
      return request === undefined ? `${node} waited: ${asked}` : `${node} waits: ${asked}`;
    }),
    ...waits.map(({ kind, name }) =>
      kind === 'activity' ? `${node} runs ${name}` : `${node} waits: ${kind} ${name}`,
    ),
  ];
}
