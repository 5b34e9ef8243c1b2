import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createApp, createModel, createSpace, type TestAccount, unique } from './factories.ts'
import { ok, startInstallation, type TestInstallation } from './server.ts'

/* What people name stands in one line, and looks like nothing else: in lists, logs, mails and their subjects. */

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
/** Everything that is made with a name, by where that stands in the body. */
const named: Record<string, (name: string) => [url: string, body: object, method?: 'PUT' | 'PATCH']> = {
  'data.name of an account': (name) => [`/api/account/${admin.id}`, { data: { name } }, 'PUT'],
  'name of who signs up': (name) => [
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
  'appName of a copy': (name) => [`${app.url}/duplicate`, { appName: name }],
  'data.name of a model': (name) => [`${app.url}/model`, { data: { uid: unique('model'), name } }],
  'data.fields.0.name of a model': (name) => [
    `${app.url}/model`,
    { data: { uid: unique('model'), name: 'モデル', fields: [field(name)] } },
  ],
  'data.name of a type': (name) => [`${app.url}/customFieldType`, { data: { uid: unique('type'), name } }],
  'data.name of a view': (name) => [
    `${app.url}/appView`,
    { data: { modelUid: model.uid, name, type: 'TABLE', personal: true } },
  ],
}

describe.each(Object.entries(named))('%s', (what, make) => {
  it('has no line breaks and no marks of direction', async () => {
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

  it('has emoji that are joined, and every script', async () => {
    if (what.startsWith('name of')) return
    const [url, body, method = 'POST'] = make(`👩‍👩‍👧 می‌خواهم ${unique('が')}`)
    ok(await admin.client.send(method, url, body))
  })
})
