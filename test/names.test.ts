import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { endpoints } from '#shared/contract/index.ts'
import { createAccount, createApp, createModel, createSpace, type TestAccount, unique } from './factories.ts'
import { ok, startInstallation, type TestInstallation } from './server.ts'

/*
 * Names that users enter must be single-line and free of deceptive characters, because they appear in lists, logs,
 * mails and subjects.
 */

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let app: { uid: string; url: string }
let model: { uid: string; url: string }
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  app = await createApp(admin.client, space)
  model = await createModel(admin.client, app)
})
afterAll(() => installation?.close())

const rights = ['space.view']
const field = (name: string) => ({ uid: 'field', name, type: 'TEXT' })
/** Requests that set a name, by the path of the name in the body. */
const named: Record<string, (name: string) => [url: string, body: object, method?: 'PUT' | 'PATCH']> = {
  'data.name of an account': (name) => [`/api/account/${admin.id}`, { data: { name } }, 'PUT'],
  'name of a new account': (name) => [
    '/api/auth/signup',
    { email: `${unique('new')}@example.com`, password: 'a newt under the wet leaves', name },
  ],
  'project.name of a space': (name) => ['/api/project', { project: { uid: unique('space'), name } }],
  'data.name of an app': (name) => [`${space.url}/app`, { data: { uid: unique('app'), name } }],
  'data.name of a role': (name) => [`${space.url}/role`, { data: { name, rights } }],
  'data.name of a token': (name) => [`${space.url}/cdnToken`, { data: { name } }],
  'data.name of a tag': (name) => [`${space.url}/tags`, { data: { name } }],
  'data.name of a folder': (name) => [`${space.url}/assetFolders`, { data: { name, filter: {} } }],
  'data.name of a template': (name) => [`${app.url}/template`, { data: { name } }],
  'appName of a duplicate': (name) => [`${app.url}/duplicate`, { appName: name }],
  'data.name of a model': (name) => [`${app.url}/model`, { data: { uid: unique('model'), name } }],
  'data.fields.0.name of a model': (name) => [
    `${app.url}/model`,
    { data: { uid: unique('model'), name: 'モデル', fields: [field(name)] } },
  ],
  'data.name of a custom type': (name) => [
    `${app.url}/customFieldType`,
    { data: { uid: unique('type'), name } },
  ],
  'data.fields.0.tab of a model': (tab) => [
    `${app.url}/model`,
    { data: { uid: unique('model'), name: 'モデル', fields: [{ ...field('項目'), tab }] } },
  ],
  'data.name of a view': (name) => [
    `${app.url}/appView`,
    { data: { modelUid: model.uid, name, type: 'TABLE', personal: true } },
  ],
}

describe.each(Object.entries(named))('%s', (what, make) => {
  it('rejects a line break, a bidirectional control, a zero-width space and a control character', async () => {
    const path = what.split(' ')[0]
    for (const name of [
      '経理部\n情報',
      '経理部\u202efdp.exe',
      '経理\u2066部',
      '経\u200b理',
      '経理\u0007部',
      '経\u2028理',
    ]) {
      const [url, body, method = 'POST'] = make(name)
      const answer = await admin.client.send(method, url, body)
      expect([JSON.stringify(name), answer.status, answer.body.issues]).toEqual([
        JSON.stringify(name),
        400,
        [expect.objectContaining({ path, code: 'InvalidCharacter' })],
      ])
    }
  })

  it('rejects a text without a visible character', async () => {
    const path = what.split(' ')[0]
    for (const name of [
      '\u0301'.repeat(100),
      '\u3099\ufe0f',
      '\u200d\u200c',
      '\u3164',
      '\u2800\u2800',
      '\u034f',
      ' ',
      '\u3000\u00a0',
    ]) {
      const [url, body, method = 'POST'] = make(name)
      const answer = await admin.client.send(method, url, body)
      expect([JSON.stringify(name), answer.status, answer.body.issues]).toEqual([
        JSON.stringify(name),
        400,
        // Most names are trimmed, so a name of spaces alone is empty.
        [expect.objectContaining({ path, code: expect.stringMatching(/^(NothingVisible|Required)$/) })],
      ])
    }
  })

  it('accepts joined emoji, Persian with a zero-width non-joiner, and Japanese (skipped for sign-up)', async () => {
    if (what.startsWith('name of')) return
    const [url, body, method = 'POST'] = make(`👩‍👩‍👧 می‌خواهم ${unique('が')}`)
    ok(await admin.client.send(method, url, body))
  })
})

/** Texts in requests that sound like names, with the reason why they are not checked as names. */
const notNames: Record<string, string> = {
  'createMove data.fileName': 'shown without invisible characters',
  'beginAppImport data.fileName': 'shown without invisible characters',
  'updateAsset data.fileName': 'stored without invisible characters',
  'copyCustomType customFieldTypeName': 'must be the name of an existing type',
  'updateGroupRoles data.appGroups.*.name': 'must be what the directory sends',
  'updateGroupRoles data.groups.*.name': 'must be what the directory sends',
  'updateSso data.groupsName': 'must be what the identity provider sends',
  'updateSso data.oidc.groupsName': 'must be what the identity provider sends',
  'updateSso data.saml.groupsName': 'must be what the identity provider sends',
  // The schema of the whole plan checks these.
  ...Object.fromEntries(
    ['models', 'customTypes'].flatMap((parts) =>
      ['name', 'fields.*.field.name', 'fields.*.field.tab'].map((name) => [
        `updateMovePlan data.${parts}.*.${name}`,
        'moveCorrectionsSchema',
      ]),
    ),
  ),
}

describe('names in requests', () => {
  const all: [string, Endpoint][] = Object.entries(endpoints)
  const found = all.flatMap(([endpoint, { body }]) =>
    body instanceof z.ZodType
      ? textsNamed(body, '').map(([path, text]) => [`${endpoint} ${path}`, text] as const)
      : [],
  )

  it('are checked for invisible characters, or are listed in `notNames` with the reason', () => {
    const unchecked = found.flatMap(([what, text]) => (isChecked(text) ? [] : [what]))
    expect(unchecked.sort()).toEqual(Object.keys(notNames).sort())
    expect(found.length).toBeGreaterThan(30)
  })
})

const isChecked = (text: z.ZodType) =>
  ['\u3164', '\u0301\u3099', ' '].every((name) => !text.safeParse(name).success) &&
  !text.safeParse('経理\u202e部').success

/** Returns the text properties whose key ends with `name` or is `title` or `tab`, with their paths. */
function textsNamed(schema: z.ZodType, path: string): [string, z.ZodType][] {
  const inner = (part: unknown, key = '') =>
    textsNamed(part as z.ZodType, [path, key].filter(Boolean).join('.'))
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([key, part]) =>
      /name$/i.test(key) || ['title', 'tab'].includes(key)
        ? part.safeParse('名前').success
          ? [[[path, key].filter(Boolean).join('.'), part] as [string, z.ZodType]]
          : inner(part, key)
        : inner(part, key),
    )
  if (schema instanceof z.ZodArray) return inner(schema.element, '*')
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => inner(option))
  if (schema instanceof z.ZodRecord) return inner(schema.valueType, '*')
  if (schema instanceof z.ZodPipe) return inner(schema.in)
  const { innerType } = schema.def as { innerType?: z.ZodType }
  return innerType ? inner(innerType) : []
}
