// The allowed imports, as described in ARCHITECTURE.md. `npm run borders` writes biome-borders.json from this table.
// Add a new folder of the server to `serverRooms`: other folders may then import from it only if a line here allows it.

/** The folders of the server except `lib`, which every folder of the server may import. */
const serverRooms = [
  'access',
  'content',
  'db',
  'delivery',
  'features',
  'http',
  'images',
  'jobs',
  'mail',
  'mailing',
  'storage',
]

const http = ['fastify', '@fastify/*']

/** Returns patterns for all folders of the server except these. */
const allServerRoomsBut = (...allowed) =>
  serverRooms.filter((room) => !allowed.includes(room)).map((room) => `#server/${room}/**`)

const ours = ['#admin/**', '#rescue/**', '#archive/**', '#moving/**']
const servicesOnly = ['#server/features/*/**', '!#server/features/*/*.service.ts']

/** Returns a rule for these files. Each ban is [message, ...patterns of imports]. */
const border = (files, ...bans) => ({
  files: [files].flat(),
  bans: bans.map(([message, ...group]) => ({ message, group })),
})

/**
 * Returns the rule for a folder of the server. It may import the `allowed` folders, `lib` and `shared`, and no HTTP
 * framework.
 */
const serverRoom = (name, allowed, message, ...besides) =>
  border(`src/server/${name}/**`, [
    message,
    ...allServerRoomsBut(name, ...allowed),
    ...ours,
    ...http,
    ...besides,
  ])

const usedByFeatures = ['access', 'content', 'db', 'features', 'images', 'jobs', 'mail', 'mailing', 'storage']
/**
 * Returns the imports that are forbidden to all files of a feature. `outside`: prefix of a relative import that leaves
 * the feature's folder.
 */
const featureBans = (outside) => [
  [
    'a feature imports access, content, db, images, jobs, lib, mail, mailing, storage, shared and archive; its routes http, too',
    ...allServerRoomsBut('http', ...usedByFeatures),
    '#server/server.ts',
    '#server/main.ts',
    ...ours.filter((room) => room !== '#archive/**'),
  ],
  ['of another feature import only its service; inside your own folder use a relative path', ...servicesOnly],
  [`'${outside}' leaves the feature: write #server/…`, `${outside}**`],
]
const noHttp = ['use-cases know no HTTP: only *.routes.ts does', '#server/http/**', ...http]

/** Returns the rule for a part of the rescue. From the server it may import only `lib`, and from the admin nothing. */
const rescueRoom = (files, message, ...besides) =>
  border(files, [message, ...allServerRoomsBut(), '#admin/**', '#moving/**', ...besides])

/**
 * Returns the rule for a part of the admin. It may import nothing of the server, the archive, the commands (rescue and
 * moving) and Node.js.
 */
const adminRoom = (files, message, besides = [], ...bans) =>
  border(files, [message, '#server/**', ...ours.slice(1), 'node:*', ...besides], ...bans)

