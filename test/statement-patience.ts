/** Factor of the statement timeouts in tests: statements take longer next to other test files and on slow machines. */
export const statementTimeoutFactor = 3 * Number(process.env.IMORI_TEST_PATIENCE ?? 1)
