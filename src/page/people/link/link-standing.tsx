import type { VNode } from 'preact';
import type { LinkedState } from '../../api/shapes.js';
import { Text } from '../../text/text.js';
import { Time } from '../../text/time.js';

/** Why a link can't be answered now; of a request that is closed, how it ended is told apart. */
export function LinkStanding({ state }: { state: LinkedState }): VNode | null {
  switch (state.state) {
    case 'open':
      return null;
    case 'closed':
      return (
        <p class="notice">
          <strong>The request is closed.</strong> A link answers once; nothing that is sent by it counts now.
        </p>
      );
    case 'voted':
      return (
        <p class="notice">
          <strong>You have answered.</strong> You said{' '}
          <Text
            text={typeof state.value === 'string' ? state.value : JSON.stringify(state.value)}
            short={300}
          />
          , <Time at={state.at} isAlone />. More people must say the same. A link answers once.
        </p>
      );
    case 'expired':
      return (
        <p class="notice warn">
          <strong>The link has expired.</strong> It held until <Time at={state.at} />. Whoever has a token can
          still look at the request.
        </p>
      );
    case 'changed':
      return (
        <p class="notice warn">
          <strong>Something else is asked now.</strong> The link was made for another text, and nothing is
          decided by it.
        </p>
      );
    case 'not_allowed':
      return (
        <p class="notice warn">
          <strong>You may not answer this any more.</strong> <Text text={state.reason} short={600} />
        </p>
      );
    case 'gone':
      return (
        <p class="notice warn">
          <strong>Nothing is asked here any more.</strong> The run has gone on, or has ended.
        </p>
      );
  }
}
