import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toBiomeConfiguration } from '../scripts/lib/borders.mjs'

/** The configuration that `npm run borders` writes. */
const configuration = toBiomeConfiguration()
const root = fileURLToPath(new URL('..', import.meta.url))

/** Imports that violate a border, as [importing file, import]. */
const violations = [
  ['src/shared/errors.ts', '#server/config.ts'],
  ['src/shared/contract/apps.ts', '#admin/main.tsx'],
  ['src/shared/fields/text.ts', '#rescue/main.ts'],
  ['src/shared/permissions.ts', '../../server/config.ts'],
  ['src/shared/identifiers.ts', 'node:crypto'],
  ['src/shared/events.ts', 'fastify'],
  ['src/shared/contract/common.ts', 'react'],
  ['src/shared/fields/date.ts', 'kysely'],
  ['src/server/lib/ids.ts', '#server/db/scope.ts'],
  ['src/server/lib/time.ts', '#shared/contract/index.ts'],
  ['src/server/db/scope.ts', '#server/http/context.ts'],
  ['src/server/db/tables.ts', '#server/features/apps/apps.service.ts'],
  ['src/server/db/connection.ts', '#server/delivery/routes.ts'],
  ['src/server/db/migrate.ts', '#server/jobs/events.ts'],
  ['src/server/http/context.ts', '#server/features/apps/apps.service.ts'],
  ['src/server/http/browsers/cookie-jar.ts', '#admin/main.tsx'],
  ['src/server/db/notices.ts', '#server/access/actor.ts'],
  ['src/server/storage/local.ts', '#server/features/apps/apps.service.ts'],
  ['src/server/storage/driver.ts', '#server/access/actor.ts'],
  ['src/server/db/migrate-more.ts', '#server/storage/index.ts'],
  ['src/server/images/decode.ts', '#server/storage/index.ts'],
  ['src/server/images/inspect-file.ts', '#server/db/scope.ts'],
  ['src/server/storage/index.ts', '#server/images/images.ts'],
  ['src/server/mail/templates/hello.ts', '#server/features/apps/apps.service.ts'],
  ['src/server/mail/mail.ts', '#server/jobs/enqueue.ts'],
  ['src/server/mailing/transport.ts', '#server/access/actor.ts'],
  ['src/server/jobs/enqueue.ts', '#server/mailing/send-mail.ts'],
  ['src/server/content/read.ts', '#server/images/images.ts'],
  ['src/server/features/scim/protocol/calls.ts', '#server/http/errors.ts'],
  ['src/server/access/membership.ts', '#server/http/context.ts'],
  ['src/server/access/sessions.ts', 'fastify'],
  ['src/server/access/files.ts', '#server/storage/index.ts'],
  ['src/server/content/files.ts', '#server/storage/index.ts'],
  ['src/server/jobs/values.ts', '#server/content/read.ts'],
  ['src/server/access/actor.ts', '#server/jobs/events.ts'],
  ['src/server/access/context.ts', '#server/features/apps/apps.service.ts'],
  ['src/server/http/errors.ts', '#server/delivery/routes.ts'],
  ['src/server/content/registry.ts', '#server/features/apps/apps.service.ts'],
  ['src/server/content/query.ts', '#server/delivery/routes.ts'],
  ['src/server/jobs/events.ts', '#server/features/apps/apps.service.ts'],
  ['src/server/features/apps/apps.service.ts', '#server/delivery/routes.ts'],
  ['src/server/features/apps/apps.routes.ts', '#server/server.ts'],
  ['src/server/features/apps/apps.repository.ts', '#admin/main.tsx'],
  ['src/server/features/apps/apps.order.ts', '#server/features/spaces/spaces.repository.ts'],
  ['src/server/features/apps/apps.access.ts', '#server/features/spaces/spaces.routes.ts'],
  ['src/server/features/apps/apps.template.ts', '#server/features/spaces/spaces.template.ts'],
  ['src/server/features/apps/apps.write.ts', '#server/http/context.ts'],
  ['src/server/features/apps/apps.read.ts', 'fastify'],
  ['src/server/features/apps/apps.icon.ts', '../spaces/spaces.service.ts'],
  ['src/server/features/moves/plan/hints.ts', '../../apps/apps.service.ts'],
  ['src/server/features/moves/plan/exchange.ts', '#server/http/context.ts'],
  ['src/server/delivery/routes.ts', '#server/features/apps/apps.service.ts'],
  ['src/server/delivery/cache.ts', '#server/jobs/events.ts'],
  ['src/server/delivery/errors.ts', '#shared/contract/index.ts'],
  ['rescue/main.ts', '#server/db/connection.ts'],
  ['src/moving/main.ts', '#server/db/connection.ts'],
  ['src/moving/verify.ts', '#rescue/failure.ts'],
  ['src/moving/sentences.ts', '#admin/lib/api.ts'],
  ['rescue/newt/pages.ts', '#server/http/context.ts'],
  ['rescue/newt/list.ts', '#rescue/run/run.ts'],
  ['rescue/run/run.ts', '#rescue/cli/form.ts'],
  ['rescue/messages/en.ts', '#rescue/newt/pages.ts'],
  ['src/archive/format.ts', '#rescue/failure.ts'],
  ['src/archive/write.ts', '#server/lib/ids.ts'],
  ['src/server/content/values.ts', '#archive/format.ts'],
  ['src/admin/lib/errors.ts', '#archive/format.ts'],
  ['rescue/run/more.ts', '#server/access/actor.ts'],
  ['src/server/access/roles.ts', '#archive/format.ts'],
  ['src/admin/main.tsx', '#server/config.ts'],
  ['src/admin/app.tsx', 'node:fs'],
  ['src/admin/base/store.ts', '#admin/lib/api.ts'],
  ['src/admin/base/words.ts', '#shared/errors.ts'],
  ['src/admin/i18n/messages.ts', '#admin/lib/api.ts'],
  ['src/admin/ui/button.tsx', '#admin/features/apps/app-card.tsx'],
  ['src/admin/ui/card.tsx', '#admin/fields/text.tsx'],
  ['src/admin/lib/api.ts', '#admin/features/apps/app-card.tsx'],
  ['src/admin/fields/text.tsx', '#admin/features/apps/app-card.tsx'],
  ['src/admin/features/apps/app-card.tsx', '#admin/features/models/draft.ts'],
  ['src/admin/media/upload.ts', '#admin/fields/text.tsx'],
  ['src/admin/ui/tile.tsx', '#admin/media/upload.ts'],
] as const

