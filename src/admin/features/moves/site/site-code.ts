/** The `spaceUid` that makes newt-client-js, which requests `https://{spaceUid}.cdn.newt.so`, request this server. */
export const siteSpaceUid = (origin: string, space: string): string => `${new URL(origin).host}/${space}`

/** The configuration that `next/image` needs for the pictures' new location. */
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
