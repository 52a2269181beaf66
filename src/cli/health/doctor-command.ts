import { Command } from 'commander';
import { act } from '../context.js';
import { diagnose } from './diagnose.js';
import { exitCodes } from '../terminal/exit-codes.js';

/** `doctor`: checks what runs need, and says what to do about what is missing. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check the set-up and print what to do')
    .option('--fix', 'register the search attributes that are missing')
    .action(
      act(async (context, { fix = false }: { fix?: boolean }) => {
        const { screen } = context;
        const checks = await diagnose(context, { isFixed: fix });
        const isHealthy = checks.every(({ status }) => status !== 'broken');
        screen.answer({ healthy: isHealthy, checks }, () =>
          checks
            .map(
              ({ name, status, detail, advice }) =>
                `${marks[status]} ${name.padEnd(18)} ${detail}${advice === null ? '' : `\n  ${' '.repeat(18)} → ${advice}`}`,
            )
            .join('\n'),
        );
        return isHealthy ? exitCodes.done : exitCodes.failed;
      }),
    );
}

const marks = { ok: '✓', warning: '!', broken: '✗' } as const;
