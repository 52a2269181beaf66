import { Context } from '@temporalio/activity';
import type { ListToolsInput } from '../../contract/activities.js';
import type { ToolListing } from '../../contract/tools/outside-tool.js';
import type { Tries } from '../../contract/retries/retry-policy.js';
import type { ActivityDeps } from '../activity-deps.js';
import { assertResultFits, atEdge, ownAttempt } from '../retries/failures.js';
import { withHeartbeat } from '../retries/heartbeat.js';
import { secretsOf } from '../secrets/secrets.js';
import { ToolFailed, type ToolHost } from './tool-host.js';
import { listFrom } from './tool-hosts.js';

/**
 * What tools there are under these names. One that is missing is told with the reason, and fails nothing: perhaps it is
 * never called.
 * @throws ApplicationFailure of type tool_failed, payload_too_large
 */
export async function listTools(
  deps: ActivityDeps,
  hosts: readonly ToolHost[],
  { sources, tries }: ListToolsInput,
): Promise<ToolListing> {
  const secrets = (): string[] => secretsOf(deps.env);
  return atEdge({ code: 'tool_failed', subject: 'The list of tools', secrets, tries }, () =>
    withHeartbeat(async () => {
      const listed = await Promise.all(
        sources.map(async (source) => [source, await listingOf(hosts, source, tries)] as const),
      );
      return assertResultFits<ToolListing>(Object.fromEntries(listed), 'The list of tools');
    }),
  );
}

async function listingOf(
  hosts: readonly ToolHost[],
  source: string,
  tries: Tries,
): Promise<ToolListing[string]> {
  const { cancellationSignal } = Context.current();
  try {
    const tools = await listFrom(hosts, source, cancellationSignal);
    return tools === null ? { problem: nobodyHas(source) } : { tools };
  } catch (error) {
    // What may go better the next time is tried again, but not for ever: others are asked for as well.
    if (!(error instanceof ToolFailed) && ownAttempt() < tries.attempts) throw error;
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function nobodyHas(source: string): string {
  const [kind = ''] = source.split('.', 1);
  if (kind === 'plugin' || kind === 'cli')
    return `tools of ${kind === 'cli' ? 'the command line' : 'Python plugins'} aren't called here: give the worker a tool of its own, or an MCP server`;
  return `the worker has no tool and no server of tools called ${source}`;
}
