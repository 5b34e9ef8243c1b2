import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import type { Right } from '#shared/permissions.ts'
import { MayImport } from './may-import.tsx'

afterEach(cleanup)

/** Renders a button in `MayImport` for a member with these rights in the app. */
function show(rights: readonly Right[], makesModels: boolean, language: 'ja' | 'en' = 'ja') {
  answerRequests(({ path }) => ({
    body: { currentRole: path.includes('/app/') ? { rights } : { held: ['space.view', 'asset.write.own'] } },
  }))
  return renderInAdmin(
    <MayImport p="acme" a="blog" makesModels={makesModels}>
      <button type="button">import</button>
    </MayImport>,
    language,
  )
}

it('MayImport shows the button to a member with all rights that the import needs', async () => {
  await show(['app.manage', 'document.write.any'], false)
  expect(await screen.findByRole('button', { name: 'import' })).toBeTruthy()
})

it.each([
  ['ja', '「すべてのコンテンツの編集と公開」、「モデルの管理」'],
  ['en', '“Edit and publish all content” and “Manage models”'],
] as const)(
  'MayImport names the missing rights instead of showing the button (%s)',
  async (language, names) => {
    await show(['app.manage'], true, language)
    expect((await screen.findByRole('note')).textContent).toContain(names)
    expect(screen.queryByRole('button', { name: 'import' })).toBeNull()
  },
)
