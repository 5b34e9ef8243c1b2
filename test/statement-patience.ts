/** Multiplies the statement timeouts in tests: statements take longer next to those of other files and on slow machines. */
export const statementPatience = 3 * Number(process.env.IMORI_TEST_PATIENCE ?? 1)
