import type { VNode } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { kindNames, type AskedRequest, type LinkedState, type SentFile } from '../../api/shapes.js';
import { Api, askServer, fileInit, filePath, jsonInit, messageOf, verdictOf } from '../../api/api.js';
import { ClosedRequestView, VerdictNotice } from '../request/request-outcome.js';
import { RequestColumns } from '../request/request-columns.js';
import { useDecision } from '../request/use-decision.js';
import { useOpened } from '../request/use-request.js';
import { Heading, useTitle } from '../../shell/navigation.js';
import { SessionContext, type Session } from '../../shell/session.js';
import { Notice, Text, Time } from '../../text/text.js';
import type { Verdict } from '../../../contract/people/decision.js';

/** Where a link of a message leads: one request, and the form by which one person answers it, once. */
export function LinkPlace(): VNode {
  const token = useHash();
  return (
    <>
      <header class="top">
        <div class="top-inner">
          <span class="brand">
            <span class="brand-mark" aria-hidden="true" />
            Tactus
          </span>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {token === '' ? <Cut /> : <Linked key={token} token={token} />}
      </main>
    </>
  );
}

/** What stands behind `#`: another link that is opened in the same place loads nothing anew. */
function useHash(): string {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = (): void => setHash(location.hash);
    window.addEventListener('hashchange', update);
    return () => window.removeEventListener('hashchange', update);
  }, []);
  return hash.slice(1);
}

function Cut(): VNode {
  useTitle('A link');
  return (
    <>
      <Heading>This link is incomplete</Heading>
      <p>Its end is missing. Open it from the message again, or copy all of it.</p>
    </>
  );
}

function Linked({ token }: { token: string }): VNode {
  const api = useMemo(() => new LinkApi(token), [token]);
  const opened = useLink(api);
  const { state, shown, problem, read } = opened;
  useTitle(shown === null ? 'A link' : kindNames[shown.kind]);
  return (
    <>
      {problem !== null && (
        <>
          {shown === null && <Heading>This link can’t be answered</Heading>}
          <div class="notice bad" role="alert">
            <p>{problem}</p>
            <button type="button" onClick={() => void read()}>
              Try again
            </button>
          </div>
        </>
      )}
      {state === null && problem === null && <p class="loading">Loading …</p>}
      {state !== null && (
        <SessionContext.Provider value={sessionOf(api, state)}>
          {shown === null ? <Unanswerable opened={opened} /> : <Answerable opened={opened} shown={shown} />}
        </SessionContext.Provider>
      )}
    </>
  );
}

/** Who came by the link: they may answer, and do nothing else. */
function sessionOf(api: LinkApi, { approver, expires_at }: NonNullable<OpenedLink['state']>): Session {
  return {
    me: {
      ...{ name: approver, groups: [], roles: ['decide'], namespaces: [] },
      ...{ authentication: [], until: expires_at },
    },
    ...{ api, name: approver, isLink: true },
    ...{ claimName: () => undefined, chooseNamespace: () => undefined, signOut: () => Promise.resolve() },
  };
}

function Unanswerable({ opened: { state } }: { opened: OpenedLink }): VNode {
  return (
    <>
      <Heading>This link can’t be answered any more</Heading>
      {state !== null && <LinkStanding state={state} />}
      {state?.state === 'closed' && <ClosedRequestView request={state.request} />}
    </>
  );
}