/** Imports that the borders allow. They detect a rule that forbids too many imports. */
const allowed = [
  ['src/shared/good.ts', './errors.ts'],
  ['src/server/lib/good.ts', 'node:crypto'],
  ['src/server/db/good.ts', '#shared/errors.ts'],
  ['src/server/http/good.ts', '#server/db/scope.ts'],
  ['src/server/http/better.ts', '#server/access/actor.ts'],
  ['src/server/access/good.ts', '#server/db/scope.ts'],
  ['src/server/storage/good.ts', '#server/db/scope.ts'],
  ['src/server/jobs/good.ts', '#server/access/actor.ts'],
  ['src/server/features/apps/good.routes.ts', '#server/http/endpoints.ts'],
  ['src/server/features/apps/best.ts', '#server/access/context.ts'],
  ['src/server/features/apps/good.ts', '#server/features/spaces/spaces.service.ts'],
  ['src/server/features/apps/better.ts', './apps.repository.ts'],
  ['src/server/features/apps/best.ts', '#archive/verify.ts'],
  ['src/server/features/moves/plan/good.ts', '../store/clashes.repository.ts'],
  ['rescue/good.ts', '#archive/verify.ts'],
  ['rescue/run/good.ts', '#rescue/newt/pages.ts'],
  ['rescue/newt/good.ts', '#server/lib/outgoing-http.ts'],
  ['src/admin/good.tsx', '#shared/errors.ts'],
  ['src/admin/i18n/good.ts', '#admin/base/store.ts'],
  ['src/admin/lib/good.ts', '#admin/i18n/messages.ts'],
  ['src/admin/fields/good.tsx', '#admin/ui/button.tsx'],
  ['src/admin/features/apps/good.tsx', '#admin/features/shell/shell.routes.tsx'],
  ['src/admin/features/apps/editor/good.tsx', '../draft.ts'],
  ['src/admin/fields/better.tsx', '#admin/media/upload.ts'],
  ['src/admin/media/good.tsx', '#admin/ui/button.tsx'],
] as const

