import { expect, it } from 'vitest'
import { groups, users } from './attributes.ts'
import { applyPatch } from './patch.ts'

const user = () => ({
  userName: 'bjensen@example.com',
  name: { familyName: 'Jensen', givenName: 'Barbara' },
  active: true,
  emails: [
    { value: 'work@example.com', type: 'work', primary: true },
    { value: 'home@example.com', type: 'home' },
  ],
})
const group = () => ({
  displayName: 'Group A',
  members: [{ value: 'aa', display: 'Babs' }, { value: 'bb' }],
})
const op = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})
const onUser = (...operations: object[]) => applyPatch(user(), op(...operations), users)
const onGroup = (...operations: object[]) => applyPatch(group(), op(...operations), groups)
const members = async (patched: ReturnType<typeof onGroup>) =>
  (((await patched).members ?? []) as { value: string }[]).map(({ value }) => value)

it('applyPatch adds, removes and replaces members as in RFC 7644', async () => {
  expect(
    await members(onGroup({ op: 'add', path: 'members', value: [{ display: 'J', value: 'cc' }] })),
  ).toEqual(['aa', 'bb', 'cc'])
  expect(await members(onGroup({ op: 'add', path: 'members', value: [{ value: 'aa' }] }))).toEqual([
    'aa',
    'bb',
  ])
  expect(await members(onGroup({ op: 'remove', path: 'members[value eq "aa"]' }))).toEqual(['bb'])
  expect(await members(onGroup({ op: 'remove', path: 'members' }))).toEqual([])
  expect(
    await members(
      onGroup(
        { op: 'remove', path: 'members[value eq "aa"]' },
        { op: 'add', path: 'members', value: [{ value: 'dd' }] },
      ),
    ),
  ).toEqual(['bb', 'dd'])
  expect(await members(onGroup({ op: 'replace', path: 'members', value: [{ value: 'cc' }] }))).toEqual(['cc'])
})

it('applyPatch accepts operations in the notation of Entra ID', async () => {
  expect(await onUser({ op: 'Replace', path: 'active', value: 'False' })).toMatchObject({ active: false })
  expect(await members(onGroup({ op: 'Remove', path: 'members', value: [{ value: 'bb' }] }))).toEqual(['aa'])
  expect(
    await onUser({ op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@example.com' }),
  ).toMatchObject({
    emails: [{ value: 'new@example.com', type: 'work', primary: true }, { value: 'home@example.com' }],
  })
  expect(
    await applyPatch(
      { userName: 'x' },
      op({ op: 'Add', path: 'emails[type eq "work"].value', value: 'a@b.jp' }),
      users,
    ),
  ).toEqual({ userName: 'x', emails: [{ type: 'work', value: 'a@b.jp' }] })
  expect(
    await onUser({
      op: 'Add',
      value: {
        'name.givenName': 'バーバラ',
        'emails[type eq "home"].value': 'h@example.com',
        'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department': '編集部',
        displayName: '花子',
      },
    }),
  ).toMatchObject({
    name: { givenName: 'バーバラ', familyName: 'Jensen' },
    displayName: '花子',
    emails: [{}, { value: 'h@example.com' }],
  })
})

it('applyPatch accepts attribute names with a schema URN, and ignores attributes of other schemas', async () => {
  const [own, other] = [
    'urn:ietf:params:scim:schemas:core:2.0:User',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  ]
  const changed = { ...user(), displayName: '花子' }
  for (const operation of [
    { op: 'replace', path: `${own}:displayName`, value: '花子' },
    { op: 'replace', path: `${own.toUpperCase()}:displayname`, value: '花子' },
    { op: 'replace', path: own, value: { displayName: '花子' } },
    { op: 'replace', value: { [`${own}:displayName`]: '花子', [`${other}:department`]: 'x' } },
    { op: 'replace', value: { [own]: { displayName: '花子' }, [other]: { manager: { value: 'x' } } } },
  ])
    expect([operation, await onUser(operation)]).toEqual([operation, changed])
  expect(await onUser({ op: 'replace', path: `${own}:name.familyName`, value: '山田' })).toMatchObject({
    name: { familyName: '山田', givenName: 'Barbara' },
  })
  const work = await onUser({
    op: 'replace',
    path: `${own}:emails[type eq "work"].value`,
    value: 'w@example.com',
  })
  expect(work.emails).toContainEqual(expect.objectContaining({ type: 'work', value: 'w@example.com' }))
  for (const path of [`${other}:department`, `${other}:manager.value`, `${other}:manager`, other])
    for (const op of ['add', 'replace', 'remove'])
      expect([path, op, await onUser({ op, path, value: 'x' })]).toEqual([path, op, user()])
})

it('applyPatch accepts operations in the notation of Okta', async () => {
  expect(await onUser({ op: 'replace', value: { active: false } })).toMatchObject({ active: false })
  expect(await onGroup({ op: 'replace', value: { id: 'abc', displayName: 'B' } })).toMatchObject({
    displayName: 'B',
  })
})

it('applyPatch changes parts of a value, and leaves only the new primary value marked as primary', async () => {
  expect(await onUser({ op: 'replace', path: 'name', value: { familyName: 'Smith' } })).toMatchObject({
    name: { familyName: 'Smith', givenName: 'Barbara' },
  })
  expect((await onUser({ op: 'remove', path: 'name.givenName' })).name).toEqual({ familyName: 'Jensen' })
  expect((await onUser({ op: 'remove', path: 'emails[type eq "home"]' })).emails).toHaveLength(1)
  expect(
    (await onUser({ op: 'add', path: 'emails', value: { value: 'n@example.com', primary: true } })).emails,
  ).toEqual([
    { value: 'work@example.com', type: 'work', primary: false },
    { value: 'home@example.com', type: 'home' },
    { value: 'n@example.com', primary: true },
  ])
  expect(await onUser({ op: 'replace', value: { NAME: null } })).not.toHaveProperty('name')
  expect(await onUser({ op: 'replace', path: 'title', value: '部長' })).toEqual(user())
})

it.each([
  [{ op: 'move', path: 'x' }, 'invalidSyntax'],
  [{ path: 'displayName', value: 'x' }, 'invalidSyntax'],
  [{ op: 'remove' }, 'noTarget'],
  [{ op: 'replace', path: 'emails[type eq', value: 'x' }, 'invalidPath'],
  [{ op: 'replace', path: 'active[value eq true]', value: true }, 'invalidPath'],
  [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
  [{ op: 'add', path: 'groups', value: [{ value: 'admins' }] }, 'mutability'],
  [{ op: 'replace', path: 'meta.version', value: 'x' }, 'mutability'],
  [{ op: 'replace', path: 'active', value: 'perhaps' }, 'invalidValue'],
  [{ op: 'replace', path: 'userName', value: 7 }, 'invalidValue'],
  [{ op: 'remove', path: 'userName' }, 'invalidValue'],
  [{ op: 'replace', value: 'x' }, 'invalidValue'],
  [{ op: 'replace', path: 'emails[value co "nobody"].type', value: 'x' }, 'noTarget'],
])('applyPatch refuses %j with %s', async (operation, scimType) => {
  await expect(onUser(operation)).rejects.toThrow(expect.objectContaining({ status: 400, scimType }))
})

it('applyPatch changes neither its input nor prototypes', async () => {
  const before = user()
  await applyPatch(before, op({ op: 'remove', path: 'emails' }), users)
  expect(before).toEqual(user())
  const patched = await onUser({ op: 'add', path: 'constructor', value: { polluted: true } })
  expect(Object.getPrototypeOf(patched)).toBe(Object.prototype)
  expect(patched).toEqual(user())
})
