import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/**
 * Waits until an item of a list is picked up by keyboard and the list is measured. Before that, an arrow key would not
 * move the item.
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
