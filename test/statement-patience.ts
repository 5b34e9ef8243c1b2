/**
 * Factor of the statement timeouts in tests. Statements take longer if other test files run at the same time, and on
 * slow machines.
 */
export const statementTimeoutFactor = 3 * Number(process.env.IMORI_TEST_PATIENCE ?? 1)