/** If several borders match a file, the last one applies. */
export const borders = [
  border(
    'src/shared/**',
    ['shared imports only shared', '#server/**', ...ours, '#test/**', '../../server/**', '../../admin/**'],
    ['shared runs anywhere: zod and itself only', 'node:*', 'react', 'react-dom', 'pg', 'kysely', ...http],
  ),
  border('src/server/lib/**', [
    'server/lib knows nothing of our domain',
    '#server/**',
    ...ours,
    '#shared/contract/**',
  ]),
  serverRoom('db', [], 'db imports only lib and shared'),
  serverRoom('storage', ['db'], 'storage imports only db, lib and shared'),
  serverRoom('images', [], 'images knows files and pictures, no rows: lib and shared only'),
  serverRoom('access', ['db'], 'access knows no HTTP: db, lib and shared only'),
  serverRoom('content', ['db'], 'content imports only db, lib and shared'),
  serverRoom('jobs', ['access', 'db'], 'jobs imports only access, db, lib and shared'),
  serverRoom(
    'mail',
    ['db'],
    'mail knows what is written to people, not how it is sent: db, lib and shared only',
  ),
  serverRoom(
    'mailing',
    ['db', 'jobs', 'mail'],
    'mailing sends what others have written: mail, db, jobs, lib and shared only',
  ),
  border('src/server/http/**', [
    'http imports only access, db, storage, lib and shared',
    ...allServerRoomsBut('access', 'db', 'http', 'storage'),
    ...ours,
  ]),
  border('src/server/features/**', ...featureBans('../')),
  border(
    ['src/server/features/**', '!src/server/features/**/*.routes.ts', '!src/server/features/index.ts'],
    ...featureBans('../'),
    noHttp,
  ),
  // A large feature may have a folder for each stage. These folders may import each other.
  border('src/server/features/*/*/**', ...featureBans('../../'), noHttp),
  border('src/server/delivery/**', [
    'delivery stands alone: content, http, db, images, storage, lib and shared',
    ...allServerRoomsBut('content', 'db', 'delivery', 'http', 'images', 'storage'),
    ...ours,
    '#shared/contract/**',
  ]),
  border('src/archive/**', [
    'the archive imports only itself',
    '#server/**',
    '#shared/**',
    ...ours.filter((room) => room !== '#archive/**'),
    '#test/**',
  ]),
  border('src/moving/**', [
    'the commands of moving need no server of their own: archive, server/lib, shared and the sentences of the admin only',
    '#server/**',
    '!#server/lib/**',
    '#admin/**',
    '!#admin/i18n',
    '!#admin/i18n/**',
    '#rescue/**',
    '#test/**',
  ]),
  rescueRoom('rescue/**', 'rescue needs no server and no database: archive, server/lib and shared only'),
  rescueRoom(
    'rescue/messages/**',
    'messages know what can fail, not how',
    '#rescue/cli/**',
    '#rescue/newt/**',
    '#rescue/run/**',
  ),
  rescueRoom(
    'rescue/newt/**',
    'newt speaks to the API and knows nothing of a run',
    '#rescue/cli/**',
    '#rescue/run/**',
    '#rescue/messages/**',
  ),
  rescueRoom('rescue/run/**', 'a run knows nothing of the command line', '#rescue/cli/**'),
  adminRoom('src/admin/**', 'the admin imports shared and itself'),
  adminRoom('src/admin/base/**', 'the base of the admin imports only itself', [
    '#shared/**',
    '#admin/**',
    '../**',
  ]),
  adminRoom('src/admin/i18n/**', 'texts know base and shared only', [
    '#admin/features/**',
    '#admin/fields/**',
    '#admin/media/**',
    '#admin/ui/**',
    '#admin/lib/**',
    '../**',
  ]),
  adminRoom(['src/admin/ui/**', 'src/admin/lib/**'], 'ui and lib know no feature', [
    '#admin/features/**',
    '#admin/fields/**',
    '#admin/media/**',
  ]),
  adminRoom('src/admin/media/**', 'media knows ui and lib, no field and no feature', [
    '#admin/features/**',
    '#admin/fields/**',
  ]),
  adminRoom('src/admin/fields/**', 'a field input knows media, ui and lib, no feature', [
    '#admin/features/**',
  ]),
  adminRoom(
    'src/admin/features/**',
    'the admin imports shared and itself',
    [],
    [
      'of the features a page knows its own (by ./ and ../) and the shell around it',
      '#admin/features/*/**',
      '!#admin/features/shell/**',
    ],
  ),
]

/** Returns the Biome configuration that enforces the borders. biome.json extends it. */
export const toBiomeConfiguration = () => ({
  $schema: './node_modules/@biomejs/biome/configuration_schema.json',
  overrides: borders.map(({ files, bans }) => ({
    includes: files,
    linter: {
      rules: { style: { noRestrictedImports: { level: 'error', options: { patterns: bans } } } },
    },
  })),
})
