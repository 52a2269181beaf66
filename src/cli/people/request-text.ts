import { deliveryTexts, originText, respondCommand } from '../../contract/people/request-text.js';
import type { HumanItem, HumanRequest } from '../../contract/people/human-request.js';
import { getOwn, isObject, type JsonValue } from '../../contract/json/json.js';
import { ownCommand } from '../terminal/own-command.js';
import { jsonText } from '../terminal/terminal-text.js';

/** A request as a person reads it; `how` adds the command that answers it. */
export function requestText(request: HumanRequest, options: { how: boolean }): string {
  const { kind, message, context, deadline, hints } = request;
  const lines = [`${kind}: ${hints?.label === undefined ? '' : `${hints.label}: `}${message}`];
  if (context !== null) lines.push(...(kind === 'review' ? reviewLines(context) : contextLines(context)));
  if (request.origin !== undefined) lines.push(`  wanted by ${originText(request.origin)}`);
  if (request.by_host === true) lines.push('  asked by the host: the words above are its own');
  lines.push(...preconditionLines(request), ...formLines(request));
  if (request.approvers.length > 0)
    lines.push(`  to be decided by: ${request.approvers.join(', ')} (--as NAME)`);
  lines.push(...policyLines(request));
  if (deadline !== null) lines.push(`  until ${deadline}, then ${endText(request)}`);
  lines.push(...deliveryTexts(request.deliveries).map((line) => `  told by ${line}`));
  if (options.how) lines.push(`  ${ownCommand(respondCommand(request))}`);
  return lines.join('\n');
}

/** How many must agree, who has, who may not, and who is asked next. */
function policyLines({
  quorum,
  votes = [],
  requester,
  escalation = [],
  delegated = [],
}: HumanRequest): string[] {
  const said = votes.map(({ by, value }) => `${by} says ${jsonText(value)}`);
  return [
    ...(quorum === undefined ? [] : [`  ${[`${quorum} people must agree`, ...said].join('; ')}`]),
    ...(requester === undefined ? [] : [`  asked by ${requester}, who may not decide`]),
    ...delegated.map(({ by, to }) => `  ${by} has handed it to ${to}`),
    ...escalation.map(
      ({ to, at, asked }) =>
        `  ${asked ? 'asked besides since' : 'then asked, from'} ${at}: ${to.join(', ')}`,
    ),
  ];
}

function endText({ on_timeout: onTimeout, default: byDefault }: HumanRequest): string {
  return onTimeout === 'error' ? 'an error' : jsonText(byDefault);
}

function contextLines(context: JsonValue): string[] {
  const text = typeof context === 'string' ? context : jsonText(context, 2);
  return indented(text);
}

/** What is reviewed: a text as it is, line by line. */
function reviewLines(context: JsonValue): string[] {
  const artifact = isObject(context) ? getOwn(context, 'artifact') : undefined;
  if (!isObject(context) || typeof artifact !== 'string') return contextLines(context);
  const { artifact: _, artifact_type: type = null, ...others } = context;
  const heading = typeof type === 'string' ? `artifact (${type}):` : 'artifact:';
  const more = Object.keys(others).length === 0 ? [] : contextLines(others['context'] ?? others);
  return [`  ${heading}`, ...indented(artifact).map((line) => `  ${line}`), ...more];
}

function indented(text: string): string[] {
  return text.split(/\r?\n/).map((line) => `  ${line}`);
}

/** What the decision is bound to. */
function preconditionLines({ metadata, preconditions_before: before }: HumanRequest): string[] {
  const preconditions = metadata?.['preconditions'];
  return [
    ...(preconditions === undefined ? [] : [`  as long as this holds: ${jsonText(preconditions)}`]),
    ...(before === undefined ? [] : [`  asked anew: it was ${jsonText(before)} when you were asked before`]),
  ];
}

/** What may be answered. */
function formLines({ options, form }: Pick<HumanRequest, 'options' | 'form'>): string[] {
  if (form?.type === 'items') return form.items.flatMap(itemLines);
  if (form?.type === 'upload') {
    const { accept, max_size: maxSize, multiple } = form;
    const kinds = accept.length === 0 ? '' : ` of ${accept.join(', ')}`;
    const size = maxSize === null ? '' : `, at most ${maxSize} bytes each`;
    return [`  ${multiple ? 'files' : 'a file'}${kinds}${size}`];
  }
  if (options.length === 0) return [];
  const names = form?.type === 'select' ? form.choices.map(choiceText) : options.map(String);
  return [`  ${howMany(form)}: ${names.join(', ')}`];
}

function howMany(form: HumanRequest['form']): string {
  if (form?.type !== 'select' || !form.multiple) return 'one of';
  return form.max === null ? `at least ${form.min} of` : `${form.min} to ${form.max} of`;
}

function choiceText({
  value,
  label,
  description,
}: {
  value: unknown;
  label: string;
  description?: string;
}): string {
  const name = String(value) === label ? label : `${String(value)} (${label})`;
  return description === undefined ? name : `${name}: ${description}`;
}

function itemLines(item: HumanItem): string[] {
  const optional = item.required ? '' : ' (may be left out)';
  const lines = formLines(item).map((line) => `  ${line}`);
  return [`  ${item.id} · ${item.kind}: ${item.message}${optional}`, ...lines];
}
