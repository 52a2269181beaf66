import type { temporal } from '@temporalio/proto';
import type { History } from '../support/histories.js';

type Event = temporal.api.history.v1.IHistoryEvent;
type Payload = temporal.api.common.v1.IPayload;

/** What a history has, one text for each kind of event: `activity predict`, `local file failed`, `signal decide`. */
export function marksOf({ events }: History): Set<string> {
  return new Set((events ?? []).flatMap(marksOfEvent));
}

function marksOfEvent(event: Event): string[] {
  const activity = event.activityTaskScheduledEventAttributes?.activityType?.name;
  const signal = event.workflowExecutionSignaledEventAttributes?.signalName;
  const sent = event.signalExternalWorkflowExecutionInitiatedEventAttributes?.signalName;
  const updated = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.name;
  const marker = event.markerRecordedEventAttributes;
  const marks = [
    ...(activity ? [`activity ${activity}`] : []),
    ...(signal ? [`signal ${signal}`] : []),
    ...(sent ? [`sent ${sent}`] : []),
    ...(updated ? [`update ${updated}`] : []),
    ...(event.timerStartedEventAttributes ? [`timer ${textOf(event.userMetadata?.summary)}`] : []),
    ...(marker ? [markOfMarker(marker)] : []),
  ];
  // The first of these names says what happened: `childWorkflowExecutionFailedEventAttributes`.
  const attributes = Object.keys(event).find((name) => name.endsWith('EventAttributes'));
  return [...marks, ...(attributes === undefined ? [] : [attributes.replace('EventAttributes', '')])];
}

function markOfMarker({
  markerName,
  details,
  failure,
}: temporal.api.history.v1.IMarkerRecordedEventAttributes): string {
  if (markerName !== 'core_local_activity') return `marker ${markerName}`;
  const data = JSON.parse(decoded(details?.['data']?.payloads?.[0])) as { activity_type: string };
  return `local ${data.activity_type}${failure ? ' failed' : ''}`;
}

function textOf(payload: Payload | null | undefined): string {
  return payload ? (JSON.parse(decoded(payload)) as string) : '';
}

function decoded(payload: Payload | undefined): string {
  return new TextDecoder().decode(payload?.data ?? undefined);
}
