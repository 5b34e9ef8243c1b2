/**
 * Returns the settings for the server to which Vite forwards requests (scripts/dev.mjs). Browsers open Vite at `port`.
 */
export const devEnvironment = (env, port) => ({
  ...env,
  IMORI_PORT: String(port + 1),
  IMORI_HOST: '127.0.0.1',
  IMORI_URL: env.IMORI_URL || `http://localhost:${port}`,
  // `localhost` and `127.0.0.1` both lead to Vite, so both origins are allowed. With IMORI_URL set, pages of other
  // origins cannot save.
  IMORI_ADMIN_ORIGINS: env.IMORI_ADMIN_ORIGINS || `http://localhost:${port},http://127.0.0.1:${port}`,
})