/** A request that was open when the link was. What was typed stays, whatever becomes of it. */
function Answerable({ opened, shown }: { opened: OpenedLink; shown: AskedRequest }): VNode {
  const { state, read } = opened;
  const deciding = useDecision(shown);
  const newest = state?.state === 'open' ? state.request : shown;
  const closed = state?.state === 'closed' ? state.request : null;
  return (
    <>
      <div class="head">
        <Heading>
          <span class={`kind ${newest.kind}`}>{kindNames[newest.kind]}</span>{' '}
          <Text text={newest.procedure} short={80} />
        </Heading>
        {state !== null && (
          <p class="muted head-facts">
            <span>
              You answer as <Text text={state.approver} short={80} />, once
            </span>
            <span>
              this link holds until <Time at={state.expires_at} />
            </span>
          </p>
        )}
      </div>
      <div class="notices" aria-live="polite">
        <VerdictNotice deciding={deciding} closed={closed} />
        {state !== null && state.state !== 'open' && <LinkStanding state={state} />}
      </div>
      <RequestColumns
        request={newest}
        closed={closed}
        isDisabled={state?.state !== 'open'}
        deciding={deciding}
        onDecided={() => void read()}
      />
    </>
  );
}

/** Why a link can't be answered now; of a request that is closed, how it ended is told apart. */
function LinkStanding({ state }: { state: LinkedState }): VNode | null {
  switch (state.state) {
    case 'open':
      return null;
    case 'closed':
      return (
        <Notice title="The request is closed.">
          A link answers once; nothing that is sent by it counts now.
        </Notice>
      );
    case 'voted':
      return (
        <Notice title="You already answered.">
          You said{' '}
          <Text
            text={typeof state.value === 'string' ? state.value : JSON.stringify(state.value)}
            short={300}
          />
          , <Time at={state.at} isAlone />. More people must say the same. A link answers once.
        </Notice>
      );
    case 'expired':
      return (
        <Notice tone="warn" title="The link has expired.">
          It was valid until <Time at={state.at} />. Whoever has a token can still look at the request.
        </Notice>
      );
    case 'changed':
      return (
        <Notice tone="warn" title="The request has changed.">
          The link was made for another text, and nothing is decided by it.
        </Notice>
      );
    case 'not_allowed':
      return (
        <Notice tone="warn" title="You are no longer allowed to answer this.">
          <Text text={state.reason} short={600} />
        </Notice>
      );
    case 'gone':
      return (
        <Notice tone="warn" title="This request no longer exists.">
          The run has gone on, or has ended.
        </Notice>
      );
  }
}

/** The part of the HTTP API that a link leads to. Its token goes with a header, and never into an address. */
class LinkApi extends Api {
  constructor(private readonly token: string) {
    super('', () => undefined);
  }

  /** @throws ApiError */
  async read(): Promise<LinkedState> {
    return (await askServer('/link', this.signed({}))) as LinkedState;
  }

  /** Digest and name stand in the link. */
  override decide(_request: string, _verb: 'decide', body: object): Promise<Verdict> {
    const { digest: _digest, ...answer } = body as { digest?: string };
    return verdictOf('/api/v1/link/decide', this.signed(jsonInit(answer)));
  }

  override async upload(file: File): Promise<SentFile> {
    return (await askServer(`/link${filePath(file)}`, this.signed(fileInit(file)))) as SentFile;
  }

  private signed(init: RequestInit): RequestInit {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Link ${this.token}` };
    return { ...init, headers, cache: 'no-store', credentials: 'omit' };
  }
}

interface OpenedLink {
  /** As it stands; null: not read yet. */
  state: LinkedState | null;
  /** The request as it was when the link was opened; null: it could not be answered then. */
  shown: AskedRequest | null;
  problem: string | null;
  read: () => Promise<void>;
}

const isGone = (found: LinkedState | Error): boolean => !(found instanceof Error) && found.state === 'gone';

/** What a link leads to: read when it is opened, when somebody comes back to it, and when it was answered. */
function useLink(api: LinkApi): OpenedLink {
  const look = useCallback(() => api.read(), [api]);
  const { state, shown, problem, read } = useOpened<LinkedState>(look, isGone);
  useEffect(() => {
    const again = (): void => {
      if (document.visibilityState === 'visible') void read();
    };
    document.addEventListener('visibilitychange', again);
    return () => document.removeEventListener('visibilitychange', again);
  }, [read]);
  return { state, shown, problem: problem === null ? null : messageOf(problem), read };
}
