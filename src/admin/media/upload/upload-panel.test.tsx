import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from '@tanstack/react-router'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import type { Asset } from '#shared/contract/assets.ts'
import { testAsset } from '../test-asset.ts'
import { UploadPanel } from './upload-panel.tsx'
import { addUploads, forgetFinished } from './uploads.ts'

/** The asset that each upload results in. Null: uploads fail. */
let asset: Asset | null
/** Responses are delayed until this promise resolves. */
let held: Promise<void>

beforeEach(async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  asset = testAsset()
  answerRequests(({ path }) => {
    if (path.includes('/csrfToken')) return { body: { csrfToken: 'x' } }
    return asset ? { body: { asset } } : { status: 403, body: { code: 'Forbidden' } }
  })
  const answer = globalThis.fetch
  held = Promise.resolve()
  globalThis.fetch = async (...request) => {
    await held
    return answer(...request)
  }
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
  await renderInAdmin(
    <RouterContextProvider router={router as never}>
      <UploadPanel />
    </RouterContextProvider>,
  )
})
afterEach(() => {
  act(forgetFinished)
  cleanup()
  vi.useRealTimers()
})

const panel = () => screen.queryByRole('region', { name: 'アップロードの状況' })
const upload = () => addUploads('pond', [new URL('https://example.com/ike.jpg')])
const pass = (seconds: number) => act(() => vi.advanceTimersByTime(seconds * 1000))

it('the upload panel closes about six seconds after the upload has succeeded', async () => {
  let release = () => {}
  held = new Promise((resolve) => {
    release = resolve
  })
  let done: Promise<unknown> | undefined
  act(() => {
    done = upload().done
  })
  pass(60)
  expect(panel()?.textContent).toContain('1件をアップロード中')
  release()
  await act(async () => done)
  expect(panel()?.textContent).toContain('1件のアップロードが完了しました')
  pass(5)
  expect(panel()).not.toBeNull()
  pass(2)
  expect(panel()).toBeNull()
  // A later upload starts counting at one again.
  await act(() => upload().done)
  expect(panel()?.textContent).toContain('1件のアップロードが完了しました')
})

it('the upload panel stays open while it contains the focus', async () => {
  await act(() => upload().done)
  const button = screen.getByRole('button', { name: 'アップロードの状況を広げる' })
  act(() => button.focus())
  pass(60)
  expect(panel()).not.toBeNull()
  act(() => button.blur())
  pass(7)
  expect(panel()).toBeNull()
})

it('the upload panel stays open after a failed upload until the user closes the panel', async () => {
  asset = null
  await act(() => upload().done)
  pass(60)
  expect(screen.getByRole('alert')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'アップロードの状況を閉じる' }))
  expect(panel()).toBeNull()
})

it('the upload panel stays open until the user keeps both copies of a duplicate file', async () => {
  asset = testAsset({ duplicateOf: 'd'.repeat(24) })
  await act(() => upload().done)
  pass(60)
  fireEvent.click(screen.getByRole('button', { name: '両方残す' }))
  expect(panel()?.textContent).not.toContain('同じ内容')
  pass(7)
  expect(panel()).toBeNull()
})
