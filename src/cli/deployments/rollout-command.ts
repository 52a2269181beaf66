import { Command } from 'commander';
import { planRollOut, rollBack, rollOut, type RolledOut, type RollOutOrder } from '../../client/index.js';
import { mostGateRuns, usualGateRuns } from '../../contract/deployments/gate.js';
import {
  act,
  answerDryRun,
  exitCodes,
  interruption,
  readDuration,
  TactusError,
  withDryRun,
  type Context,
  type DryRunFlag,
  type ExitCode,
} from '../command.js';
import { configure } from '../configure.js';
import { withSession } from '../session.js';

interface RolloutFlags extends DryRunFlag {
  deployment?: string;
  ramp: string;
  pause: string;
  gate: boolean;
  gateRuns: string;
  back?: true;
}

/** `rollout BUILD`: gives the runs of a Worker Deployment to a new version, step by step. */
export function rolloutCommand(): Command {
  return withDryRun(new Command('rollout'))
    .description(
      'give runs to a new version of your workers, step by step, and take them back if one gets stuck',
    )
    .argument('[build]', 'build id of the version; its workers are up already')
    .option('--deployment <name>', 'name of the Worker Deployment (default: that of the configuration)')
    .option('--ramp <percentages>', 'shares of the runs that it is given before all, in per cent', '10,50')
    .option('--pause <time>', 'how long runs are watched after each step', '1m')
    .option(
      '--gate-runs <n>',
      'how many open runs, and ended ones, it must replay first',
      String(usualGateRuns),
    )
    .option('--no-gate', 'give it runs without having it replay any')
    .option('--back', 'take the runs back that the newest version was given')
    .action(
      act(async (context, flags: RolloutFlags, build: string | undefined) => {
        const { screen } = context;
        if (flags.back === true) return back(context, flags, build);
        if (build === undefined)
          throw new TactusError('usage', 'rollout needs the build id of a version, or --back');
        const order: RollOutOrder = {
          ...{ deployment: await deploymentOf(context, flags), build_id: build },
          ...{ ramp: readRamp(flags.ramp), pauseMs: readDuration(flags.pause, '--pause') },
          gateRuns: flags.gate ? readGateRuns(flags.gateRuns) : null,
        };
        if (flags.dryRun === true)
          return withSession(context, async ({ client }) => {
            const plan = await planRollOut(client, order);
            const { deployment, build_id: id, steps } = plan;
            const would = `give the runs of ${deployment} to ${id} in steps of ${steps.join(', ')} %`;
            return answerDryRun(context, steps.length === 0 ? 'change nothing' : would, plan);
          });
        const { signal, dispose } = interruption();
        try {
          const done = await withSession(context, ({ client }) =>
            rollOut(client, order, { signal, tell: (text) => screen.note(text) }),
          );
          screen.answer(done, () => rolledOutText(done));
          if (done.status === 'interrupted') return exitCodes.interrupted;
          return done.status === 'current' ? exitCodes.done : exitCodes.failed;
        } finally {
          dispose();
        }
      }),
    );
}

async function back(context: Context, flags: RolloutFlags, build: string | undefined): Promise<ExitCode> {
  if (build !== undefined)
    throw new TactusError('usage', '--back takes no build id: it goes back from the newest version');
  const deployment = await deploymentOf(context, flags);
  const { dryRun } = flags;
  const done = await withSession(context, ({ client }) => rollBack(client, deployment, { dryRun }));
  if (dryRun === true)
    return answerDryRun(context, `take the runs of ${deployment} from ${done.build_id}`, {
      ...{ deployment, build_id: done.build_id, previous: done.previous },
    });
  context.screen.answer(
    done,
    () => `All runs of ${deployment} go to ${nameOf(done.previous)}, and none to ${done.build_id}.`,
  );
  return exitCodes.done;
}

/** @throws TactusError usage */
async function deploymentOf({ screen }: Context, { deployment }: RolloutFlags): Promise<string> {
  if (deployment !== undefined) return deployment;
  const { readWorkerSettings, workerSettingVariables } = await import('../../worker/settings.schema.js');
  const { worker } = await configure(null, {}, screen);
  // Of the environment, the name alone counts: a worker has a build id beside it, and this command none.
  const named = process.env[workerSettingVariables.deployment] || readWorkerSettings(worker, {}).deployment;
  if (named !== undefined) return named;
  throw new TactusError(
    'usage',
    'Name the Worker Deployment: --deployment NAME, or TEMPORAL_DEPLOYMENT_NAME',
  );
}

/** @throws TactusError usage */
function readRamp(text: string): number[] {
  const shares = text === '' || text === '100' ? [] : text.split(',').map(Number);
  const isRising = shares.every((share, index) => share > (shares[index - 1] ?? 0) && share < 100);
  if (isRising) return shares;
  throw new TactusError(
    'usage',
    `--ramp takes rising percentages below 100, such as 10,50, or 100 for all at once; not ${text}`,
  );
}

/** @throws TactusError usage */
function readGateRuns(text: string): number {
  const runs = Number(text);
  if (/^\d+$/.test(text) && runs <= mostGateRuns) return runs;
  throw new TactusError('usage', `--gate-runs takes a number up to ${mostGateRuns}, not ${text}`);
}

function nameOf(build: string | null): string {
  return build ?? 'workers without a version';
}

function rolledOutText({ status, build_id: build, deployment, previous, stuck, steps }: RolledOut): string {
  if (status === 'rolled_back')
    return [
      `All runs of ${deployment} go to ${nameOf(previous)} again: ${stuck.length} got stuck.`,
      ...stuck.map(({ run_id, message }) => `  ${run_id}: ${message}`),
    ].join('\n');
  if (status === 'interrupted')
    return `Interrupted: ${build} has ${steps.at(-1)?.percentage ?? 0} % of the runs of ${deployment}. Go on with rollout ${build}, or back with rollout --back.`;
  if (steps.length === 0) return `All runs of ${deployment} went to ${build} before.`;
  return `All runs of ${deployment} go to ${build}; before, they went to ${nameOf(previous)}.`;
}
