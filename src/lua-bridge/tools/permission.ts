import { TactusError } from '../../contract/errors.js';
import type { HumanAsk } from '../../contract/people/human-request.js';
import { asJson, jsonAs, type JsonValue } from '../../contract/json/json.js';
import { visibleName, type ToolApproval, type ToolRefusal } from '../../contract/tools/outside-tool.js';
import { procedureName } from '../../contract/procedures/source.js';
import { childPosition } from '../../contract/checkpoints/checkpoint.js';
import {
  callDigest,
  judgeCall,
  noPolicy,
  ruleJson,
  stricter,
  type Judgement,
  type ToolPolicy,
  type ToolRule,
} from '../../contract/tools/tool-policy.js';
import { recorded } from '../checkpoints/checkpointed.js';
import {
  askForHost,
  byHost,
  currentFrame,
  mapPart,
  PerRun,
  withdrawnText,
  type Bridge,
  type HostAnswer,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import { effectOf, toolNameOf, type NamedTool } from './tool-declaration.js';

/** What people have said yes to for more than one call, by rule and tool. */
const remembered = new PerRun(() => new Map<string, ToolApproval>(), mapPart('approvals'));

/**
 * Whether a call may be done, by what configuration and the file say: asks a person where they want it.
 * @returns the approval, where one was wanted
 * @throws TactusError tool_denied
 */
export function* permission(
  bridge: Bridge,
  L: LuaState,
  named: NamedTool,
  args: JsonValue,
): Generator<Step, ToolApproval | null, unknown> {
  if (!bridge.holds('outside-tools')) return null;
  const { action, rule } = judge(bridge, named, args, policyOf(bridge));
  if (action === 'allow') return null;
  if (action === 'deny') throw denied(named, 'the policy forbids it');
  return yield* approval(bridge, L, named, args, { rule, reason: null, refused: null });
}

function policyOf({ run }: Bridge): ToolPolicy {
  return run.settings.toolPolicy ?? noPolicy;
}

/** Who must say yes to a call, by what configuration and the file say; empty: nobody must, or anyone may. */
export function approversOf(bridge: Bridge, named: NamedTool, args: JsonValue): readonly string[] {
  const { action, rule } = judge(bridge, named, args, policyOf(bridge));
  return action === 'approve' ? (rule?.approvers ?? []) : [];
}

/** What becomes of a call by this policy and by what the file says of the tool and its toolsets. */
export function judge(bridge: Bridge, named: NamedTool, args: JsonValue, policy: ToolPolicy): Judgement {
  const { approval: ofTool } = named.tool.options;
  const call = { names: namesOf(bridge, named), procedure: procedureName(bridge.run.source), args };
  const rules = [...(ofTool === undefined ? [] : [ofTool]), ...(named.rules ?? [])];
  const ofFile = { default: 'allow' as const, rules };
  return stricter(judgeCall(policy, call), judgeCall(ofFile, call));
}

interface Wanted {
  rule: Judgement['rule'];
  /** Why a worker wants it; null: the run itself does. */
  reason: string | null;
  /** The approval that a worker didn't take. */
  refused: ToolApproval | null;
  /** What the tool is now, where it isn't any more what the run was told. */
  now?: ToolRefusal['now'];
}

/**
 * Asks a person to say yes to exactly this call; one who did so for more than one call isn't asked again.
 * @throws TactusError tool_denied where the answer is no, or there is none in time
 */
export function* approval(
  bridge: Bridge,
  L: LuaState,
  named: NamedTool,
  args: JsonValue,
  wanted: Wanted,
): Generator<Step, ToolApproval, unknown> {
  const { refused, now = null } = wanted;
  const subject = subjectOf(bridge, named);
  // One who has looked at what a tool is now isn't asked at each call.
  const rule = wanted.rule ?? (now === null ? null : { tool: subject, action: 'approve', remember: 'tool' });
  const digest = callDigest(subject, args);
  const remember = rule?.remember;
  const version = asJson(now?.version ?? named.listed?.version ?? null);
  const key = callDigest(remember === 'tool' ? subject : digest, [rule && ruleJson(rule), version]);
  if (remember !== undefined && refused?.remembered === undefined) {
    const known = yield* recall(bridge, L, named, { remember, key });
    if (known !== null) return known;
  }
  const frame = currentFrame(L);
  const request = `${bridge.run.id}/${childPosition(frame.position, frame.next)}`;
  const ask = askOf(bridge, named, args, { ...wanted, rule });
  const answer = yield* askForHost(bridge, 'hitl_approval', ask);
  if (answer.how !== 'decided' || answer.value !== true) throw denied(named, refusalText(answer));
  const given: ToolApproval = {
    request,
    digest,
    by: answer.by,
    expiresAt: rule?.expiresMs === undefined ? null : bridge.now() + rule.expiresMs,
  };
  if (remember !== undefined) remembered.of(bridge).set(key, { ...given, remembered: remember });
  return given;
}

/** In branches it would hang on the order of answers what is remembered: a replay has it as it was. */
function* recall(
  bridge: Bridge,
  L: LuaState,
  { name }: NamedTool,
  { remember, key }: { remember: NonNullable<ToolRule['remember']>; key: string },
): Generator<Step, ToolApproval | null, unknown> {
  const spec = {
    type: 'explicit_checkpoint',
    name: `approval of ${name}`,
    input: { remember },
    digest: key,
  } as const;
  const found = yield* recorded(bridge, L, spec, () => {
    const known = remembered.of(bridge).get(key) ?? null;
    const isOver = known !== null && known.expiresAt !== null && known.expiresAt < bridge.now();
    return isOver ? null : asJson(known);
  });
  return jsonAs<ToolApproval | null>(found);
}

/** Facts of the host alone: nothing that a model has written is in the message. */
function askOf(bridge: Bridge, named: NamedTool, args: JsonValue, { rule, reason, now }: Wanted): HumanAsk {
  const { tool, listed } = named;
  const subject = subjectOf(bridge, named);
  const wish = tool.provided === null ? `Allow this call of ${subject}` : `Allow ${subject} in this turn`;
  const more = rule?.remember === 'tool' ? ', and all later ones in this run' : '';
  return {
    kind: 'approval',
    message: `${wish}${more}?`,
    context: {
      tool: subject,
      arguments: args,
      procedure: procedureName(bridge.run.source),
      ...(listed === null ? {} : { effect: effectOf(tool.options.effect, listed) }),
      ...(reason === null ? {} : { reason }),
      ...(now === undefined ? {} : { description: now.description, parameters: now.parameters }),
    },
    options: [],
    default: false,
    timeoutMs: rule?.timeoutMs ?? null,
    approvers: rule?.approvers ?? [],
    ...byHost(bridge),
  };
}

function refusalText(answer: HostAnswer): string {
  if (answer.how === 'timed_out') return 'nobody said yes in time';
  if (answer.how === 'withdrawn') return withdrawnText(answer);
  const { by, comment } = answer;
  return `${by ?? 'a person'} said no${comment === null || comment === '' ? '' : `: ${comment}`}`;
}

export function denied({ name, tool }: NamedTool, reason: string): TactusError {
  const what = tool.provided === null ? 'was not called' : 'was not given to the model';
  return new TactusError('tool_denied', `${name} ${what}: ${reason}`);
}

/** What an approval is bound to: where the tool lives, whatever a file calls it. */
function subjectOf(bridge: Bridge, named: NamedTool): string {
  return placeOf(named) ?? toolNameOf(bridge, named.tool);
}

/** Those that whoever runs procedures knows: a prefix or a new name in a file changes nothing of them. */
function namesOf(bridge: Bridge, named: NamedTool): string[] {
  const place = placeOf(named);
  if (place !== null) return [place, visibleName(place)];
  const { tool } = named;
  return [toolNameOf(bridge, tool), ...(tool.name === null ? [] : [tool.name])];
}

/** Where it lives outside of the run; null: it doesn't, or is mocked. */
function placeOf({ tool, listed }: NamedTool): string | null {
  return listed?.source ?? tool.provided?.source ?? null;
}
