import { describe, expect, it } from 'vitest'
import { cpuTime } from '#test/growth.ts'
import { groups, users } from './attributes.ts'
import { Effort } from './effort.ts'
import { matches, parseFilter, parsePath, requiredValues } from './filter.ts'

const bjensen = {
  id: '5f5f5f5f5f5f5f5f5f5f5f5f',
  externalId: 'Ext-1',
  userName: 'bjensen@Example.com',
  name: { familyName: "O'Malley", givenName: 'Barbara' },
  displayName: '山田花子',
  active: true,
  emails: [
    { value: 'bjensen@example.com', type: 'work', primary: true },
    { value: 'babs@jensen.org', type: 'home' },
  ],
  meta: { lastModified: '2026-05-13T04:42:34.000Z', resourceType: 'User' },
}
const is = (filter: string) => matches(parseFilter(filter, users), bjensen, users.all, new Effort())

describe('filters', () => {
  it.each([
    // Examples of RFC 7644 §3.4.2.2, with the values of this user
    ['userName Eq "bjensen@example.com"', true],
    ['name.familyName co "O\'Malley"', true],
    ['userName sw "B"', true],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "b"', true],
    ['title pr', false],
    ['meta.lastModified gt "2011-05-13T04:42:34Z"', true],
    ['meta.lastModified lt "2011-05-13T04:42:34Z"', false],
    ['title pr and userType eq "Employee"', false],
    ['title pr or displayName pr', true],
    ['schemas eq "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"', false],
    ['userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")', false],
    ['userType eq "Employee" and (emails.type eq "work")', false],
    ['emails[type eq "work" and value co "@example.com"]', true],
    ['emails[type eq "home" and value co "@example.com"]', false],
    ['emails[type eq "work"] or ims[type eq "xmpp"]', true],
    // the notation of Entra ID
    ['emails[type eq "work"].value eq "BJensen@example.com"', true],
    ['Emails[Type Eq "WORK"].Value Eq "bjensen@EXAMPLE.com"', true],
    ['emails[type eq "home"].value eq "bjensen@example.com"', false],
    ['emails[type eq "work"].value eq "bjensen@example.com" and active eq true', true],
    ['userName eq "x" or emails[type eq "home"].value sw "babs"', true],
    ['not (emails[type eq "work"].value pr)', false],
    ['emails[type eq "work"].display pr', false],
    ['externalId eq "ext-1"', false],
    ['externalId eq "Ext-1"', true],
    ['active eq true', true],
    ['active eq "True"', true],
    ['active ne false', true],
    ['emails eq "babs@jensen.org"', true],
    ['displayName ew "花子" AND NOT (active eq false)', true],
    ['userName eq "a" or userName pr and active eq false', false],
    ['(userName eq "a" or userName pr) and active eq true', true],
    ['displayName eq null', false],
    ['nickName eq null', true],
    ['displayName co "\\u82b1"', true],
    ['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "x"', false],
    ['userName ge "b" and userName le "c"', true],
  ])('are evaluated as expected: %s', (filter, expected) => {
    expect(is(filter)).toBe(expected)
  })

  it.each([
    '',
    'userName',
    'userName eq',
    'userName eq bjensen',
    'userName like "b"',
    'userName eq "b',
    '(userName pr',
    'userName pr)',
    'userName pr and',
    'and userName pr',
    'not userName pr',
    'emails[type eq "work"',
    'emails[type eq "work"].',
    'emails[type eq "work"].value',
    'emails[type eq "work"].value eq',
    'emails[type eq "work"].value.more eq "x"',
    'emails[type eq "work"]value eq "x"',
    'emails[type eq "work"] value eq "x"',
    'emails[type eq "work"].value[type pr] eq "x"',
    'name.given.more pr',
    'userName; DROP TABLE account pr',
    'active gt true',
    'meta.created gt "yesterday"',
    `${'('.repeat(25)}userName pr${')'.repeat(25)}`,
    Array.from({ length: 300 }, () => 'userName pr').join(' or '),
    'x'.repeat(20_000),
  ])('are refused: $0', (filter) => {
    expect(() =>
      matches(
        parseFilter(filter, users),
        { ...bjensen, meta: { created: '2026-01-01' } },
        users.all,
        new Effort(),
      ),
    ).toThrow(expect.objectContaining({ status: 400, scimType: 'invalidFilter' }))
  })

  it('with thousands of escaped quotes are parsed or refused in less than two seconds of CPU time', () => {
    const texts = `userName eq "${'\\"'.repeat(4_900)}"`
    const reading = () => {
      parseFilter(texts, users)
      expect(() => parseFilter(`userName eq "${'\\"'.repeat(4_900)}`, users)).toThrow()
    }
    expect(cpuTime(reading)).toBeLessThan(2_000)
  })

  it('report the values that a resource must have to match', () => {
    const values = (filter: string) => Object.fromEntries(requiredValues(parseFilter(filter, users)))
    expect(values('userName eq "a" and active eq true')).toEqual({ username: 'a' })
    expect(values('userName eq "a" or active eq true')).toEqual({})
    expect(values('not (userName eq "a")')).toEqual({})
  })
})

describe('paths', () => {
  it.each([
    ['members', { attribute: 'members' }],
    ['name.familyName', { attribute: 'name', sub: 'familyName' }],
    ['urn:ietf:params:scim:schemas:core:2.0:Group:displayName', { attribute: 'displayName' }],
    [
      'members[value eq "2819c223"].displayName',
      {
        attribute: 'members',
        filter: { kind: 'compare', path: ['value'], operator: 'eq', value: '2819c223' },
        sub: 'displayName',
      },
    ],
  ])('are parsed: %s', (path, expected) => {
    expect(parsePath(path, groups)).toEqual(expected)
  })

  it.each(['', 'a.b.c', 'members[', 'members[value eq "x"]more', 'members[value eq "x"].a.b', 'a b', '1'])(
    'are refused: %j',
    (path) => {
      expect(() => parsePath(path, groups)).toThrow(expect.objectContaining({ scimType: 'invalidPath' }))
    },
  )
})
