import type { VNode } from 'preact';
import { DeadLetterList } from './dead-letters/dead-letter-list.js';
import { Inbox } from './people/inbox/inbox.js';
import { RequestPlace } from './people/request/request-place.js';
import { RunPlace } from './runs/run-place.js';
import { RunList } from './runs/run-list.js';
import { Heading, usePath } from './shell/navigation.js';
import { readRoute, type Route } from './shell/route.js';
import { SessionContext, useSession, useSignIn } from './shell/session.js';
import { Shell, SignIn } from './shell/shell.js';
import { EventsContext, useNamespaceStream } from './shell/use-list.js';

/** The page: who sits there, and then what they look at. */
export function App(): VNode {
  const signedIn = useSignIn();
  switch (signedIn.state) {
    case 'asking':
      return <p class="loading">Loading …</p>;
    case 'failed':
      return (
        <main class="alone">
          <h1>Tactus</h1>
          <p class="notice bad" role="alert">
            {signedIn.problem}
          </p>
          <button type="button" onClick={signedIn.retry}>
            Try again
          </button>
        </main>
      );
    case 'out':
    case 'in': {
      const { session } = signedIn;
      return (
        <>
          {session !== null && (
            <SessionContext.Provider value={session}>
              <Places key={session.api.namespace} />
            </SessionContext.Provider>
          )}
          {signedIn.state === 'out' && <SignIn signIn={signedIn.signIn} isAgain={session !== null} />}
        </>
      );
    }
  }
}

function Places(): VNode {
  const { api } = useSession();
  const path = usePath();
  const route = readRoute(path);
  const events = useNamespaceStream(api);
  return (
    <EventsContext.Provider value={events}>
      <Shell route={route} live={events.state}>
        <Place key={path} route={route} />
      </Shell>
    </EventsContext.Provider>
  );
}

function Place({ route }: { route: Route }): VNode {
  switch (route.page) {
    case 'inbox':
      return <Inbox />;
    case 'request':
      return <RequestPlace id={route.id} />;
    case 'runs':
      return <RunList />;
    case 'run':
      return <RunPlace id={route.id} />;
    case 'dead-letters':
      return <DeadLetterList />;
    case 'unknown':
      return <Heading>Page not found</Heading>;
  }
}
