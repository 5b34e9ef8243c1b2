import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/** An item of a list has been picked up with the keyboard and the list has been measured: an arrow pressed now moves it. */
export async function expectPickedUp(page: Page, name: string): Promise<void> {
  await expect(page.getByText(`「${name}」をつかみました`)).toBeAttached()
  await page.evaluate(
    () =>
      new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done))),
      ),
  )
}
