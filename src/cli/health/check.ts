/** What `doctor` says of one thing that a run needs. */
export interface Check {
  name: string;
  status: 'ok' | 'warning' | 'broken';
  detail: string;
  /** What to do; null where nothing is. */
  advice: string | null;
}
