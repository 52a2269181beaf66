import { Command } from 'commander';
import { visibleName, type ListedTool } from '../../contract/tools/outside-tool.js';
import { judgeCall, noPolicy, type ToolPolicy } from '../../contract/tools/tool-policy.js';
import { act, exitCodes, type Paint } from '../command.js';
import { configure } from '../configure.js';

/** `tools`: what a worker that is started here has of tools. */
export function toolsCommand(): Command {
  return new Command('tools')
    .description(
      'list the tools of a worker in this folder: those of its modules and of its MCP servers, which it starts',
    )
    .action(
      act(async ({ screen }) => {
        const { tools: configured } = await configure(null, {}, screen);
        // Loads packages of servers and models: only who asks for it waits for that.
        const { listWorkerTools } = await import('../../worker/tools/configured-tools.js');
        const place = { folder: process.cwd(), env: process.env };
        const { tools, problems } = await listWorkerTools(configured, place);
        const shown = tools.map((tool) => ({ ...tool, policy: rulesFor(configured.toolPolicy, tool) }));
        screen.answer({ tools: shown, problems }, () =>
          [
            ...shown.map((tool) => toolText(tool, screen.paint)),
            ...problems.map(({ source, problem }) => `${screen.paint.red(source)}  ${problem}`),
            ...(shown.length + problems.length > 0
              ? []
              : ['none: name modules (tool_modules) or servers (mcp_servers) in .tactus/config.yml']),
          ].join('\n'),
        );
        return problems.length === 0 ? exitCodes.done : exitCodes.failed;
      }),
    );
}

/** What the policy says of calls without arguments, where no rule speaks of those; and whether one does. */
function rulesFor(policy: ToolPolicy = noPolicy, { source }: ListedTool): string {
  const names = [source, visibleName(source)];
  const speaking = policy.rules.filter(
    (rule) =>
      judgeCall(
        { default: 'allow', rules: [{ ...rule, when: {}, procedure: '*' }] },
        { names, procedure: '', args: {} },
      ).rule !== null,
  );
  const always = speaking.filter(({ when, procedure }) => when === undefined && procedure === undefined);
  const { action } = judgeCall({ ...policy, rules: always }, { names, procedure: '', args: {} });
  return speaking.length > always.length ? `${action}, and by arguments or procedure` : action;
}

function toolText(
  { source, effect, policy, description }: ListedTool & { policy: string },
  paint: Paint,
): string {
  const [line = ''] = description.split('\n');
  const rest = policy === 'allow' ? '' : ` · ${policy}`;
  return `${paint.bold(source)}  ${effect}${rest}  ${paint.dim(line)}`;
}
