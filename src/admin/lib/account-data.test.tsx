import { afterEach, beforeEach, expect, it } from 'vitest'
import { clearDataOfAccounts } from './account-data.ts'
import { queryClient } from './query-client.ts'
import { type Account, setAccount } from './session.ts'
import { answerRequests } from './testing.tsx'

const hana = { _id: 'a'.repeat(24), name: '花' } as Account
const ken = { _id: 'b'.repeat(24), name: '健' } as Account

let end: () => void
beforeEach(() => {
  answerRequests(() => ({ body: { projects: [], mayCreateSpaces: false } }))
  setAccount(hana)
  end = clearDataOfAccounts()
})
afterEach(() => {
  end()
  setAccount(null)
  queryClient.clear()
})

it.each([
  ['logs out', null],
  ['is followed by another account', ken],
])('`clearDataOfAccounts` clears cached queries and mutations of an account that %s', async (_, next) => {
  queryClient.setQueryData(['space', 'pond'], { name: '池' })
  await queryClient
    .getMutationCache()
    .build(queryClient, { mutationFn: async () => 'ok' })
    .execute(undefined)
  expect(queryClient.getMutationCache().getAll()).toHaveLength(1)
  setAccount(next)
  expect(queryClient.getQueryData(['space', 'pond'])).toBeUndefined()
  expect(queryClient.getMutationCache().getAll()).toEqual([])
})

it('`clearDataOfAccounts` keeps a cached query when the name of the account changes', () => {
  queryClient.setQueryData(['space', 'pond'], { name: '池' })
  setAccount({ ...hana, name: '山田 花' })
  expect(queryClient.getQueryData(['space', 'pond'])).toEqual({ name: '池' })
})
