import { defineSignal, log, setHandler } from '@temporalio/workflow';
import {
  maxSteeringBytes,
  readSteering,
  steerSignal,
  type Steering,
  type SteeringTaken,
} from '../../contract/agents/steer-effect.js';
import { asJson, defined, jsonSize, type JsonValue } from '../../contract/json/json.js';
import type { EffectState, OpenEffect, RunContext } from '../effects/effect-kind.js';
import type { Sequence } from '../sequence.js';

/** What people say to agents, in the order in which it came, until an agent takes it. */
export class SteeringQueue implements EffectState {
  private answers: { opened: OpenEffect; agent: string }[] = [];

  constructor(
    sequence: Sequence,
    private said: Steering[],
  ) {
    setHandler(
      defineSignal<[unknown]>(steerSignal),
      (given) => {
        const steering = readSteering(given);
        if (steering === null) log.warn('A signal says nothing to an agent and was ignored');
        else sequence.add(() => this.add(steering), { lasts: true });
      },
      { description: 'Says something to an agent at work: {message, agent?, interrupt?, by?}' },
    );
  }

  /** A model is at an answer that a message may break off. */
  watch(opened: OpenEffect, agent: string): void {
    this.answers = this.answers.filter((each) => each.opened.isOpen);
    this.answers.push({ opened, agent });
  }

  /** What no agent has taken, the oldest first. */
  get unheard(): readonly Steering[] {
    return this.said;
  }

  isFor(agent: string): boolean {
    return this.said.some((each) => isTo(each, agent));
  }

  take(agent: string): SteeringTaken {
    const taken = this.said.filter((each) => isTo(each, agent));
    this.said = this.said.filter((each) => !isTo(each, agent));
    return { messages: taken.map(({ message, by }) => ({ message, ...defined({ by }) })) };
  }

  handOver(): JsonValue | null {
    return this.said.length === 0 ? null : asJson(this.said);
  }

  private add(steering: Steering): void {
    const bytes = jsonSize([...this.said, steering]);
    if (bytes > maxSteeringBytes) {
      log.warn('What was said to an agent was dropped: too much is kept that none has taken', {
        agent: steering.agent ?? null,
      });
      return;
    }
    const answer = steering.interrupt === true ? this.answerOf(steering) : undefined;
    this.said.push(answer === undefined ? steering : { ...steering, agent: answer.agent });
    answer?.opened.end({ ok: false, code: 'interrupted', message: 'A message broke the answer off' });
  }

  /** The oldest answer that is being made. */
  private answerOf(steering: Steering): { opened: OpenEffect; agent: string } | undefined {
    return this.answers.find(({ opened, agent }) => opened.isOpen && isTo(steering, agent));
  }
}

function isTo(steering: Steering, agent: string): boolean {
  return steering.agent === undefined || steering.agent === agent;
}

export function steeringOf({ kept }: RunContext): SteeringQueue {
  return kept.get('steer') as SteeringQueue;
}
