/** The settings of the server behind Vite (scripts/dev.mjs), which browsers open at `port`. */
export const devEnvironment = (env, port) => ({
  ...env,
  IMORI_PORT: String(port + 1),
  IMORI_HOST: '127.0.0.1',
  IMORI_URL: env.IMORI_URL || `http://localhost:${port}`,
  // With IMORI_URL set, pages of other origins cannot save anything, and both names lead to this server.
  IMORI_ADMIN_ORIGINS: env.IMORI_ADMIN_ORIGINS || `http://localhost:${port},http://127.0.0.1:${port}`,
})
