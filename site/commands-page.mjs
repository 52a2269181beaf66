/** The page of all commands, from what `tactus-temporal help --json` says of them. */

/** @param {import('../src/cli/terminal/help-command.ts').CommandHelp} help @returns {string} Markdown */
export function commandsPage(help) {
  return [
    '# All commands',
    'Each command with its arguments and flags, as `tactus-temporal help` shows them. [The command line](docs/command-line.md) explains them.',
    '## Flags of all commands',
    flags(help.options),
    ...help.commands.flatMap((command) => commandText(command, 2)),
  ].join('\n\n');
}

/** @param {import('../src/cli/terminal/help-command.ts').CommandHelp} command @param {number} level @returns {string[]} */
function commandText(command, level) {
  return [
    `${'#'.repeat(level)} ${command.name}`,
    `${sentence(command.description)}`,
    ...(command.commands.length > 0 ? [] : ['```sh\n' + `tactus-temporal ${command.usage}` + '\n```']),
    ...(command.arguments.length > 0 ? [argumentsTable(command.arguments)] : []),
    ...(command.options.length > 0 ? [flags(command.options)] : []),
    ...command.commands.flatMap((part) => commandText(part, level + 1)),
  ];
}

/** @param {import('../src/cli/terminal/help-command.ts').CommandHelp['arguments']} list */
function argumentsTable(list) {
  const rows = list.map(({ name, description, required }) => [
    `\`${name}\``,
    `${cell(description)}${required ? '' : ' (optional)'}`,
  ]);
  return table(['argument', 'what it is'], rows);
}

/** @param {import('../src/cli/terminal/help-command.ts').CommandHelp['options']} list */
function flags(list) {
  const rows = list.map((option) => {
    const standard = option.default === undefined ? '' : ` (default: \`${JSON.stringify(option.default)}\`)`;
    const choices = option.choices === undefined ? '' : `: ${option.choices.join(', ')}`;
    return [`\`${option.flags.replaceAll('|', '\\|')}\``, `${cell(option.description)}${choices}${standard}`];
  });
  return table(['flag', 'what it does'], rows);
}

/** @param {string[]} head @param {string[][]} rows */
function table(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

/** @param {string} text */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${cell(text.slice(1))}.`;
