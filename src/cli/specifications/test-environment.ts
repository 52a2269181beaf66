import type { TestEnvironment } from '../../worker/index.js';
import { configure } from '../configure.js';
import type { Context } from '../context.js';
import { TactusError } from '../../contract/errors.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { filesFolder } from '../files/places.js';
import { endingSignals } from '../terminal/interruption.js';
import { readCount } from '../terminal/flag-values.js';
import { defaultParallel } from '../../testing/several-files.js';

/**
 * Does something on a server that skips time, and stops it whatever comes.
 * @throws TactusError server_unreachable where the server can't be had; usage where the folder of files is none
 */
export async function withTestEnvironment<T>(
  { options, screen }: Context,
  given: { files: readonly string[]; coldCaches: boolean; keepFiles: boolean },
  work: (environment: TestEnvironment) => Promise<T>,
): Promise<T> {
  const { tools } = await configure(null, {}, screen);
  const { path: filesRoot } = filesFolder(options);
  // Only who asks for it here and now has tests work in a folder of the project.
  const isNamed = options.files !== undefined;
  if (isNamed && given.keepFiles)
    throw new TactusError('usage', '--keep-files: with --files DIR, all files are in DIR, and stay there');
  // The SDK takes a second to load: what is refused before is refused without it.
  const { quietRuntime } = await import('../../worker/index.js');
  const { configuredTools } = await import('../../worker/tools/configured-tools.js');
  const { startTestEnvironment } = await import('../../worker/index.js');
  const { corporaSettings } = await import('../../worker/worker-environment.js');
  const { modelSettings } = await import('../../worker/worker-environment.js');
  const activities = {
    ...(await configuredTools(tools, process.cwd())),
    ...modelSettings(process.env, process.cwd()),
    ...corporaSettings(process.env, process.cwd()),
  };
  quietRuntime({ verbose: options.verbose === true, write: (line) => screen.warn(line) });
  // Folders of files are removed as the process exits, which it doesn't where a signal ends it.
  const end = (): void => process.exit(exitCodes.interrupted);
  for (const name of endingSignals) process.once(name, end);
  try {
    const environment = await startTestEnvironment({
      ...{ filesRoot, staysInside: isNamed, ownFiles: !isNamed },
      ...{ activities, ...given },
    });
    return await work(environment).finally(() => environment.stop());
  } finally {
    for (const name of endingSignals) process.removeListener(name, end);
  }
}

/** How many runs at once: as asked for, else as many as is sensible here. @throws TactusError usage */
export function readParallel(given: string | undefined): number {
  return given === undefined ? defaultParallel() : readCount(given, '--parallel');
}
