/**
 * Returns the `spaceUid` with which newt-client-js requests this server. The client builds its URLs as
 * `https://{spaceUid}.cdn.newt.so`.
 */
export const siteSpaceUid = (origin: string, space: string): string => `${new URL(origin).host}/${space}`

/** Returns the configuration that `next/image` needs for the pictures' new location. */
export function imagePatterns(origin: string, space: string): string {
  const { protocol, hostname, port } = new URL(origin)
  return [
    '// next.config.js',
    'images: {',
    '  remotePatterns: [',
    '    {',
    `      protocol: '${protocol.slice(0, -1)}',`,
    `      hostname: '${hostname}',`,
    ...(port ? [`      port: '${port}',`] : []),
    `      pathname: '/${space}.assets/v1/**',`,
    '    },',
    '  ],',
    '},',
  ].join('\n')
}