/** Returns a violation of each pattern of every border, to detect ineffective patterns. */
function violateAll({ overrides }: typeof configuration): (readonly [file: string, target: string])[] {
  let count = 0
  return overrides.flatMap(({ includes, linter }) => {
    const groups = linter.rules.style.noRestrictedImports.options.patterns.flatMap(({ group }) => group)
    return groups
      .filter((target) => !target.startsWith('!'))
      .map((target) => {
        const [room = ''] = includes
        const isOfRoutes = room === 'src/server/features/**' && includes.length === 1
        const name = `apps/planted-${count++}${isOfRoutes ? '.routes' : ''}.ts`
        const found = target.replace('/*/**', '/**').replace('**', 'other/planted.ts').replace('*', 'fs')
        return [room.replace('/*/*/', '/grown/stage/').replace('**', name), found] as const
      })
  })
}

/** Three files, each of which imports the next. */
const cycle = [
  ['src/server/features/ring/one.ts', './two.ts'],
  ['src/server/features/ring/two.ts', '#server/features/ring/three.ts'],
  ['src/server/features/ring/three.ts', './one.ts'],
] as const

interface Diagnostic {
  category: string
  severity: string
  location: { path: string | { file: string } }
}

let folder: string
let diagnostics: Diagnostic[]
let everyLine: (readonly [file: string, target: string])[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imori-borders-'))
  for (const file of ['biome.json', 'biome-borders.json', 'package.json', 'tsconfig.base.json'])
    await copyFile(join(root, file), join(folder, file))
  everyLine = violateAll(configuration)
  for (const [file, target] of [...violations, ...allowed, ...cycle, ...everyLine]) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(
      join(folder, file),
      `import * as planted from '${target}'\n\nexport const value = planted\n`,
    )
  }
  diagnostics = await lint(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Lints this folder with the project's biome.json. */
function lint(cwd: string): Promise<Diagnostic[]> {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const options = ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none', '.']
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [biome, ...options], { cwd, maxBuffer: 50e6 }, (_error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout).diagnostics)
      } catch {
        reject(new Error(`Biome answered no JSON: ${stdout.slice(0, 500)} ${stderr.slice(0, 500)}`))
      }
    })
  })
}

const errorsIn = (file: string, rule: string) =>
  diagnostics.filter(({ category, severity, location }) => {
    const path = typeof location.path === 'string' ? location.path : location.path.file
    return path.endsWith(file) && category.endsWith(`/${rule}`) && severity === 'error'
  })

describe('biome.json', () => {
  it.each(violations)('rejects that %s imports %s', (file) => {
    expect(errorsIn(file, 'noRestrictedImports')).toHaveLength(1)
  })

  it.each(allowed)('accepts that %s imports %s', (file) => {
    expect(errorsIn(file, 'noRestrictedImports')).toEqual([])
  })
})

describe('the rule for import cycles', () => {
  it.each(cycle)('reports %s, which imports %s', (file) => {
    expect(errorsIn(file, 'noImportCycles')).toHaveLength(1)
  })
})

describe('biome-borders.json', () => {
  it('equals the output of `npm run borders`', async () => {
    const written = JSON.parse(await readFile(join(root, 'biome-borders.json'), 'utf8'))
    expect(written).toEqual(configuration)
    const { extends: extended } = JSON.parse(await readFile(join(root, 'biome.json'), 'utf8'))
    expect(extended).toEqual(['./biome-borders.json'])
  })

  it('contains only effective patterns (patterns that start with `!` are not tested)', () => {
    expect(everyLine.length).toBeGreaterThan(120)
    const dead = everyLine.filter(([file]) => errorsIn(file, 'noRestrictedImports').length !== 1)
    expect(dead).toEqual([])
  })
})
