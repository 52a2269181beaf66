import type { VNode } from 'preact';
import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { askedAgainText } from '../../../contract/changes/asked-again-text.js';
import {
  failureContextOf,
  secondTimeText,
  type FailureContext,
} from '../../../contract/people/failure-context.js';
import type { AskedRequest } from '../../api/shapes.js';
import { Diff } from '../../text/diff.js';
import { Card, Comment, Fact, Json, JsonSource, Text, Time, type CardProps } from '../../text/text.js';
import { artifactText } from './draft.js';

/**
 * What is asked, by the host, the procedure, or an agent outside: in the latter two a model may have written anything. It is shown as text, and obeyed by
 * nothing.
 */
export function RequestContent({ request }: { request: AskedRequest }): VNode {
  const { message, context, metadata = {}, preconditions_before: before } = request;
  const { preconditions, ui_schema, response_schema, expires_at: _expires, ...others } = metadata;
  const failed = failureContextOf(request);
  const parts = partsOf(failed === null ? context : { error: failed.error, code: failed.code });
  return (
    <Card {...headOf(request)}>
      <p class="message">
        <Text text={message} />
      </p>
      {failed !== null && <Failure failed={failed} />}
      {parts.tool !== null && (
        <div class="tool">
          <h3>
            Tool <code>{<Text text={parts.tool} short={200} />}</code>
          </h3>
          <p class="label">Arguments</p>
          <Json value={parts.arguments} />
        </div>
      )}
      {parts.severity !== null && (
        <p>
          <span class={`badge ${parts.severity === 'info' ? '' : 'warn'}`}>
            severity <Text text={parts.severity} short={40} />
          </span>
        </p>
      )}
      <Artifact request={request} type={parts.type} />
      {parts.rest !== null && <Named title="Context" value={parts.rest} />}
      {preconditions !== undefined && <Preconditions now={preconditions} before={before} />}
      {Object.keys(others).length > 0 && <Named title="Metadata" value={others} />}
      <Schema title="The answer must fit this JSON Schema" schema={response_schema} />
      <Schema title="Custom form" schema={ui_schema} />
    </Card>
  );
}

/** Whose question it is, and what that means for whoever reads it. */
function headOf({ by_host: byHost, origin }: AskedRequest): Omit<CardProps, 'children'> {
  if (byHost === true)
    return {
      title: 'Question of the host',
      of: 'host',
      note: 'This is what will be done. A model may have chosen the arguments.',
    };
  const [from, of] = origin === undefined ? ['procedure', 'the procedure'] : ['agent', 'another system'];
  return {
    title: `From the ${from}`,
    of: 'said',
    note: `Text of ${of} and of models. Check it. Instructions in this text are not from this system.`,
  };
}

function Named({ title, value }: { title: string; value: JsonValue }): VNode {
  return (
    <div>
      <h3>{title}</h3>
      <Json value={value} />
    </div>
  );
}

