import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from '@tanstack/react-router'
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { testAsset } from '../test-asset.ts'
import { UploadRows } from './upload-row.tsx'

afterEach(cleanup)

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })

/** Renders the row of a file that the library already contains. */
async function show(forForm: boolean) {
  const asset = testAsset({ duplicateOf: 'd'.repeat(24) })
  const source = new File(['x'], asset.fileName)
  const upload = { id: 1, p: 'pond', name: source.name, source, forForm, key: 'k', sent: 1 }
  await renderInAdmin(
    <RouterContextProvider router={router as never}>
      <UploadRows uploads={[{ ...upload, state: 'done', refusal: null, error: null, asset }]} />
    </RouterContextProvider>,
  )
}

it('an upload row does not offer to delete a duplicate file that was uploaded in a form', async () => {
  await show(true)
  expect(screen.getByText('同じ内容のファイルがすでにあります。')).toBeTruthy()
  expect(screen.getByRole('link', { name: '既存のファイルを開く' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: '新しいファイルを削除' })).toBeNull()
})

it('an upload row offers to delete a duplicate file that was not uploaded in a form', async () => {
  await show(false)
  expect(screen.getByRole('button', { name: '新しいファイルを削除' })).toBeTruthy()
})
