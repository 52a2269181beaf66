import type { MetricMeter } from '@temporalio/common';
import type { AnsweredRequest } from '../http/answered.js';

/** Requests that were answered, among the metrics that the SDK's runtime exports. A label has the pattern of a path, and never an id. */
export function requestMeter(meter: MetricMeter): (request: AnsweredRequest, route: string) => void {
  const requests = meter.createCounter('tactus_http_requests', undefined, 'Requests that serve answered');
  const time = meter.createHistogram(
    'tactus_http_request_time',
    'float',
    's',
    'Time to the head of an answer',
  );
  return ({ method, status, ms }, route) => {
    requests.add(1, { method, route, status });
    time.record(ms / 1_000, { method, route });
  };
}
