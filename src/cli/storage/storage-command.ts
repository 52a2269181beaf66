import { Command } from 'commander';
import {
  openMirror,
  reconcileStorage,
  type RecordFinding,
  type StorageBackend,
  type StorageReconciled,
} from '../../client/storage/index.js';
import { configure, storagePlace } from '../configure.js';
import { TactusError, act, exitCodes, type Context, type ExitCode, type Screen } from '../command.js';
import { tellMissing } from '../people/requests.js';
import { withSession, type Session } from '../session.js';

interface ReconcileFlags {
  dryRun?: boolean;
  removeGone?: boolean;
}

/** `storage reconcile`: the records that runs are mirrored to. */
export function storageCommand(): Command {
  const command = new Command('storage').description('manage the records that runs are mirrored to');
  command
    .command('reconcile')
    .description('query all runs, and repair their records')
    .option('--dry-run', 'only report differences')
    .option('--remove-gone', 'remove the records of runs that the server has deleted')
    .action(
      act((context, flags: ReconcileFlags) =>
        withSession(context, (session) =>
          withStorage(session, context.screen, (storage) => reconcile(context, session, storage, flags)),
        ),
      ),
    );
  return command;
}

/** @throws TactusError usage where there is no storage; config_invalid, missing_package */
async function withStorage<T>(
  session: Session,
  screen: Screen,
  work: (storage: StorageBackend) => Promise<T>,
): Promise<T> {
  await configure(null, {}, screen);
  const place = storagePlace(session.embedded !== null);
  if (place === null)
    throw new TactusError(
      'usage',
      'There is no storage for a server elsewhere: name one by storage: in .tactus/config.yml, or by TACTUS_TEMPORAL_STORAGE',
    );
  const storage = await openMirror(place);
  try {
    return await work(storage);
  } finally {
    await storage.close?.();
  }
}

async function reconcile(
  { screen }: Context,
  session: Session,
  storage: StorageBackend,
  { dryRun: isDryRun = false, removeGone: removesGone = false }: ReconcileFlags,
): Promise<ExitCode> {
  const found = await reconcileStorage(session.client, storage, {
    ...{ isDryRun, removesGone, asking: session.asking },
    onProgress: screen.progress(
      (step) => `${step.same} records are right so far, ${differing(step)} differed …`,
    ),
  });
  const { failed, ...counts } = found;
  tellMissing(failed, screen);
  const document = { ...counts, ...(failed.length === 0 ? {} : { failed }) };
  screen.answer(document, () => reconciledText(found, { isDryRun, removesGone }));
  return failed.length === 0 ? exitCodes.done : exitCodes.unreachable;
}

const differences: readonly RecordFinding[] = ['missing', 'damaged', 'ended', 'behind', 'wrong'];

function differing(found: StorageReconciled): number {
  return differences.reduce((sum, finding) => sum + found[finding], 0);
}

function reconciledText(
  found: StorageReconciled,
  { isDryRun, removesGone }: { isDryRun: boolean; removesGone: boolean },
): string {
  const each = differences.flatMap((finding) =>
    found[finding] === 0 ? [] : [`${found[finding]} ${finding}`],
  );
  const count = differing(found);
  const done = isDryRun ? 'would be written' : 'written';
  const gone = removesGone && !isDryRun ? 'removed' : 'kept';
  return [
    `${found.runs} runs: ${count} records ${done}${count === 0 ? '' : ` (${each.join(', ')})`}`,
    ...(found.gone === 0 ? [] : [`${found.gone} records of runs that the server has deleted: ${gone}`]),
  ].join('\n');
}
