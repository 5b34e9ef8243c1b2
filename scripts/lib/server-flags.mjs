/**
 * The Node.js flags of the server (docs/decisions/0076). package.json, the Dockerfile and the systemd unit repeat them,
 * because they cannot import this file.
 */
export const serverFlags = ['--max-old-space-size=1536']
