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