/** What another attempt would do. */
function Failure({
  failed: { repeats, more, second_time: secondTime },
}: {
  failed: FailureContext;
}): VNode | null {
  if (repeats.length === 0) return null;
  return (
    <div>
      {secondTime > 0 && <p class="notice warn">{secondTimeText(secondTime)}.</p>}
      <h3>Another attempt asks again for</h3>
      <ul class="plain">
        {repeats.map((each) => (
          <li key={each.position}>
            <Text text={askedAgainText(each)} short={300} />
          </li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
    </div>
  );
}

function Artifact({ request, type }: { request: AskedRequest; type: string | null }): VNode | null {
  const text = artifactText(request);
  if (text === null) return null;
  return (
    <div>
      <h3>
        Artifact
        {type !== null && (
          <span class="badge">
            <Text text={type} short={60} />
          </span>
        )}
      </h3>
      <pre class="artifact">
        <Text text={text} />
      </pre>
    </div>
  );
}

/** What the decision is bound to; where people are asked anew, what it was before. */
function Preconditions({ now, before }: { now: JsonValue; before: JsonValue | undefined }): VNode {
  return (
    <div>
      <h3>The decision is for</h3>
      {before === undefined ? (
        <Json value={now} />
      ) : (
        <>
          <p class="notice warn">This changed after people answered. Please decide again.</p>
          <Diff before={toText(before)} after={toText(now)} label="What has changed since people answered" />
        </>
      )}
    </div>
  );
}

function Schema({ title, schema }: { title: string; schema: JsonValue | undefined }): VNode | null {
  if (schema === undefined) return null;
  return (
    <details>
      <summary>{title}</summary>
      <JsonSource value={schema} />
    </details>
  );
}

function toText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

interface ContextParts {
  tool: string | null;
  arguments: JsonValue;
  severity: string | null;
  /** Of the artifact. */
  type: string | null;
  rest: JsonValue | null;
}

/** A context as calls of tools, reviews and escalations have it, taken apart; what is left is shown as it is. */
function partsOf(context: JsonValue): ContextParts {
  const none: Omit<ContextParts, 'rest'> = { tool: null, arguments: null, severity: null, type: null };
  if (!isObject(context)) return { ...none, rest: context };
  const rest: JsonObject = { ...context };
  const take = (key: string): JsonValue => {
    const value = Object.hasOwn(rest, key) ? (rest[key] ?? null) : null;
    delete rest[key];
    return value;
  };
  const parts = { ...none };
  if (typeof rest['tool'] === 'string' && 'arguments' in rest) {
    parts.tool = take('tool') as string;
    parts.arguments = take('arguments');
  }
  if (typeof rest['severity'] === 'string') parts.severity = take('severity') as string;
  if ('artifact' in rest) {
    take('artifact');
    const type = take('artifact_type');
    parts.type = typeof type === 'string' ? type : null;
  }
  return { ...parts, rest: Object.keys(rest).length === 0 ? null : rest };
}

/** Who may decide, who has, who is asked next, and who handed it on. */
export function People({ request }: { request: AskedRequest }): VNode {
  const {
    approvers,
    requester,
    quorum,
    votes = [],
    escalation = [],
    delegated = [],
    deliveries = [],
  } = request;
  return (
    <Card title="People">
      <dl class="facts">
        <Fact name="May decide">{approvers.length === 0 ? 'anybody' : <Names names={approvers} />}</Fact>
        {requester !== undefined && (
          <Fact name="Requester">
            <Text text={requester} short={200} /> <span class="muted">(may not decide)</span>
          </Fact>
        )}
        {quorum !== undefined && (
          <Fact name="Answers needed">
            {quorum} people
            <meter min={0} max={quorum} value={Math.min(votes.length, quorum)} aria-label="Number of answers">
              {votes.length} of {quorum}
            </meter>
          </Fact>
        )}
      </dl>
      <Told title="Answers so far">
        {votes.map(({ by, value, comment, at }) => (
          <li key={by}>
            <Text text={by} short={100} />: <strong>{<Text text={spoken(value)} short={300} />}</strong>,{' '}
            <Time at={at} isAlone />
            <Comment text={comment} />
          </li>
        ))}
      </Told>
      <Told title="Also notified">
        {escalation.map(({ to, at, asked }) => (
          <li key={at}>
            <Names names={to} />{' '}
            <span class={asked ? 'badge warn' : 'badge'}>{asked ? 'asked' : 'will be asked'}</span>{' '}
            <Time at={at} isAlone />
          </li>
        ))}
      </Told>
      <Told title="Messages sent">
        {deliveries.map(({ channel, reason, number, status, at, problem }) => (
          <li key={`${channel} ${reason} ${number}`}>
            <Text text={channel} short={100} />{' '}
            <span class={status === 'undelivered' ? 'badge warn' : 'badge'}>{status}</span>{' '}
            <Time at={at} isAlone />
            {problem !== undefined && (
              <p class="muted">
                <Text text={problem} short={300} />
              </p>
            )}
          </li>
        ))}
      </Told>
      <Told title="Delegated">
        {delegated.map(({ by, to, comment, at }) => (
          <li key={at}>
            <Text text={by} short={100} /> to <Text text={to} short={100} />, <Time at={at} isAlone />
            <Comment text={comment} />
          </li>
        ))}
      </Told>
    </Card>
  );
}

/** What people did or were sent, in its order; nothing where there is nothing. */
function Told({ title, children }: { title: string; children: VNode[] }): VNode | null {
  if (children.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ol class="plain">{children}</ol>
    </>
  );
}

function Names({ names }: { names: readonly string[] }): VNode {
  return (
    <span class="names">
      {names.map((name) => (
        <span key={name} class="badge">
          <Text text={name} short={100} />
        </span>
      ))}
    </span>
  );
}

function spoken(value: unknown): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
