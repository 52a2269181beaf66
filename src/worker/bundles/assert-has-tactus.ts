import { readFile } from 'node:fs/promises';
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker';
import { TactusError } from '../../contract/errors.js';
import { workflowType } from '../../contract/names.js';

/** How bundlers write down that a module exports our workflow. */
const exported = new RegExp(
  `\\b${workflowType}["']?:\\s*(\\(\\)|function)|\\bexports\\.${workflowType}\\b|exports, ["']${workflowType}["']`,
);

/**
 * A bundle of somebody's own must have our workflow: without it every run fails its first task, again and again.
 * @throws TactusError usage saying how the bundle is to be made
 */
export async function assertHasTactus(bundle: WorkflowBundleOption): Promise<void> {
  const code = 'code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8');
  if (exported.test(code)) return;
  throw new TactusError(
    'usage',
    `The workflow bundle of this worker exports no ${workflowType}: make it with ${bundleWorkflowCode.name}({ plugins: [plugin], … }), or export ${workflowType} from tactus-temporal/workflow in your workflows`,
  );
}
