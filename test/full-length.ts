/** `npm run test:full` sets it (scripts/test-full.mjs): every test that imports this file then runs at full length. */
const isFull = process.env.IMORI_TEST_LENGTH === 'full'

/**
 * How often a test does what it tries by chance, or lets race: `short` in `npm test`, enough for what is simply wrong, and
 * `full` in `npm run test:full`, which runs each file that imports this one.
 */
export const lengthOf = (short: number, full: number): number => (isFull ? full : short)
