/**
 * The Node.js flags of the server (docs/decisions/0076); repeated in package.json, the Dockerfile and the systemd unit,
 * which cannot import this.
 */
export const serverFlags = ['--max-old-space-size=1536']
