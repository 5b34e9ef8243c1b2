import { expect, it } from 'vitest'
import { commonOf, type Sent, tellStatements } from './told-statements.ts'

const audit = (act: string, columns = 'space_id, act'): Sent => ({
  text: `INSERT INTO audit_entry (${columns}) SELECT space_id, $1 FROM (SELECT $2::int AS space_id) AS spaces`,
  values: [act, 1],
})
const event = (...types: string[]): Sent => ({
  text: `insert into event (space_id, type) values ${types.map(() => '($1, $2)').join(', ')} returning id`,
  values: [...types.flatMap((type) => [1, type, 2, 3, 4, 5, 6, 7, 8]), 'channel'],
})
const own = (where = 'id = $1'): Sent => ({
  text: `select a from thing inner join other on true inner join third on true left join last on true where ${where}`,
  values: [1],
})
const all = [audit('app.create'), audit('app.create'), event('app.created')]
const tell = (...calls: Sent[][]) =>
  tellStatements(
    calls.map((sent, at) => ({ title: `call ${at}`, sent })),
    commonOf(all, ['audit', 'event']),
  )

it('tellStatements() lists shared statements by name, including repetitions, in the order sent', () => {
  expect(tell(all.slice(1))).toBe('-- call 0\n-- audit: app.create\n-- event: app.created')
  expect(tell(all)).toBe('-- call 0\n-- audit: app.create\n-- audit: app.create\n-- event: app.created')
  expect(tell([...all.slice(1)].reverse())).toBe('-- call 0\n-- event: app.created\n-- audit: app.create')
  expect(tell([audit('app.delete')])).toBe('-- call 0\n-- audit: app.delete')
})

it('tellStatements() lists the text of statements that differ from a shared statement', () => {
  expect(tell([audit('app.create', 'space_id, act, ip')])).toContain(
    'INSERT INTO audit_entry (space_id, act, ip)',
  )
  expect(tell([event('app.created', 'app.updated')])).toContain('values (?, ?), …')
})

it('tellStatements() lists the text of a repeated statement at the start, and its name in each call', () => {
  expect(tell([own()])).toContain('select a\nfrom thing')
  const told = tell([own()], [own()], [own('uid = $1')])
  expect(told).toMatch(/^-- Several times: select thing by id\nselect a\nfrom thing\n/)
  expect(told).toContain('-- call 0\n-- select thing by id\n\n-- call 1\n-- select thing by id')
  expect(told).toContain('-- call 2\nselect a\n')
  expect(tell([own(), own()], [own("id = $1 and name = 'b'"), own("id = $1 and name = 'b'")])).toContain(
    '-- call 1\n-- select thing by id (2)\n-- select thing by id (2)',
  )
})

it('commonOf() throws if no statement matches a shared name', () => {
  expect(() => commonOf(all, ['audit', 'job'])).toThrow('No statement matches "job"')
})
