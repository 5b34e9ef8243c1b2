/** Set by `npm run test:full` (scripts/test-full.mjs), which runs every test that imports this file at full length. */
const isFull = process.env.IMORI_TEST_LENGTH === 'full'

/**
 * Number of iterations of a randomised or racing test: `short` in `npm test`, enough to find plain errors, and `full`
 * in `npm run test:full`, which runs each file that imports this one.
 */
export const lengthOf = (short: number, full: number): number => (isFull ? full : short)
