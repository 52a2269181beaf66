import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import proto from '@temporalio/proto';
import { setTimeout as delay } from 'node:timers/promises';
import { TactusError } from '../../contract/errors.js';
import { grpcErrorOf, ifThere } from '../runs/run-errors.js';
import { toIso } from '../server/server-calls.js';

/** A version of a Worker Deployment, as the server knows it. */
export interface DeploymentVersion {
  build_id: string;
  /** When it was the current one last; ISO 8601, UTC; null: never, or it is now. */
  last_current: string | null;
}

/** A Worker Deployment: who is given runs. */
export interface WorkerDeployment {
  name: string;
  /** The version that runs go to; null: none, so that workers without a version are given them. */
  current: string | null;
  /** The version that a share of runs goes to; null: none. */
  ramping: { build_id: string; percentage: number } | null;
  versions: DeploymentVersion[];
  /** The server has yet to tell all task queues who is given runs. */
  isSpreading: boolean;
  /** What the server wants to see again: nobody else has changed it meanwhile. */
  token: Uint8Array;
}

const { RoutingConfigUpdateState: states, TaskQueueType: queueTypes } = proto.temporal.api.enums.v1;
const lookEveryMs = 100;
/** An order counts from when it is given; whoever looks for its effect waits for so long. */
const spreadMs = 30_000;

/** null: no worker of it has ever been there. */
export async function readDeployment(client: Client, name: string): Promise<WorkerDeployment | null> {
  const { namespace } = client.options;
  const answer = await client.workflowService
    .describeWorkerDeployment({ namespace, deploymentName: name })
    .catch(ifThere);
  const info = answer?.workerDeploymentInfo;
  if (answer === null || info == null) return null;
  const { routingConfig: routing } = info;
  const ramping = routing?.rampingDeploymentVersion?.buildId;
  return {
    name,
    current: routing?.currentDeploymentVersion?.buildId ?? null,
    ramping:
      ramping == null ? null : { build_id: ramping, percentage: routing?.rampingVersionPercentage ?? 0 },
    versions: (info.versionSummaries ?? []).map(toVersion),
    isSpreading: info.routingConfigUpdateState === states.ROUTING_CONFIG_UPDATE_STATE_IN_PROGRESS,
    token: answer.conflictToken ?? new Uint8Array(),
  };
}

function toVersion(
  summary: temporal.api.deployment.v1.WorkerDeploymentInfo.IWorkerDeploymentVersionSummary,
): DeploymentVersion {
  return {
    build_id: summary.deploymentVersion?.buildId ?? '',
    last_current: toIso(summary.lastCurrentTime),
  };
}

/** The task queues whose workflows a version serves; none where it has no worker yet. */
export async function queuesOfVersion(
  client: Client,
  deploymentName: string,
  buildId: string,
): Promise<string[]> {
  const { namespace } = client.options;
  const answer = await client.workflowService
    .describeWorkerDeploymentVersion({ namespace, deploymentVersion: { deploymentName, buildId } })
    .catch(ifThere);
  return (answer?.versionTaskQueues ?? []).flatMap(({ name, type }) =>
    type === queueTypes.TASK_QUEUE_TYPE_WORKFLOW && name != null ? [name] : [],
  );
}

/**
 * Gives a version a share of the runs, in per cent; 100 makes it the current one, and 0 takes its share away. When it returns, task queues know.
 * @throws TactusError change_refused where the server refuses it, as where the version lacks a task queue of the current one
 */
export async function routeRuns(
  client: Client,
  { name, token }: Pick<WorkerDeployment, 'name' | 'token'>,
  buildId: string,
  percentage: number,
): Promise<void> {
  const { namespace, identity } = client.options;
  const order = { namespace, deploymentName: name, conflictToken: token, identity };
  try {
    if (percentage === 100)
      await client.workflowService.setWorkerDeploymentCurrentVersion({ ...order, buildId });
    else
      await client.workflowService.setWorkerDeploymentRampingVersion({
        ...order,
        buildId: percentage === 0 ? '' : buildId,
        percentage,
      });
    const end = Date.now() + spreadMs;
    while ((await readDeployment(client, name))?.isSpreading === true && Date.now() < end)
      await delay(lookEveryMs);
  } catch (error) {
    const refused = grpcErrorOf(error);
    if (refused === null || !refusals.includes(refused.code)) throw error;
    throw new TactusError(
      'change_refused',
      `The server doesn't give the version ${buildId} of ${name} runs: ${refused.details}`,
    );
  }
}

/** gRPC's INVALID_ARGUMENT, FAILED_PRECONDITION and ABORTED. */
const refusals: readonly number[] = [3, 9, 10];
