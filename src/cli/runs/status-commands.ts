import { Command } from 'commander';
import { describeRun, endOf, refuseStuck, stuckText, unknownSignals } from '../../client/index.js';
import { act, exitCodes, shellWord, ownCommand, jsonText } from '../command.js';
import { holdText } from '../../contract/changes/hold.js';
import { pauseText } from '../../contract/changes/pause.js';
import { cancellingText } from '../../contract/runs/cancelling.js';
import { budgetText } from '../../contract/budgets/budget.js';
import { planText } from '../../contract/sessions/plan.js';
import { requestText } from '../people/requests.js';
import {
  errorText,
  incompleteText,
  outputText,
  retryText,
  summaryText,
  unheardTexts,
  unservedText,
} from './run-text.js';
import { withSession } from '../session.js';

/** `status RUN`: one run as it stands. */
export function statusCommand(): Command {
  return new Command('status')
    .description('show the status of a run')
    .argument('<run>', 'id of the run')
    .action(
      act(async (context, _flags: object, runId: string) =>
        withSession(context, async (session) => {
          const { screen } = context;
          const view = await session.view(runId);
          const unknown = await unknownSignals(session.client, runId).catch((): string[] => []);
          const document = unknown.length === 0 ? view : { ...view, unknown_signals: unknown };
          screen.answer(document, () => {
            const waits = view.waits.map(
              ({ kind, name, since, held, hold }) =>
                `${held === true ? 'held, not begun' : 'waits for'} ${kind}: ${name} (since ${since}${hold === undefined ? '' : `, by the hold of ${hold}`})`,
            );
            const requests = view.pending.map((request) => requestText(request, { how: true }));
            const warnings = view.warnings.map(
              ({ code, file, line }) => `${screen.paint.yellow('warning')} ${code} at ${file}:${line}`,
            );
            return [
              summaryText(view, screen),
              errorText(view, screen),
              view.paused === undefined ? '' : screen.paint.yellow(pauseText(view.paused)),
              view.cancelling === undefined ? '' : screen.paint.yellow(cancellingText(view.cancelling)),
              ...(view.held ?? []).map((hold) => screen.paint.yellow(holdText(hold))),
              view.stuck === null ? '' : `${screen.paint.red('stuck')} ${stuckText(view.stuck)}`,
              incompleteText(view, screen),
              ...(view.budgets ?? []).map(budgetText),
              view.plan === undefined ? '' : planText(view.plan),
              ...warnings,
              ...unknown.map((name) => screen.paint.yellow(unknownText(runId, name))),
              ...unheardTexts(view).map((line) => screen.paint.yellow(line)),
              ...waits,
              ...view.retrying.map((call) => screen.paint.yellow(retryText(call, Date.now()))),
              ...(view.unserved ?? []).map((call) => screen.paint.yellow(unservedText(call))),
              ...requests,
              outputText(view),
            ]
              .filter((line) => line !== '')
              .join('\n');
          });
          return exitCodes.done;
        }),
      ),
    );
}

/** One line. */
function unknownText(runId: string, name: string): string {
  const command = ownCommand(`send ${shellWord(runId)} ${shellWord(name)} VALUE`);
  return `The signal ${JSON.stringify(name)} reached the run, and nothing there hears it. An event of that name is sent so: ${command}`;
}

/** `state RUN`: the procedure's state. */
export function stateCommand(): Command {
  return new Command('state')
    .description('show the state of a run')
    .argument('<run>', 'id of the run')
    .action(
      act(async (context, _flags: object, runId: string) =>
        withSession(context, async (session) => {
          const run = session.tactus.attach(runId);
          const description = await describeRun(run);
          await refuseStuck(run, description);
          const isOpen = endOf(description.status.name) === null;
          const last = isOpen ? null : await session.lastAnswers(runId, description.runId);
          const state = await (last === null ? session.ask(() => run.state()) : run.after(last).state());
          context.screen.answer({ run_id: runId, state }, () => jsonText(state, 2));
          return exitCodes.done;
        }),
      ),
    );
}
