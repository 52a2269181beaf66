import { describe, expect, it } from 'vitest';
import { aheadOfHistory } from '../../../../src/workflows/interceptors.js';

type Interceptor = Required<ReturnType<typeof aheadOfHistory>>;
type Activation = Parameters<Interceptor['activate']>[0]['activation'];
type Commands = Parameters<Interceptor['concludeActivation']>[0]['commands'];

const timer: Commands = [{ startTimer: {} }];
const signal: Activation['jobs'] = [{ signalWorkflow: {} }];

/** Activations one after the other, each with what it commands. */
function watch(): (activation: Activation, commands?: Commands) => void {
  const interceptor = aheadOfHistory() as Interceptor;
  return (activation, commands = []) => {
    interceptor.activate(
      { activation: { ...{ jobs: signal }, ...activation } as Activation, batchIndex: 0 },
      () => undefined,
    );
    interceptor.concludeActivation({ commands }, (input) => input);
  };
}

describe('a run whose task', () => {
  it('was recorded goes on', () => {
    const activate = watch();
    activate({ historyLength: 10 }, timer);
    // Ended, a timer, a signal, the next task.
    activate({ historyLength: 15 }, timer);
    // What belongs to the same task comes in several activations.
    activate({ historyLength: 15 }, timer);
    activate({ historyLength: 21 });
    activate({ historyLength: 25 });
  });

  it('was lost begins anew, which is no reason to do it again', () => {
    const activate = watch();
    activate({ historyLength: 10 }, timer);
    // Given up, a signal, the next task.
    expect(() => activate({ historyLength: 14 })).toThrow('ahead of its history');
    // What history has is replayed then.
    const again = watch();
    again({ historyLength: 10, isReplaying: true }, timer);
    again({ historyLength: 14 }, timer);
    again({ historyLength: 19 });
  });

  it('only asked, or cancelled what it had begun, is not missed', () => {
    const activate = watch();
    activate({ historyLength: 10 }, [{ startTimer: {} }, { cancelTimer: {} }]);
    activate({ historyLength: 10, isReplaying: true, jobs: [{ queryWorkflow: {} }] });
    activate({ historyLength: 14 }, [{ updateResponse: { rejected: {} } }, { respondToQuery: {} }]);
    activate({ historyLength: 18 });
  });

  it('left no trace, for what it was for was refused, is not missed', () => {
    const activate = watch();
    activate({ historyLength: 10 }, [{ updateResponse: { rejected: {} } }]);
    activate({ historyLength: 11 }, timer);
  });
});
