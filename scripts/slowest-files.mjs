/**
 * Lines that name the files of tests that took longest, slowest first, and all files together. Those of a report that names no times are left out.
 * @param {{ testResults: { name: string, startTime?: number, endTime?: number }[] }} report of vitest as JSON
 * @param {{ count: number, root: string }} options
 * @returns {string[]}
 */
export function slowestFiles({ testResults }, { count, root }) {
  const files = testResults
    .map(({ name, startTime = 0, endTime = 0 }) => ({
      name: name.startsWith(`${root}/`) ? name.slice(root.length + 1) : name,
      seconds: (endTime - startTime) / 1000,
    }))
    .filter(({ seconds }) => seconds > 0)
    .sort((a, b) => b.seconds - a.seconds);
  return files.slice(0, count).map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`);
}
