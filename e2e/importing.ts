import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/** Waits until an import is over; on a busy machine its job takes longer than anything else that is waited for. */
export const expectImported = (page: Page) =>
  expect(page.getByRole('heading', { name: 'インポートが終わりました' })).toBeVisible({ timeout: 240_000 })
