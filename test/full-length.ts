/** Whether the tests run in full, as in `npm run test:full`: all of them, and at full length. */
export const isFull = process.env.IMORI_TEST_LENGTH === 'full'

/**
 * Returns the number of iterations of a randomised or racing test: `short` in `npm test`, which is enough to find plain
 * errors, and `full` in `npm run test:full`.
 */
export const lengthOf = (short: number, full: number): number => (isFull ? full : short)
