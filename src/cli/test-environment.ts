import type { TestEnvironment } from '../worker/test-environment.js';
import { configure } from './configure.js';
import type { Context } from './context.js';
import { filesFolder } from './files-folder.js';

/**
 * Does something on a server that skips time, and stops it whatever comes.
 * @throws TactusError server_unreachable where the server can't be had; usage where the folder of files is none
 */
export async function withTestEnvironment<T>(
  { options, screen }: Context,
  given: { files: readonly string[]; coldCaches: boolean },
  work: (environment: TestEnvironment) => Promise<T>,
): Promise<T> {
  const { tools } = await configure(null, {}, screen);
  const { path: filesRoot, isNamed } = filesFolder(options);
  // The SDK takes a second to load: what is refused before is refused without it.
  const { quietRuntime } = await import('../worker/quiet-runtime.js');
  const { configuredTools } = await import('../worker/configured-tools.js');
  const { startTestEnvironment } = await import('../worker/test-environment.js');
  const { corporaSettings } = await import('../worker/corpora-settings.js');
  const { modelSettings } = await import('../worker/model-settings.js');
  const activities = {
    ...(await configuredTools(tools, process.cwd())),
    ...modelSettings(process.env, process.cwd()),
    ...corporaSettings(process.env, process.cwd()),
  };
  quietRuntime({ verbose: options.verbose === true, write: (line) => screen.warn(line) });
  const environment = await startTestEnvironment({ filesRoot, staysInside: isNamed, activities, ...given });
  try {
    return await work(environment);
  } finally {
    await environment.stop();
  }
}
