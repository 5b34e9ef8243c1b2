import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/** Waits up to four minutes until an import has ended. On a busy machine, the job of the import is slow. */
export const expectImported = (page: Page) =>
  expect(page.getByRole('heading', { name: 'インポートが終わりました' })).toBeVisible({ timeout: 240_000 })
