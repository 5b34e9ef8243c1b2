import { cleanup } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import type { AuditEntry } from '#shared/contract/audit-log.ts'
import { useEntryWords } from './use-entry-words.ts'

afterEach(cleanup)

const entry = (given: Partial<AuditEntry>): AuditEntry => ({
  _id: '0'.repeat(24),
  at: '2026-01-01T00:00:00.000Z',
  act: 'job.run',
  outcome: 'done',
  actor: { kind: 'job', _id: null, name: 'moves.import' },
  ip: null,
  userAgent: null,
  object: { kind: 'job', _id: null, name: 'moves.import' },
  details: {},
  ...given,
})

function Words({ of }: { of: AuditEntry }) {
  const words = useEntryWords()
  const all = [words.act(of), words.object(of), words.value(of.details.by, 'by')]
  return <p>{all.join('／')}</p>
}

const read = async (given: Partial<AuditEntry>) => {
  const { container } = await renderInAdmin(<Words of={entry(given)} />)
  const text = container.querySelector('p')?.textContent
  cleanup()
  return text?.split('／')
}

it('useEntryWords translates actions, detail values and a known job name, but not an unknown job name', async () => {
  const [, job] = (await read({})) ?? []
  expect(job).not.toContain('moves')
  expect((await read({ object: { kind: 'job', _id: null, name: 'of.a.newer.version' } }))?.[1]).toBe(
    'of.a.newer.version',
  )
  expect((await read({ details: { by: 'invitation' } }))?.[2]).toBe('招待')
  expect((await read({ act: 'member.leave' }))?.[0]).toBe('スペースから退出')
  expect((await read({ act: 'member.leave', details: { app: 'blog' } }))?.[0]).toBe('Appから退出')
})

function Values({ values }: { values: unknown[] }) {
  const words = useEntryWords()
  return values.map((value) => <p key={JSON.stringify(value)}>{words.value(value)}</p>)
}

it('useEntryWords shows objects with the names of their properties, also if they were shortened', async () => {
  const notification = { to: ['a@example.com', 'b@example.com'], language: 'ja', includesValues: false }
  const reply = '{"enabled":true,"subject":{"ja":"件名","en":""},"body":{"ja":"長い文…'
  const { container } = await renderInAdmin(<Values values={[notification, reply]} />)
  expect([...container.querySelectorAll('p')].map((line) => line.textContent)).toEqual([
    '通知先：a@example.com, b@example.com\n言語：日本語\n送られた内容を含める：いいえ',
    '有効：はい\n件名：日本語：件名, 英語：なし\n本文：日本語：長い文…',
  ])
})
