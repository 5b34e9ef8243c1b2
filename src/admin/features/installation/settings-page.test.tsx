import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import { closeAllToasts } from '#admin/lib/toast.ts'
import { Toasts } from '#admin/ui/toasts.tsx'
import { InstallationSettingsPage } from './settings-page.tsx'

beforeEach(closeAllToasts)
afterEach(cleanup)

const settings = {
  signup: 'invited',
  signupIsFixed: false,
  signupConfirmation: 'after',
  signupConfirmationIsFixed: false,
  spaceCreation: 'admins',
  spaceCreationIsFixed: false,
}

async function choose(isSaved: boolean) {
  answerRequests(({ method, path }) => {
    if (path.endsWith('csrfToken')) return { body: { csrfToken: 'token' } }
    if (method !== 'PUT') return { body: { settings } }
    return isSaved ? { body: { settings: { ...settings, spaceCreation: 'everyone' } } } : new Error('offline')
  })
  await renderInAdmin(
    <>
      <InstallationSettingsPage />
      <Toasts />
    </>,
  )
  const group = within(await screen.findByRole('radiogroup', { name: 'スペースの作成' }))
  const everyone = group.getByRole<HTMLInputElement>('radio', { name: 'アカウントのある人全員' })
  expect(everyone.checked).toBe(false)
  fireEvent.click(everyone)
  return everyone
}

it('the settings page shows a new choice before and after it is saved', async () => {
  const chosen = await choose(true)
  expect(chosen.checked).toBe(true)
  await screen.findByText('保存しました')
  expect(chosen.checked).toBe(true)
})

it('the settings page deselects a new choice that could not be saved', async () => {
  const chosen = await choose(false)
  expect(chosen.checked).toBe(true)
  await waitFor(() => expect(chosen.checked).toBe(false))
})
