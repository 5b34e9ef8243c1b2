/** The `spaceUid` with which newt-client-js, which asks `https://{spaceUid}.cdn.newt.so`, asks us. */
export const siteSpaceUid = (origin: string, space: string): string => `${new URL(origin).host}/${space}`

/** What `next/image` must be told of where pictures lie now. */
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
