import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/**
 * Waits until an item of a list is picked up by keyboard, and then until the browser is idle. An arrow key does not
 * move the item before the list is measured.
 */
export async function expectPickedUp(page: Page, name: string): Promise<void> {
  await expect(page.getByText(`「${name}」をつかみました`)).toBeAttached()
  await page.evaluate(
    () =>
      new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done))),
      ),
  )
}
