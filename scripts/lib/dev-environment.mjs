/**
 * Returns the settings for the server to which Vite forwards requests (scripts/dev.mjs). Browsers open Vite at `port`.
 */
export const devEnvironment = (env, port) => ({
  ...env,
  IMORI_PORT: String(port + 1),
  IMORI_HOST: '127.0.0.1',
  IMORI_URL: env.IMORI_URL || `http://localhost:${port}`,
  // With IMORI_URL set, pages of other origins cannot save. Both names lead to this server, so both are allowed.
  IMORI_ADMIN_ORIGINS: env.IMORI_ADMIN_ORIGINS || `http://localhost:${port},http://127.0.0.1:${port}`,
})
