import { act, cleanup, screen } from '@testing-library/react'
import { useEffect } from 'react'
import { afterEach, expect, it } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { DocumentStore } from './document-store.ts'
import { EditorContext } from './editor-context.ts'
import { IssueSummary } from './issue-summary.tsx'
import { testContext, testDocument, testModel } from './test-model.ts'

afterEach(cleanup)

const nextFrame = () => act(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))))

/** Another input, in which the user continues typing. */
function Elsewhere() {
  useEffect(() => screen.getByLabelText('elsewhere').focus(), [])
  return <input aria-label="elsewhere" />
}

async function refuse(isAwaited: boolean): Promise<HTMLElement> {
  const store = new DocumentStore(testModel, testDocument(1, { title: '' }))
  store.setIssues('title', [{ path: 'title', code: 'Required' }])
  await renderInAdmin(
    <EditorContext value={testContext(store)}>
      <Elsewhere />
      <IssueSummary refusals={1} isAwaited={() => isAwaited} />
    </EditorContext>,
  )
  await nextFrame()
  return screen.getByRole('alert')
}

it('IssueSummary takes the focus if the user is waiting for the result', async () => {
  const box = await refuse(true)
  expect(document.activeElement).toBe(box)
})

it('IssueSummary leaves the focus where it is if the user is no longer waiting for the result', async () => {
  expect(await refuse(false)).toBeTruthy()
  expect(document.activeElement).toBe(screen.getByLabelText('elsewhere'))
})
