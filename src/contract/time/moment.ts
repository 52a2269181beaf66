/** A date and a time of ISO 8601 with its zone: without one it would be another moment on every machine. */
const withZone =
  /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d))$/;

/** The moment in ms since 1970; null where the text is none, or isn't on the calendar. */
export function readMoment(text: string): number | null {
  const match = withZone.exec(text);
  const ms = match === null || !isOnCalendar(text) ? NaN : Date.parse(toParseable(text, match));
  return Number.isNaN(ms) ? null : ms;
}

function toParseable(text: string, [, sign, hours, minutes]: RegExpExecArray): string {
  const zone = sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`;
  const clock = text
    .slice(11)
    .replace(/(?:[Zz]|[+-]\d\d:?\d\d)$/, '')
    .replace(',', '.');
  return `${text.slice(0, 10)}T${clock.slice(0, 12)}${zone}`;
}

/** JavaScript takes the 30th of February for the 2nd of March. */
function isOnCalendar(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10));
}
