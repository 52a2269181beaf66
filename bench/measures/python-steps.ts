import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { JsonValue } from '../../dist/contract/json/json.js';
import type { Stage } from '../stage.ts';
import { benchPython, benchScript } from './bench-python.ts';
import type { BesideLibrary } from './model-host.ts';
import { measureSteps } from './model-steps.ts';

interface PythonSubject {
  name: string;
  path: string;
  rows: JsonValue[];
}

export interface PythonSteps {
  name: string;
  one: BesideLibrary;
  thousand: BesideLibrary;
}

/**
 * Whole steps with models of scikit-learn, through the worker in Python, beside an activity by hand in Python that asks the library.
 * @throws Error where the set-up for tests (`npm test`) hasn't got scikit-learn
 */
export async function measurePythonSteps(
  stage: Stage,
  folder: string,
  rounds: number,
): Promise<PythonSteps[]> {
  const found = benchPython('pythonPackages', 'pythonModels');
  if (found === null) throw new Error('scikit-learn is missing: `npm test` fetches it');
  const [here, byHand] = ['bench-python-here', 'bench-python-by-hand'];
  const args = [benchScript('sklearn_steps.py'), stage.env.address, folder, here, byHand];
  const workers = spawn(found.python, args, { env: found.env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    // It tells what it has in one line, and works from then on.
    const [line] = (await once(createInterface(workers.stdout), 'line')) as [string];
    const measured: PythonSteps[] = [];
    for (const { name, path, rows } of JSON.parse(line) as PythonSubject[]) {
      const model = {
        declaration: `{ type = "sklearn", path = "${path}", trusted = true, task_queue = "${here}" }`,
        byHand: { model: path, taskQueue: byHand },
      };
      const one = await measureSteps(stage, folder, model, rows.slice(0, 1), rounds);
      const thousand = await measureSteps(stage, folder, model, rows, Math.max(6, rounds / 10));
      measured.push({ name, one, thousand });
    }
    return measured;
  } finally {
    workers.kill();
  }
}
