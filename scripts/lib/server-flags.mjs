/**
 * What Node.js is started with where it runs the server (docs/decisions/0076): also in package.json, the Dockerfile and the unit of
 * systemd, which cannot import this.
 */
export const serverFlags = ['--max-old-space-size=1536']
