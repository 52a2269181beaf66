import { Command } from 'commander';
import { claimsInUse, namespacesOf } from '../../client/index.js';
import { claimKey, prunedForKey } from '../../contract/payloads/claim.js';
import type { ListedPayloadStore, PayloadCount, Pruned } from '../../worker/payloads/index.js';
import { TactusError, act, exitCodes, readDuration, type Context, type ExitCode } from '../command.js';
import { withSession, type Session } from '../session.js';

interface PruneFlags {
  unused: string;
  namespaces?: string;
  allUnused?: boolean;
  dryRun?: boolean;
}

interface PruneOrder {
  /** Namespaces that the server may not list. */
  named: readonly string[];
  unusedMs: number;
  isDryRun: boolean;
  /** Nothing of the store may be in use. */
  isAllMeant: boolean;
}

/** A worker puts a payload before the server has what refers to it: a call that fails in between is tried again. */
const leastMs = 3_600_000;

/** `payloads prune`: the store for payloads that are too large for the Temporal server. */
export function payloadsCommand(): Command {
  const command = new Command('payloads').description(
    'manage payloads that are too large for the Temporal server (TACTUS_TEMPORAL_PAYLOADS)',
  );
  command
    .command('prune')
    .description('set aside stored payloads that the server no longer refers to, and delete them later')
    .option('--unused <time>', 'how long a payload is unused before it is set aside, and kept aside', '7d')
    .option('--namespaces <names>', 'namespaces that share the store and that the server does not list')
    .option('--all-unused', 'prune also if the server refers to no payload of the store at all')
    .option('--dry-run', 'only count')
    .action(
      act((context, flags: PruneFlags) => {
        const unusedMs = readDuration(flags.unused, '--unused');
        if (unusedMs < leastMs) throw new TactusError('usage', '--unused must be at least 1h');
        const named = flags.namespaces === undefined ? [] : readNames(flags.namespaces);
        const { dryRun: isDryRun = false, allUnused: isAllMeant = false } = flags;
        return withSession(context, (session) =>
          prune(context, session, { named, unusedMs, isDryRun, isAllMeant }),
        );
      }),
    );
  return command;
}

async function prune(
  { screen }: Context,
  session: Session,
  { named, unusedMs, isDryRun, isAllMeant }: PruneOrder,
): Promise<ExitCode> {
  const store = storeOf(session);
  const namespaces = await allNamespaces(session, named);
  await refuseOthers(session, store, isDryRun);
  // In this order: what is put for the first time from now on is no part of the list.
  const kept = await store.list('');
  const { keys, executions, schedules } = await claimsInUse(
    session.connection,
    namespaces,
    screen.progress(
      (step) => `${step.executions} executions were read so far, which refer to ${step.keys.size} payloads …`,
    ),
  );
  if (!isAllMeant && keys.size === 0 && kept.some(({ key }) => claimKey.test(key)))
    throw new TactusError(
      'change_refused',
      `The server at ${session.target.address} refers to no payload of the store, which has some: is it the right server? --all-unused prunes them`,
    );
  const { prunePayloads } = await import('../../worker/payloads/index.js');
  const pruned = await prunePayloads(store, kept, keys, { unusedMs, isDryRun });
  const document = { namespaces, executions, schedules, dry_run: isDryRun, ...pruned };
  screen.answer(document, () => prunedText(document));
  return exitCodes.done;
}

/** @throws TactusError usage */
function storeOf({ payloadStore }: Session): ListedPayloadStore {
  if (payloadStore !== null) return payloadStore;
  throw new TactusError(
    'usage',
    'There is no payload store for a server elsewhere: name its folder or bucket by TACTUS_TEMPORAL_PAYLOADS',
  );
}

/** @throws TactusError usage where the server doesn't list them, and nobody names any: one that is left out would lose its payloads */
async function allNamespaces({ connection }: Session, named: readonly string[]): Promise<string[]> {
  const listed = await namespacesOf(connection).catch((error: Error) => {
    if (named.length > 0) return [];
    throw new TactusError(
      'usage',
      `The server doesn't list its namespaces (${error.message}): name all that share the payload store by --namespaces`,
    );
  });
  return [...new Set([...listed, ...named])].sort();
}

/**
 * A store belongs to one server: the first that prunes it leaves its id there.
 * @throws TactusError change_refused
 */
async function refuseOthers(
  { connection }: Session,
  store: ListedPayloadStore,
  isDryRun: boolean,
): Promise<void> {
  const { clusterId } = await connection.workflowService.getClusterInfo({});
  const known = await store.get(prunedForKey);
  if (known !== null && Buffer.from(known).toString() !== clusterId)
    throw new TactusError(
      'change_refused',
      `The payload store belongs to the server ${Buffer.from(known).toString()}, and this one is ${clusterId}. If the server was made anew, remove ${prunedForKey} from the store`,
    );
  if (known === null && !isDryRun) await store.put(prunedForKey, Buffer.from(clusterId));
}

/** @throws TactusError usage */
function readNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw new TactusError('usage', '--namespaces must be names with commas between them');
}

function prunedText({
  namespaces,
  executions,
  dry_run: isDryRun,
  ...pruned
}: Pruned & { namespaces: readonly string[]; executions: number; dry_run: boolean }): string {
  const lines: [keyof Pruned, string][] = [
    ['kept', 'in use, or put lately'],
    ['set_aside', isDryRun ? 'would be set aside' : 'set aside: nothing refers to them'],
    ['waiting', 'were set aside before'],
    ['restored', isDryRun ? 'would be restored' : 'restored: they are needed again'],
    ['deleted', isDryRun ? 'would be deleted' : 'deleted'],
  ];
  return [
    `${executions} executions of ${namespaces.join(', ')} were read`,
    ...lines
      .filter(([what]) => what === 'kept' || pruned[what].count > 0)
      .map(([what, text]) => `${countText(pruned[what])} ${text}`),
  ].join('\n');
}

function countText({ count, bytes }: PayloadCount): string {
  return `${count} payloads (${(bytes / 1e6).toFixed(1)} MB)`;
}
