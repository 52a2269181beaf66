import { Command } from 'commander';
import {
  describeRun,
  filteredLedger,
  readGraphState,
  refuseStuck,
  type GraphView,
} from '../../client/index.js';
import { TactusError } from '../../contract/errors.js';
import type { GraphSnapshot } from '../../contract/graphs/super-step.js';
import { act, exitCodes, jsonText } from '../command.js';
import { withSession } from '../session.js';

interface GraphStateFlags {
  ledger?: boolean;
  intents?: boolean;
  all?: boolean;
  topic?: string;
  after?: string;
}

type LedgerEvent = GraphView['ledger'][number];
type ShownEvent = Omit<LedgerEvent, 'number'> & { number?: number };
type ShownView = Omit<GraphView, 'ledger'> & { ledger: ShownEvent[] };

/** `graph-state THREAD`: snapshots, ledger and intents of the graphs of a run. */
export function graphStateCommand(): Command {
  return new Command('graph-state')
    .description('show the super-steps of a graph: who ran, what each wrote, what waits')
    .argument('<thread>', 'id of the run')
    .option('--ledger', 'show the events that nodes gave for the ledger')
    .option('--topic <topic>', 'of the ledger: events of this topic alone')
    .option('--after <number>', 'of the ledger: events behind the one of this number alone')
    .option('--intents', 'show the messages that nodes want sent, and what became of them')
    .option('--all', 'with the super-steps of graphs that nodes have called')
    .action(
      act(async (context, flags: GraphStateFlags, runId: string) => {
        const { ledger = false, intents = false, all = false, topic } = flags;
        const after = flags.after === undefined ? undefined : readNumber(flags.after);
        if (!ledger && (topic !== undefined || after !== undefined))
          throw new TactusError('usage', '--topic and --after say which events --ledger shows: add --ledger');
        return withSession(context, async (session) => {
          const run = session.tactus.attach(runId);
          await refuseStuck(run, await describeRun(run));
          const whole = await session.ask(() => readGraphState(run, { all }));
          const view = { ...whole, ledger: ledgerOf(whole, { topic, after }) };
          const parts: (keyof GraphView)[] = [
            ...(ledger ? (['ledger'] as const) : []),
            ...(intents ? (['intents'] as const) : []),
            ...(ledger || intents ? [] : (['snapshots'] as const)),
          ];
          const document = Object.fromEntries(parts.map((part) => [part, view[part]]));
          context.screen.answer(document, () => parts.map((part) => texts[part](view)).join('\n'));
          return exitCodes.done;
        });
      }),
    );
}

/** Events have their numbers where some are wanted: whoever reads on needs the last one. */
function ledgerOf(
  { ledger }: GraphView,
  filter: { topic: string | undefined; after: number | undefined },
): ShownEvent[] {
  const isWhole = filter.topic === undefined && filter.after === undefined;
  return isWhole ? ledger.map(({ number: _, ...event }) => event) : filteredLedger(ledger, filter);
}

/** @throws TactusError usage */
function readNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new TactusError('usage', `--after takes the number of an event, such as 12, not ${text}`);
}

/** How each part is shown to people. */
const texts: { [K in keyof GraphView]: (view: ShownView) => string } = {
  snapshots: ({ snapshots }) => snapshots.map(snapshotText).join('\n') || 'no graph has run here',
  ledger: ({ ledger }) =>
    ledger
      .map(
        ({ topic, key, data, step, number }) =>
          `${number === undefined ? '' : `${number}  `}step ${step}  ${topic}  ${key}  ${jsonText(data)}`,
      )
      .join('\n') || 'no events in the ledger',
  intents: ({ intents }) =>
    intents
      .map(({ key, type, payload, status, attempts, error }) => {
        const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
        return `${key}  ${type}  ${status}${tries}  ${error ?? jsonText(payload)}`;
      })
      .join('\n') || 'no intents',
};

/** A line on the step, one for each node with what it wrote, and one for each wait. */
export function snapshotText({
  graph,
  metadata,
  next_tasks: next,
  interrupts,
  failed = [],
  checkpoint_id: id,
}: GraphSnapshot): string {
  const { step, source, writes } = metadata;
  const isOpen = source === 'interrupted';
  const head = source === 'input' ? 'input' : `step ${step}`;
  const rest = next.length === 0 ? 'end' : `${isOpen ? 'to complete' : 'next'}: ${next.join(', ')}`;
  return [
    `${graph}  ${head}${isOpen ? ', interrupted' : ''}  ${rest}  ${id}`,
    ...Object.entries(writes).map(([node, values]) => `  ${node} wrote ${jsonText(values)}`),
    ...failed.map(({ node, error }) => `  ${node} failed: ${error}`),
    ...interrupts.map(
      ({ node, reason, payload }) =>
        `  ${node} ${isOpen ? 'waits' : 'waited'}: ${reason}${payload === null ? '' : ` ${jsonText(payload)}`}`,
    ),
  ].join('\n');
}
