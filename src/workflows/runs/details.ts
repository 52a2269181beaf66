import {
  defineSearchAttributeKey,
  SearchAttributeType,
  type SearchAttributeUpdatePair,
} from '@temporalio/common';
import { upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import { forkedFrom, forkText } from '../../contract/changes/forked-from.js';
import { holdText } from '../../contract/changes/hold.js';
import { pauseText } from '../../contract/changes/pause.js';
import { cancellingText } from '../../contract/runs/cancelling.js';
import { budgetText } from '../../contract/budgets/budget.js';
import { deliveryTexts, respondCommand } from '../../contract/people/request-text.js';
import { usageTexts } from '../../contract/models/model-call.js';
import { versionText } from '../../contract/procedures/published.js';
import { outerPosition, type Position } from '../../contract/checkpoints/checkpoint.js';
import { nodePosition } from '../../contract/graphs/super-step.js';
import { labelItems } from '../../contract/runs/labels.js';
import { marksMemo } from '../../contract/runs/marks.js';
import type { KnownAttributes } from '../../contract/runs/start-input.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { endedIn } from './passes.js';
import { authorityIn, endOf, pendingView, type RunFacts } from './views.js';
import type { Wait } from '../../contract/runs/run-view.js';
import type { Plan } from '../../contract/sessions/plan.js';
import { changesOf } from '../../contract/engine.js';
import { searchAttributeNames } from '../../contract/names.js';

const shownRequests = 10;
const shownSteps = 30;
/** More open effects would make each look at them slow. */
const shownWaits = 200;

/** The run's page in Temporal's Web UI, in Markdown: where it stands, and what to type to answer it. */
export function currentDetails(facts: RunFacts): string {
  const { published } = facts.started.start;
  const stands = [
    facts.status.replaceAll('_', ' '),
    `${endedIn(facts)} checkpoints`,
    ...(facts.pass === undefined ? [] : [`pass ${facts.pass.number + 1}`]),
    ...usageTexts(facts.usage),
    ...(published === undefined ? [] : [versionText(published)]),
  ];
  const lines = [`**${facts.procedure}** · ${stands.join(' · ')}`];
  const fork = forkedFrom(facts.changes);
  if (fork !== undefined) lines.push('', plain(forkText(fork)));
  const { labels, variants } = facts.marks ?? {};
  if (labels !== undefined) lines.push('', `labels: ${plain(labelItems(labels).join(', '))}`);
  if (variants !== undefined) lines.push('', `variants: ${plain(labelItems(variants).join(', '))}`);
  if (facts.paused !== undefined) lines.push('', plain(pauseText(facts.paused)));
  if (facts.cancelling !== undefined) lines.push('', plain(cancellingText(facts.cancelling)));
  for (const hold of facts.held ?? [])
    lines.push('', plain(`${holdText(hold)} (${hold.waiting} of this run)`));
  for (const budget of facts.budgets) lines.push('', plain(budgetText(budget)));
  const plan = facts.session?.plan ?? null;
  if (plan !== null) lines.push('', ...planLines(plan));
  lines.push(...superStepLines(facts));
  const { length: asked } = facts.pending;
  if (authorityIn(facts) === 'signed') lines.push('', 'decisions: signed');
  for (const request of pendingView(facts, shownRequests)) lines.push('', ...requestLines(request));
  if (asked > shownRequests) lines.push('', `… and ${asked - shownRequests} more requests`);
  if (facts.ending?.error !== null && facts.ending?.error !== undefined) {
    const { code, message, traceback } = facts.ending.error;
    lines.push(
      '',
      `**${code}**: ${plain(message)}`,
      ...(traceback === null ? [] : ['', '```', traceback, '```']),
    );
  }
  return lines.join('\n').slice(0, 18_000);
}

/** How far the plan is: a line for each of its steps. */
function planLines({ objective, status, steps }: Plan): string[] {
  const marks = { done: 'x', in_progress: '~', pending: ' ' } as const;
  const more = steps.length - shownSteps;
  return [
    `**plan** (${status}): ${plain(objective)}`,
    ...steps
      .slice(0, shownSteps)
      .map((step) => `- \\[${marks[step.status]}\\] ${step.step_id} ${plain(step.title)}`),
    ...(more > 0 ? [`- … and ${more} more steps`] : []),
  ];
}

/** The super-steps that are under way, each with a line for each of its nodes. */
function superStepLines({ superSteps = [], waits }: RunFacts): string[] {
  if (superSteps.length === 0) return [];
  const nodes = superSteps.flatMap(({ position, nodes: all }) =>
    all.map((_, i) => nodePosition(position, i)),
  );
  const waitsOf = new Map<Position, Wait[]>(nodes.map((position) => [position, []]));
  for (const wait of waits.slice(0, shownWaits))
    for (let at = wait.position; at !== ''; at = outerPosition(at)) waitsOf.get(at)?.push(wait);
  return superSteps.slice(0, shownSteps).flatMap(({ position, graph, step, nodes: all }) => [
    '',
    `**${plain(graph)} super-step ${step}**: ${plain(all.map(({ node }) => node).join(', '))}`,
    ...all.slice(0, shownSteps).map(({ node, isOpen }, i) => {
      const own = waitsOf.get(nodePosition(position, i)) ?? [];
      const does = isOpen ? own.map(waitText).join(', ') || 'runs' : 'has ended';
      return `- ${plain(node)} ${does}`;
    }),
    ...(all.length > shownSteps ? [`- … and ${all.length - shownSteps} more nodes`] : []),
  ]);
}

function waitText({ kind, name, held }: Wait): string {
  if (held === true) return `is held: ${plain(name)}`;
  return kind === 'activity' ? `runs ${plain(name)}` : `waits (${kind}): ${plain(name)}`;
}

function requestLines(request: HumanRequest): string[] {
  return [
    `**${request.kind}**: ${plain(request.message)}`,
    ...(request.deadline === null
      ? []
      : [`until ${request.deadline}, then ${JSON.stringify(request.default)}`]),
    ...deliveryTexts(request.deliveries).map((line) => `told by ${plain(line)}`),
    '',
    '```',
    `tactus-temporal ${respondCommand(request)}`,
    '```',
  ];
}

/** Text of a procedure or a model, kept from being read as Markdown. */
function plain(text: string): string {
  return text
    .slice(0, 500)
    .replace(/[\\`*_{}[\]<>#|~]/g, '\\$&')
    .replaceAll('\n', ' ');
}

const procedureKey = defineSearchAttributeKey(searchAttributeNames.procedure, SearchAttributeType.KEYWORD);
const statusKey = defineSearchAttributeKey(searchAttributeNames.status, SearchAttributeType.KEYWORD);

/** It has ended, and stands beside others: whoever compares them needs no worker. */
function isCompared({ ending, marks, started: { start, engine } }: RunFacts): boolean {
  if (ending === null || !changesOf(engine)('scores')) return false;
  return start.published !== undefined || marks?.variants !== undefined;
}

const labelsKey = defineSearchAttributeKey(searchAttributeNames.labels, SearchAttributeType.KEYWORD_LIST);

/** Keeps what lists of workflows have of a run up to date, with a command only where something changed. */
export class Attributes {
  private written = '';
  private listed = '';
  private marked = '{}';

  /** @param known which search attributes the namespace has */
  update(facts: RunFacts, known: KnownAttributes): void {
    const { status, procedure, marks = {} } = facts;
    const memo = isCompared(facts) ? { ...marks, ...endOf(facts) } : marks;
    const marked = JSON.stringify(memo);
    if (marked !== this.marked) {
      this.marked = marked;
      upsertMemo({ [marksMemo]: memo });
    }
    if (known === false) return;
    const labels = labelItems(marks.labels ?? {});
    const listed = known === 'labels' ? labels.join('\n') : '';
    if (status === this.written && listed === this.listed) return;
    const attributes: SearchAttributeUpdatePair[] = [];
    if (status !== this.written)
      attributes.push({ key: procedureKey, value: procedure }, { key: statusKey, value: status });
    if (listed !== this.listed)
      attributes.push({ key: labelsKey, value: labels.length === 0 ? null : labels });
    this.written = status;
    this.listed = listed;
    upsertSearchAttributes(attributes);
  }
}
