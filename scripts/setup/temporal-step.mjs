import { executableStep } from './executable-step.mjs';
import { temporalCli } from './executables.mjs';
import { temporalOnPath } from './temporal-on-path.mjs';

/** The Temporal CLI with its development server: the machine's own if it is good enough, or ours. */
export async function temporalStep() {
  const own = await temporalOnPath();
  if (own) return { path: own.path, detail: `${own.version}, on PATH` };
  return executableStep(temporalCli);
}
