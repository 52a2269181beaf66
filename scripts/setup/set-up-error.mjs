/** Something that the set-up can't have, with what a person can do about it. */
export class SetUpError extends Error {
  /**
   * @param {string} message what is missing, and why
   * @param {string} advice what to do
   */
  constructor(message, advice) {
    super(message);
    this.name = 'SetUpError';
    this.advice = advice;
  }
}
